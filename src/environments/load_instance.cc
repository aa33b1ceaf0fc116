#include <string>
#include <vector>

#include "core/files.h"
#include "core/input_file.h"
#include "updraft/error.h"
#include "updraft/instance.h"

namespace updraft {
namespace {

constexpr InputKind kInstanceFile = {
    .field = "instance",
    .file = "a file",
    .most_bytes = std::size_t{1} << 30,
    .too_large = "is too large; an instance file has at most 1 GiB",
};

}  // namespace

std::shared_ptr<const Instance> load_instance(const std::string& name_or_path) {
  std::vector<std::string> names;
  for (const ShippedInstance& shipped : shipped_instances()) {
    if (shipped.name == name_or_path) return std::make_shared<const Instance>(shipped.make());
    names.emplace_back(shipped.name);
  }
  const std::string text = read_input_file(name_or_path, kInstanceFile, names);
  try {
    return std::make_shared<const Instance>(parse_instance(text));
  } catch (const InvalidInput& refused) {
    throw InvalidInput(name_or_path + ": " + refused.field(), refused.value(), refused.rule());
  }
}

void save_instance(const InstanceDefinition& definition, const std::string& path) {
  std::string text = format_instance(definition);
  if (!text.ends_with('\n')) text += '\n';
  replace_file(path, text);
}

}  // namespace updraft
