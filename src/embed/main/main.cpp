// headroom-embed RULES_DIR OUT_DIR: checks rules/ and writes it as C++ tables. Exit status 1 with every
// problem listed.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <tuple>

#include "headroom/embed/embed.hpp"

namespace {

using headroom::embed::Errors;

int report(Errors errors) {
  std::stable_sort(errors.begin(), errors.end(), [](const auto& a, const auto& b) {
    return std::tie(a.source, a.location.start.line) < std::tie(b.source, b.location.start.line);
  });
  for (const auto& e : errors) {
    if (e.has_location) {
      fmt::print(stderr, "{}:{}:{}: error: {}\n", e.source, e.location.start.line, e.location.start.column,
                 e.message);
    } else {
      fmt::print(stderr, "{}: error: {}\n", e.source, e.message);
    }
  }
  fmt::print(stderr, "headroom-embed: {} error{} in rules\n", errors.size(), errors.size() == 1 ? "" : "s");
  return 1;
}

/// Leaves a file that would not change alone, so that nothing is compiled again for it.
bool write_if_changed(const std::filesystem::path& path, const std::string& text) {
  {
    std::ifstream in(path, std::ios::binary);
    if (in && std::string(std::istreambuf_iterator<char>(in), {}) == text) return true;
  }
  std::ofstream out(path, std::ios::binary);
  out << text;
  out.close();
  if (!out) fmt::print(stderr, "headroom-embed: cannot write {}\n", path.string());
  return static_cast<bool>(out);
}

int run(const std::string& rules_dir, const std::filesystem::path& out_dir) {
  auto schema = headroom::embed::load_schema(rules_dir);
  if (!schema) return report(std::move(schema.error()));
  Errors errors;
  auto resolve = headroom::embed::load_resolve(rules_dir, schema->view());
  if (!resolve) errors = std::move(resolve.error());
  auto rules = headroom::rules::load_rules(rules_dir, schema->view());
  if (!rules) errors.insert(errors.end(), rules.error().begin(), rules.error().end());
  auto choices = headroom::rules::load_choices(rules_dir + "/plan", schema->view());
  if (!choices) errors.insert(errors.end(), choices.error().begin(), choices.error().end());
  auto log = headroom::embed::load_log(rules_dir);
  if (!log) errors.insert(errors.end(), log.error().begin(), log.error().end());
  auto owners = headroom::embed::load_owners(rules_dir);
  if (!owners) errors.insert(errors.end(), owners.error().begin(), owners.error().end());
  if (!errors.empty()) return report(std::move(errors));

  std::error_code ec;
  std::filesystem::create_directories(out_dir, ec);
  bool ok = write_if_changed(out_dir / "schema_data.cpp", headroom::embed::schema_source(schema->view()));
  ok = write_if_changed(out_dir / "resolve_data.cpp", headroom::embed::resolve_source(resolve->view())) && ok;
  ok = write_if_changed(out_dir / "rules_data.cpp", headroom::embed::rules_source(rules->view())) && ok;
  ok = write_if_changed(out_dir / "choices_data.cpp", headroom::embed::choices_source(choices->view())) && ok;
  ok = write_if_changed(out_dir / "log_data.cpp", headroom::embed::log_source(log->view())) && ok;
  ok = write_if_changed(out_dir / "owner_data.cpp", headroom::embed::owner_source(owners->view())) && ok;
  return ok ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    fmt::print(stderr, "usage: headroom-embed RULES_DIR OUT_DIR\n");
    return 2;
  }
  return run(argv[1], argv[2]);
}
