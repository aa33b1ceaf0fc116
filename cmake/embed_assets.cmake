# Writes OUTPUT, a C++ file with the bytes of the files ASSETS. Those of SERVED have a digest of what
# they hold in the path that they are served under; PAGE, which is served as /, names them by it
# (NAME=FILE: what it calls them), and is too short to be packed. They are packed, in FOLDER.
set(table "")

# Adds a file whose bytes are `text`; `path` is empty if it is not served.
function(add_asset name text path)
  string(FIND "${text}" ")updraftasset\"" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${name} has the end of the literal that it is put into: )updraftasset\"")
  endif()
  set(packed "")
  if(path MATCHES "^/assets/")
    file(WRITE ${FOLDER}/${name}.plain "${text}")
    file(ARCHIVE_CREATE OUTPUT ${FOLDER}/${name}.gz PATHS ${FOLDER}/${name}.plain
         FORMAT raw COMPRESSION GZip COMPRESSION_LEVEL 9)
    file(READ ${FOLDER}/${name}.gz packed HEX)
    # Bytes 4 to 7 are the time: the same pages give the same program.
    string(SUBSTRING ${packed} 0 8 begin)
    string(SUBSTRING ${packed} 16 -1 rest)
    string(REGEX REPLACE "(..)" "\\\\x\\1" packed "${begin}00000000${rest}")
  endif()
  string(APPEND table
         "    {\"${name}\", R\"updraftasset(${text})updraftasset\"sv,\n     \"${path}\", \"${packed}\"sv},\n")
  set(table "${table}" PARENT_SCOPE)
endfunction()

foreach(file IN LISTS ASSETS)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  add_asset(${name} "${text}" "")
endforeach()

file(READ ${PAGE} page)
foreach(served IN LISTS SERVED)
  string(REGEX MATCH "^([^=]*)=(.*)$" served "${served}")
  set(called ${CMAKE_MATCH_1})
  set(file ${CMAKE_MATCH_2})
  file(READ ${file} text)
  file(SHA256 ${file} digest)
  string(SUBSTRING ${digest} 0 16 digest)
  cmake_path(GET called STEM stem)
  cmake_path(GET called EXTENSION extension)
  set(path assets/${stem}-${digest}${extension})
  string(FIND "${page}" "\"${called}\"" place)
  if(place EQUAL -1)
    message(FATAL_ERROR "${PAGE} does not name \"${called}\"")
  endif()
  string(REPLACE "\"${called}\"" "\"${path}\"" page "${page}")
  add_asset(${called} "${text}" "/${path}")
endforeach()
cmake_path(GET PAGE FILENAME name)
add_asset(${name} "${page}" "/")

file(WRITE ${OUTPUT} "#include \"web/assets.h\"

#include \"updraft/error.h\"

namespace updraft {
namespace {

// sv knows the length; counting so many characters is more than clang does at compile time.
using namespace std::string_view_literals;

constexpr WebAsset kAssets[] = {
${table}};

}  // namespace

std::span<const WebAsset> web_assets() { return kAssets; }

std::string_view web_asset(std::string_view name) {
  std::vector<std::string> valid;
  for (const WebAsset& asset : kAssets) {
    if (asset.name == name) return asset.bytes;
    valid.emplace_back(asset.name);
  }
  throw unknown_name(\"asset\", name, valid);
}

}  // namespace updraft
")
