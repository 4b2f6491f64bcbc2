#include <algorithm>
#include <filesystem>
#include <string>

#include "headroom/rules/pack.hpp"
#include "rule_reader.hpp"

namespace headroom::rules {
namespace {

namespace fs = std::filesystem;

// A directory given by mistake (`--rules /`) should end in a message, not in hours.
constexpr std::size_t max_files = 20000;

source::Error no_place(std::string message, const std::string& dir) {
  return {std::move(message), dir, {}, false};
}

/// Rule files below `dir` as paths relative to it, sorted.
std::vector<std::string> rule_files(const std::string& dir, std::vector<source::Error>& errors) {
  std::vector<std::string> files;
  std::error_code ec;
  if (!fs::is_directory(dir, ec)) {
    errors.push_back(no_place(ec ? ec.message() : "is no directory", dir));
    return files;
  }
  std::size_t seen = 0;
  for (auto it = fs::recursive_directory_iterator(dir, ec); !ec && it != fs::end(it); it.increment(ec)) {
    if (++seen > max_files) {
      errors.push_back(no_place("holds more than 20000 files: is this a directory of rules?", dir));
      return {};
    }
    const auto& path = it->path();
    if (path.extension() != ".md" || path.filename() == "README.md" || !it->is_regular_file(ec)) continue;
    files.push_back(path.lexically_relative(dir).generic_string());
  }
  if (ec) errors.push_back(no_place(ec.message(), dir));
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace

LoadedPack::LoadedPack() : storage(std::make_unique<Storage>()) {}
LoadedPack::~LoadedPack() = default;
LoadedPack::LoadedPack(LoadedPack&&) noexcept = default;
LoadedPack& LoadedPack::operator=(LoadedPack&&) noexcept = default;
const RulePack& LoadedPack::view() const {
  return storage->view;
}

tl::expected<LoadedPack, std::vector<source::Error>> load_rules(const std::string& dir,
                                                                const schema::Schema& schema) {
  std::vector<source::Error> errors;
  LoadedPack pack;
  RuleReader reader(*pack.storage, schema, errors);
  std::string base = dir;
  while (base.size() > 1 && base.back() == '/') base.pop_back();
  for (const auto& file : rule_files(base, errors)) {
    const auto text = source::read_file(base + "/" + file);
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    reader.read(*text, file.substr(0, file.size() - 3));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  auto& rules = pack.storage->rules;
  std::sort(rules.begin(), rules.end(), [](const Rule& a, const Rule& b) { return a.id < b.id; });
  pack.storage->view = {pack.storage->pool.pool(), rules};
  return pack;
}

}  // namespace headroom::rules
