# updraft_web: the pages under web/, bundled, packed and built in (web/assets.h), and html_report(). Neither
# the library nor the Python module has it.
find_program(ESBUILD esbuild DOC "Bundles the scripts of the pages")
find_file(CHARTJS chart.mjs DOC "Chart.js, as a module"
          PATHS /usr/share/javascript/chart.js /usr/share/nodejs/chart.js/dist NO_DEFAULT_PATH)
set(missing "")
if(NOT ESBUILD)
  list(APPEND missing "esbuild (Debian's package esbuild)")
endif()
if(NOT CHARTJS)
  list(APPEND missing "Chart.js (chart.mjs of Debian's package libjs-chart.js)")
endif()
if(missing)
  list(JOIN missing " and " missing)
  message(FATAL_ERROR
    "The pages of results and of the campaign service are made with ${missing}, not found here.\n"
    "On Debian: apt install esbuild libjs-chart.js. Found elsewhere: -DESBUILD=/path/to/esbuild "
    "-DCHARTJS=/path/to/chart.mjs. The library alone does without: -DUPDRAFT_BUILD_CLI=OFF "
    "-DUPDRAFT_BUILD_TESTS=OFF.")
endif()

set(web ${PROJECT_SOURCE_DIR}/web)
set(bundled ${PROJECT_BINARY_DIR}/web)
file(GLOB_RECURSE UPDRAFT_WEB_FILES CONFIGURE_DEPENDS ${web}/*)

# One script for each page, with the licence of Chart.js in it.
foreach(page dashboard report)
  add_custom_command(
    OUTPUT ${bundled}/${page}.js
    COMMAND ${ESBUILD} ${web}/src/${page}/main.ts --bundle --minify --format=iife --target=es2020
            --charset=utf8 --legal-comments=inline --alias:chart.js=${CHARTJS} --log-level=warning
            --outfile=${bundled}/${page}.js
    DEPENDS ${UPDRAFT_WEB_FILES} ${CHARTJS}
    COMMENT "Bundling ${page}.js" VERBATIM)
endforeach()
add_custom_command(
  OUTPUT ${bundled}/style.css
  COMMAND ${ESBUILD} ${web}/style.css --minify --target=es2020 --charset=utf8 --log-level=warning
          --outfile=${bundled}/style.css
  DEPENDS ${web}/style.css
  COMMENT "Minifying style.css" VERBATIM)

set(assets ${bundled}/style.css ${web}/report.html ${bundled}/report.js)
set(page ${web}/dashboard.html)
set(served dashboard.css=${bundled}/style.css dashboard.js=${bundled}/dashboard.js)
add_custom_command(
  OUTPUT ${bundled}/assets.cc
  COMMAND ${CMAKE_COMMAND} "-DASSETS=${assets}" -DPAGE=${page} "-DSERVED=${served}"
          -DFOLDER=${bundled} -DOUTPUT=${bundled}/assets.cc
          -P ${PROJECT_SOURCE_DIR}/cmake/embed_assets.cmake
  DEPENDS ${assets} ${page} ${bundled}/dashboard.js ${PROJECT_SOURCE_DIR}/cmake/embed_assets.cmake
  COMMENT "Embedding and packing the pages" VERBATIM)
# Compilers need not take literals of more than 64 KiB, but gcc and clang do.
set_source_files_properties(${bundled}/assets.cc PROPERTIES
                            COMPILE_OPTIONS -Wno-overlength-strings SKIP_PRECOMPILE_HEADERS ON)

file(GLOB UPDRAFT_WEB_SOURCES CONFIGURE_DEPENDS src/web/*.cc)
add_library(updraft_web STATIC ${UPDRAFT_WEB_SOURCES} ${bundled}/assets.cc)
target_include_directories(updraft_web PUBLIC ${PROJECT_SOURCE_DIR}/src)
find_package(OpenSSL REQUIRED)
target_link_libraries(updraft_web
  PUBLIC updraft
  PRIVATE updraft_options updraft_fast_compile fmt::fmt nlohmann_json::nlohmann_json OpenSSL::Crypto)
