#include "table_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

namespace headroom::embed {

using source::Node;
using source::NodeId;
using source::NodeKind;

std::string_view Arena::keep(std::string_view text) {
  if (text.empty()) return {};
  strings_.push_back(std::make_unique<std::string>(text));
  return *strings_.back();
}

std::optional<TableReader> TableReader::open(const std::string& path, std::vector<source::Error>& errors) {
  auto text = source::read_file(path);
  if (!text) {
    errors.push_back(text.error());
    return std::nullopt;
  }
  auto doc = source::read_yaml(*text, source::Loader::py_yaml);
  if (!doc) {
    errors.push_back(doc.error());
    return std::nullopt;
  }
  return TableReader(std::move(*doc), errors);
}

source::Position TableReader::position(NodeId id) const {
  return doc_.source->position(node(id).span.begin);
}

void TableReader::fail(NodeId at, std::string message) const {
  fail_at(at == source::no_node ? source::Span{} : node(at).span, std::move(message));
}

void TableReader::fail_at(source::Span span, std::string message) const {
  errors_.push_back({std::move(message), file(), doc_.source->location(span), true});
}

void TableReader::each(NodeId map, const std::function<void(std::string_view, NodeId, NodeId)>& visit) const {
  if (map == source::no_node) return;
  if (node(map).kind != NodeKind::mapping) return fail(map, "expected a mapping");
  const auto& members = node(map).members;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const std::string& key = node(members[i].key).text;
    bool twice = std::any_of(members.begin(), members.begin() + static_cast<std::ptrdiff_t>(i),
                             [&](const source::Member& m) { return node(m.key).text == key; });
    if (twice) fail(members[i].key, fmt::format("'{}' is given twice", key));
    visit(key, members[i].key, members[i].value);
  }
}

void TableReader::each_item(NodeId list, const std::function<void(NodeId)>& visit) const {
  if (list == source::no_node) return;
  if (node(list).kind != NodeKind::sequence) return fail(list, "expected a list");
  for (NodeId item : node(list).items) visit(item);
}

void TableReader::only(NodeId map, std::initializer_list<std::string_view> known) const {
  if (node(map).kind != NodeKind::mapping) return;
  for (const auto& m : node(map).members) {
    const std::string& key = node(m.key).text;
    if (std::find(known.begin(), known.end(), key) == known.end())
      fail(m.key, fmt::format("unknown key '{}' (known: {})", key, fmt::join(known, ", ")));
  }
}

NodeId TableReader::get(NodeId map, std::string_view key) const {
  return map == source::no_node ? source::no_node : doc_.find(map, key);
}

std::string TableReader::text(NodeId id) const {
  if (node(id).kind != NodeKind::scalar) {
    fail(id, "expected one value");
    return {};
  }
  return node(id).text;
}

std::string TableReader::text(NodeId map, std::string_view key) const {
  NodeId id = get(map, key);
  if (id == source::no_node || node(id).value.is_null()) return {};
  return text(id);
}

bool TableReader::boolean(NodeId map, std::string_view key, bool otherwise) const {
  NodeId id = get(map, key);
  if (id == source::no_node) return otherwise;
  if (!node(id).value.is_bool()) {
    fail(id, fmt::format("'{}' must be true or false", key));
    return otherwise;
  }
  return node(id).value.as_bool();
}

std::optional<double> TableReader::number(NodeId map, std::string_view key) const {
  NodeId id = get(map, key);
  if (id == source::no_node) return std::nullopt;
  if (!node(id).value.is_number()) {
    fail(id, fmt::format("'{}' must be a number", key));
    return std::nullopt;
  }
  return node(id).value.as_double();
}

std::optional<std::int64_t> TableReader::integer(NodeId map, std::string_view key) const {
  NodeId id = get(map, key);
  if (id == source::no_node) return std::nullopt;
  if (!node(id).value.is_int()) {
    fail(id, fmt::format("'{}' must be a whole number", key));
    return std::nullopt;
  }
  return node(id).value.as_int();
}

std::vector<std::string> TableReader::texts(NodeId map, std::string_view key) const {
  NodeId id = get(map, key);
  std::vector<std::string> out;
  if (id == source::no_node) return out;
  if (node(id).kind == NodeKind::sequence) {
    for (NodeId item : node(id).items) out.push_back(text(item));
  } else {
    out.push_back(text(id));
  }
  return out;
}

schema::ReleaseSet TableReader::range(NodeId at, std::string_view text) const {
  auto set = schema::parse_release_range(text);
  if (!set) {
    fail(at, fmt::format("'{}' is no range of releases (for example '>=0.4.2 <0.6.0')", text));
    return schema::all_releases;
  }
  if (*set == 0) fail(at, fmt::format("no known release is in '{}'", text));
  return *set;
}

schema::ReleaseSet TableReader::releases(NodeId map, std::string_view key) const {
  NodeId id = get(map, key);
  return id == source::no_node ? schema::all_releases : range(id, text(id));
}

std::vector<ReleaseValue> TableReader::by_release(NodeId id) const {
  const Node& n = node(id);
  if (n.kind != NodeKind::mapping || n.members.empty()) return {{schema::all_releases, id}};
  std::vector<ReleaseValue> out;
  schema::ReleaseSet seen = 0;
  for (const auto& m : n.members) {
    auto set = range(m.key, node(m.key).text);
    if ((set & seen) != 0) fail(m.key, "this range overlaps one before it");
    seen = static_cast<schema::ReleaseSet>(seen | set);
    out.push_back({set, m.value});
  }
  return out;
}

std::vector<std::string> files_in(const std::string& dir, std::string_view suffix) {
  std::vector<std::string> out;
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator(dir, ec)) {
    std::string path = entry.path().string();
    if (path.ends_with(suffix)) out.push_back(std::move(path));
  }
  std::sort(out.begin(), out.end());
  return out;
}

std::string stem(const std::string& path) {
  return std::filesystem::path(path).stem().string();
}

}  // namespace headroom::embed
