#include "pages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <sstream>

#include "headroom/schema/schema.hpp"
#include "headroom/source/document.hpp"

namespace headroom::docs {
namespace {

const std::string root = HEADROOM_SOURCE_DIR;

std::string read(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_reasons(const std::string& path, std::map<std::string, std::string, std::less<>>& out) {
  INFO(path);
  const auto text = source::read_file(path);
  REQUIRE(text.has_value());
  const auto document = source::read_yaml(*text, source::Loader::py_yaml);
  if (!document) FAIL_CHECK(document.error().location.start.line << ": " << document.error().message);
  if (!document || document->root == source::no_node) return;
  CHECK(document->remarks.empty());
  const source::Node& map = document->node(document->root);
  REQUIRE(map.kind == source::NodeKind::mapping);
  for (const auto& member : map.members) {
    const std::string& id = document->node(member.key).text;
    const source::Node& reason = document->node(member.value);
    INFO(id);
    CHECK(reason.kind == source::NodeKind::scalar);
    CHECK_FALSE(reason.text.empty());
    CHECK(out.emplace(id, reason.text).second);
  }
}

}  // namespace

const rules::RulePack& rules_on_disk() {
  static const auto pack = rules::load_rules(root + "/rules", schema::embedded_schema());
  if (!pack)
    for (const auto& e : pack.error())
      UNSCOPED_INFO(e.source << ":" << e.location.start.line << ": " << e.message);
  REQUIRE(pack.has_value());
  return pack->view();
}

std::vector<Row> read_table(const std::string& name) {
  std::ifstream in(root + "/tests/data/" + name);
  std::vector<Row> rows;
  std::string line, text;
  std::getline(in, line);
  const auto columns = static_cast<std::size_t>(std::count(line.begin(), line.end(), '\t')) + 1;
  while (std::getline(in, line)) {
    Row row;
    for (std::istringstream cells(line); std::getline(cells, text, '\t');) row.push_back(text);
    INFO(name << ": " << line);
    REQUIRE(row.size() == columns);
    rows.push_back(std::move(row));
  }
  REQUIRE_FALSE(rows.empty());
  return rows;
}

std::map<std::string, std::string, std::less<>> read_reasons() {
  std::vector<std::string> paths;
  for (const auto& area : std::filesystem::directory_iterator(root + "/rules")) {
    const auto path = area.path() / "not-rules.yaml";
    if (std::filesystem::exists(path)) paths.push_back(path.string());
  }
  std::sort(paths.begin(), paths.end());
  std::map<std::string, std::string, std::less<>> out;
  for (const auto& path : paths) add_reasons(path, out);
  return out;
}

std::string releases_text(schema::ReleaseSet set) {
  std::vector<std::string_view> names;
  int first = -1, last = -1;
  for (int i = 0; i < schema::release_count; ++i) {
    const auto release = static_cast<schema::Release>(i);
    if (!schema::contains(set, release)) continue;
    if (first < 0) first = i;
    last = i;
    names.push_back(schema::name(release));
  }
  const auto count = static_cast<int>(names.size());
  if (count == schema::release_count) return "all";
  if (count == 1) return std::string(names.front());
  if (count != last - first + 1) return fmt::format("{}", fmt::join(names, " "));
  if (last == schema::release_count - 1) return fmt::format(">={}", names.front());
  if (first == 0) return fmt::format("<={}", names.back());
  return fmt::format("{}-{}", names.front(), names.back());
}

std::string cell(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool tag =
        c == '<' && i + 1 < text.size() && std::isalpha(static_cast<unsigned char>(text[i + 1])) != 0;
    if (c == '|' || tag) out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out.substr(0, out.find_last_not_of(' ') + 1);
}

std::string link(const rules::Rule& rule) {
  return fmt::format("[{0}](../rules/{0}.md)", rule.id);
}

void check_page(const std::string& name, const std::string& now) {
  const std::string path = root + "/docs/" + name;
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << now;
  // Not CHECK(now == …): a page of a thousand lines tells nobody what differs.
  const bool same = now == read(path);
  INFO(path << " is not what the rules say now: run this test with HEADROOM_UPDATE_GOLDENS=1");
  CHECK(same);
}

}  // namespace headroom::docs
