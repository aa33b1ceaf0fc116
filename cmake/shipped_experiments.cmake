# Builds the files under experiments/ into the library, as shipped_experiments(), and installs them.
set(UPDRAFT_EXPERIMENTS gaussian gaussian-weak criteo baseline-bound misspecified-l)

set(entries "")
set(files "")
foreach(name IN LISTS UPDRAFT_EXPERIMENTS)
  set(file ${PROJECT_SOURCE_DIR}/experiments/${name}.toml)
  file(READ ${file} text)
  string(APPEND entries "    {\"${name}\", R\"toml(${text})toml\"},\n")
  list(APPEND files ${file})
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

# Written only where it changed, so that configuring again compiles nothing.
set(generated ${PROJECT_BINARY_DIR}/shipped_experiments.cc)
file(WRITE ${generated}.new "#include \"updraft/experiment.h\"

namespace updraft {
namespace {

constexpr ShippedExperiment kExperiments[] = {
${entries}};

}  // namespace

std::span<const ShippedExperiment> shipped_experiments() { return kExperiments; }

}  // namespace updraft
")
file(COPY_FILE ${generated}.new ${generated} ONLY_IF_DIFFERENT)
target_sources(updraft PRIVATE ${generated})

install(FILES ${files} DESTINATION ${CMAKE_INSTALL_DATADIR}/updraft/experiments)
