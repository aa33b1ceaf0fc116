# updraft_service: store and HTTP API of the campaign service.
find_package(OpenSSL REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(spdlog REQUIRED)
# Boost.Asio and Boost.Beast: headers only.
find_package(Boost 1.74 REQUIRED)
find_package(Threads REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(HTTPLIB REQUIRED IMPORTED_TARGET cpp-httplib)  # a client, for webhooks

file(GLOB UPDRAFT_SERVICE_SOURCES CONFIGURE_DEPENDS src/service/*.cc src/store/*.cc)
# libpq is loaded when a store in PostgreSQL is opened: only its header is needed here, and without it
# the program is built without such stores.
find_path(LIBPQ_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)
if(UPDRAFT_POSTGRES AND LIBPQ_INCLUDE_DIR)
  list(FILTER UPDRAFT_SERVICE_SOURCES EXCLUDE REGEX "/store/pq_absent.cc$")
else()
  message(NOTICE "Without PostgreSQL: UPDRAFT_POSTGRES is off, or libpq-fe.h was not found")
  list(FILTER UPDRAFT_SERVICE_SOURCES EXCLUDE REGEX "/store/(pq|pq_library).cc$")
endif()
add_library(updraft_service STATIC ${UPDRAFT_SERVICE_SOURCES})
target_include_directories(updraft_service PUBLIC ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(updraft_service
  PUBLIC updraft nlohmann_json::nlohmann_json
  PRIVATE updraft_web updraft_options Boost::headers Eigen3::Eigen fmt::fmt OpenSSL::SSL
          OpenSSL::Crypto SQLite::SQLite3 spdlog::spdlog Threads::Threads ZLIB::ZLIB)
target_link_libraries(updraft_service PRIVATE $<LINK_ONLY:PkgConfig::HTTPLIB>)
if(LIBPQ_INCLUDE_DIR)
  target_include_directories(updraft_service SYSTEM PRIVATE ${LIBPQ_INCLUDE_DIR})
endif()
target_link_libraries(updraft_service PRIVATE ${CMAKE_DL_LIBS})
set_source_files_properties(src/service/webhook.cc src/service/node_relay.cc
                            src/service/payoff_sender.cc PROPERTIES
                            SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "${HTTPLIB_CFLAGS_OTHER}")
target_precompile_headers(updraft_service PRIVATE <algorithm> <memory> <optional> <string>
                          <string_view> <vector> <fmt/format.h> <nlohmann/json.hpp>)

# src/service/openapi.json becomes openapi_text().
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
