# Builds the files under experiments/ into the library, as shipped_experiments() and
# shipped_suites(), and installs them.
set(UPDRAFT_EXPERIMENTS gaussian gaussian-weak criteo baseline-bound misspecified-l
    tuning-free-gaussian tuning-free-gaussian-weak tuning-free-criteo tuning-free-marketing
    tuning-free-discounts tuning-free-movies
    told-nothing-gaussian told-nothing-gaussian-weak told-nothing-discounts
    told-nothing-marketing-segments told-nothing-marketing told-nothing-movies
    told-nothing-criteo-segments told-nothing-criteo told-nothing-dense told-nothing-alternating
    told-nothing-one-moves-all told-nothing-identical told-nothing-heavy-tails told-nothing-rare
    told-nothing-two-actions told-nothing-one-variable
    changing-world-steady changing-world-seasonal changing-world-trend changing-world-flip
    changing-world-wear-out changing-world-walk
    targeting-counterfactual targeting-model targeting-synthetic hillstrom hillstrom-spend
    contextual-linear)
set(UPDRAFT_SUITES paper tuning-free told-nothing changing-world)

set(files "")
foreach(kind EXPERIMENTS SUITES)
  set(${kind} "")
  foreach(name IN LISTS UPDRAFT_${kind})
    set(file ${PROJECT_SOURCE_DIR}/experiments/${name}.toml)
    file(READ ${file} text)
    string(APPEND ${kind} "    {\"${name}\", R\"toml(${text})toml\"},\n")
    list(APPEND files ${file})
  endforeach()
endforeach()
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})

# Written only where it changed, so that configuring again compiles nothing.
set(generated ${PROJECT_BINARY_DIR}/shipped_experiments.cc)
file(WRITE ${generated}.new "#include \"updraft/suite.h\"

namespace updraft {
namespace {

constexpr ShippedExperiment kExperiments[] = {
${EXPERIMENTS}};

constexpr ShippedExperiment kSuites[] = {
${SUITES}};

}  // namespace

std::span<const ShippedExperiment> shipped_experiments() { return kExperiments; }

std::span<const ShippedExperiment> shipped_suites() { return kSuites; }

}  // namespace updraft
")
file(COPY_FILE ${generated}.new ${generated} ONLY_IF_DIFFERENT)
target_sources(updraft PRIVATE ${generated})

install(FILES ${files} DESTINATION ${CMAKE_INSTALL_DATADIR}/updraft/experiments)
