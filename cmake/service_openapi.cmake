# Builds src/service/openapi.json into the service, as openapi_text(). A string literal of C++ may be
# limited to 64 KiB, which is more than the file may have.
set(file ${PROJECT_SOURCE_DIR}/src/service/openapi.json)
file(READ ${file} text)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})

# Written only where it changed, so that configuring again compiles nothing.
set(generated ${PROJECT_BINARY_DIR}/openapi_text.cc)
file(WRITE ${generated}.new "#include \"service/openapi_text.h\"

namespace updraft {

std::string_view openapi_text() { return R\"openapi(${text})openapi\"; }

}  // namespace updraft
")
file(COPY_FILE ${generated}.new ${generated} ONLY_IF_DIFFERENT)
target_sources(updraft_service PRIVATE ${generated})
