# Writes OUTPUT, a C++ file with web_asset() that has the bytes of the files ASSETS, under their names.
set(table "")
foreach(file IN LISTS ASSETS)
  cmake_path(GET file FILENAME name)
  file(READ ${file} text)
  string(FIND "${text}" ")updraftasset\"" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} has the end of the literal that it is put into: )updraftasset\"")
  endif()
  string(APPEND table "    {\"${name}\", R\"updraftasset(${text})updraftasset\"sv},\n")
endforeach()

file(WRITE ${OUTPUT} "#include \"web/assets.h\"

#include \"updraft/error.h\"

namespace updraft {
namespace {

// sv knows the length; counting so many characters is more than clang does at compile time.
using namespace std::string_view_literals;

struct Asset {
  std::string_view name;
  std::string_view bytes;
};

constexpr Asset kAssets[] = {
${table}};

}  // namespace

std::string_view web_asset(std::string_view name) {
  std::vector<std::string> valid;
  for (const Asset& asset : kAssets) {
    if (asset.name == name) return asset.bytes;
    valid.emplace_back(asset.name);
  }
  throw unknown_name(\"asset\", name, valid);
}

}  // namespace updraft
")
