#include "baseline.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "headroom/report/terminal.hpp"
#include "root.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;
using source::Document;
using source::Node;
using source::NodeKind;

struct Entry {
  std::string path, key;
  unsigned count = 0;
};

class Reader {
 public:
  explicit Reader(const Document& doc) : doc_(doc) {}

  source::Result<std::vector<Entry>> read() const {
    if (doc_.root == source::no_node)
      return tl::unexpected(source::Error{shape, doc_.source->name(), {}, false});
    const Node& root = doc_.node(doc_.root);
    const auto list = doc_.find(doc_.root, "findings");
    const auto schema = doc_.find(doc_.root, "schema");
    if (list == source::no_node || doc_.node(list).kind != NodeKind::sequence) return at(root, shape);
    if (schema == source::no_node || doc_.node(schema).text != "1")
      return at(root, "not a baseline of this release: `schema` is not 1");
    std::vector<Entry> out;
    for (const auto id : doc_.node(list).items) {
      auto entry = read(id);
      if (!entry) return tl::unexpected(entry.error());
      out.push_back(std::move(*entry));
    }
    return out;
  }

 private:
  static constexpr const char* shape = "not a baseline: expected {\"schema\": 1, \"findings\": […]}";

  [[nodiscard]] tl::unexpected<source::Error> at(const Node& node, std::string message) const {
    return tl::unexpected(
        source::Error{std::move(message), doc_.source->name(), doc_.source->location(node.span), true});
  }

  [[nodiscard]] source::Result<Entry> read(source::NodeId id) const {
    const Node& node = doc_.node(id);
    const auto path = doc_.find(id, "path");
    const auto rule = doc_.find(id, "rule");
    const auto count = doc_.find(id, "count");
    if (path == source::no_node || rule == source::no_node || count == source::no_node)
      return at(node, "expected an object with `path`, `rule`, `fields` and `count`");
    const source::Value& number = doc_.node(count).value;
    if (!number.is_int() || number.as_int() < 1 || number.as_int() > 1'000'000)
      return at(doc_.node(count), "count: expected a whole number from 1 on");
    Entry out{doc_.node(path).text, doc_.node(rule).text, static_cast<unsigned>(number.as_int())};
    if (const auto fields = doc_.find(id, "fields"); fields != source::no_node) {
      for (const auto field : doc_.node(fields).items) out.key += '\n' + doc_.node(field).text;
    }
    return out;
  }

  const Document& doc_;
};

std::string rule_of(const std::string& key) {
  return key.substr(0, key.find('\n'));
}

std::string line_of(const std::string& path, const std::string& key, unsigned count) {
  nlohmann::ordered_json entry{{"path", path}, {"rule", rule_of(key)}};
  entry["fields"] = nlohmann::ordered_json::array();
  for (std::size_t at = key.find('\n'); at != std::string::npos;) {
    const std::size_t end = key.find('\n', at + 1);
    entry["fields"].push_back(key.substr(at + 1, end == std::string::npos ? end : end - at - 1));
    at = end;
  }
  entry["count"] = count;
  return entry.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

Counts counts_of(const report::FileReport& report) {
  Counts out;
  for (const auto& d : report.diagnostics) ++out[report::valid_utf8(key_of(d))];
  return out;
}

}  // namespace

tl::expected<Baseline, BaselineError> Baseline::read(const std::string& path) {
  const auto text = source::read_file(path);
  if (!text) return tl::unexpected(BaselineError{text.error(), nullptr});
  const auto doc = source::read_json(*text);
  if (!doc) return tl::unexpected(BaselineError{doc.error(), *text});
  auto entries = Reader(*doc).read();
  if (!entries) return tl::unexpected(BaselineError{entries.error(), *text});
  Baseline out(path);
  for (auto& entry : *entries) out.known_[entry.path][entry.key] += entry.count;
  return out;
}

std::string Baseline::name_of(const std::string& config) const {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path_, error).parent_path(), error);
  if (config == "-") return "<stdin>";
  const fs::path full = fs::weakly_canonical(fs::absolute(config, error), error);
  return report::valid_utf8(full.lexically_relative(folder).generic_string());
}

void Baseline::apply(report::FileReport& report) {
  const std::string name = name_of(report.path);
  const auto found = known_.find(name);
  if (found == known_.end()) return;
  const auto key = [](const rules::Diagnostic& d) { return report::valid_utf8(key_of(d)); };
  const Counts taken = take_known(report, found->second, "baseline", key, [](const auto&) { return false; });
  // Of several releases the one that needs most says what is stale.
  for (const auto& [k, n] : taken) taken_[name][k] = std::max(taken_[name][k], n);
}

void Baseline::update(const std::vector<report::FileReport>& reports,
                      const std::vector<rules::Selection>& selections) {
  std::map<std::string, Counts> fresh;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (reports[i].unreadable) continue;
    const std::string name = name_of(reports[i].path);
    std::erase_if(known_[name], [&](const auto& e) { return selections[i].wants(rule_of(e.first)); });
    for (const auto& [key, n] : counts_of(reports[i])) fresh[name][key] = std::max(fresh[name][key], n);
  }
  for (auto& [name, counts] : fresh) {
    for (const auto& [key, n] : counts) known_[name][key] = n;
  }
  std::error_code error;
  const fs::path folder = fs::absolute(path_, error).parent_path();
  std::erase_if(known_, [&](const auto& e) {
    return e.second.empty() || (e.first != "<stdin>" && !fs::exists(folder / e.first, error));
  });
}

std::size_t Baseline::stale(const std::vector<report::FileReport>& reports,
                            const std::vector<rules::Selection>& selections) const {
  std::size_t out = 0;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    const std::string name = name_of(reports[i].path);
    const auto known = known_.find(name);
    if (reports[i].unreadable || known == known_.end() || !seen.insert(name).second) continue;
    const auto taken = taken_.find(name);
    for (const auto& [key, n] : known->second) {
      if (!selections[i].wants(rule_of(key))) continue;
      const bool any = taken != taken_.end() && taken->second.contains(key);
      out += n - (any ? taken->second.at(key) : 0);
    }
  }
  return out;
}

std::size_t Baseline::size() const {
  std::size_t out = 0;
  for (const auto& [path, counts] : known_) {
    for (const auto& [key, n] : counts) out += n;
  }
  return out;
}

std::string Baseline::text() const {
  std::vector<std::string> lines;
  for (const auto& [path, counts] : known_) {
    for (const auto& [key, n] : counts) lines.push_back("    " + line_of(path, key, n));
  }
  return fmt::format("{{\n  \"schema\": 1,\n  \"findings\": [{}{}{}]\n}}\n", lines.empty() ? "" : "\n",
                     fmt::join(lines, ",\n"), lines.empty() ? "" : "\n  ");
}

}  // namespace headroom::app
