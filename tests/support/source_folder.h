#pragma once

#include <filesystem>

namespace updraft::testing {

/// The root of the project. Only source_folder.cc is compiled with its path, so that the objects of
/// all other tests are the same in every clone.
std::filesystem::path source_folder();

}  // namespace updraft::testing
