// Reads a text with every loader, then edits it at a path that exists and reads the result again.
// The first two bytes choose the path and the new value.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "../../src/source/plain_yaml.hpp"
#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"

namespace {

using namespace headroom::source;
using Path = std::vector<std::string>;

void require(bool condition) {
  if (!condition) std::abort();
}

/// Spans lie in the text and children inside their parents; every id exists.
void check_tree(const Document& doc, NodeId id, unsigned depth) {
  require(id < doc.nodes.size() && depth < 200);
  const Node& node = doc.node(id);
  require(node.span.begin <= node.span.end && node.span.end <= doc.source->text().size());
  (void)doc.source->location(node.span);
  (void)node.value.to_text();
  for (const NodeId item : node.items) check_tree(doc, item, depth + 1);
  for (const Member& member : node.members) {
    check_tree(doc, member.key, depth + 1);
    check_tree(doc, member.value, depth + 1);
  }
}

void collect_paths(const Document& doc, NodeId id, const Path& prefix, std::vector<Path>& out) {
  if (out.size() > 64 || doc.node(id).kind != NodeKind::mapping) return;
  for (const Member& member : doc.node(id).members) {
    if (doc.node(member.key).kind != NodeKind::scalar) continue;
    Path path = prefix;
    path.push_back(doc.node(member.key).text);
    out.push_back(path);
    collect_paths(doc, member.value, path, out);
  }
}

Result<Document> read(const std::string& text, Loader loader) {
  auto source = std::make_shared<const SourceText>("fuzz", text);
  return loader == Loader::json ? read_json(std::move(source)) : read_yaml(std::move(source), loader);
}

/// The reader without yaml-cpp has no say of its own: it gives what yaml-cpp's events give, or leaves the
/// text.
void compare_parsers(const std::string& text, Loader loader) {
  const auto parse = [&](YamlParser parser) {
    return read_yaml_with(parser, std::make_shared<const SourceText>("fuzz", text), loader, {});
  };
  const auto fast = parse(YamlParser::fastest);
  const auto full = parse(YamlParser::library);
  require(fast.has_value() == full.has_value());
  if (!fast) {
    require(fast.error().message == full.error().message && fast.error().location == full.error().location);
    return;
  }
  require(fast->nodes.size() == full->nodes.size() && fast->root == full->root);
  require(fast->remarks.size() == full->remarks.size());
  for (std::size_t i = 0; i < fast->nodes.size(); ++i) {
    const Node& a = fast->nodes[i];
    const Node& b = full->nodes[i];
    require(a.kind == b.kind && a.span == b.span && a.style == b.style && a.flow == b.flow &&
            a.text == b.text);
    require(a.items == b.items && a.members.size() == b.members.size());
    require(a.value.to_text() == b.value.to_text());
  }
}

void edit(const Document& doc, std::uint8_t choice, std::uint8_t kind) {
  std::vector<Path> paths;
  if (doc.root != no_node) collect_paths(doc, doc.root, {}, paths);
  Path path = paths.empty() ? Path{} : paths[choice % paths.size()];
  if (kind & 0x40U) path.emplace_back("new key");
  if (kind & 0x20U) path.emplace_back("below");
  const Value values[] = {Value(),
                          true,
                          5,
                          0.5,
                          "text",
                          "yes",
                          "a: b #c",
                          "two\nlines",
                          List{1, "x"},
                          1e-5,
                          Mapping{{"a", 1}, {"b", "c"}},
                          Mapping{}};
  if (kind & 0x80U) {
    const auto edits = remove_key(doc, path);
    if (edits) require(read(apply_edits(*doc.source, *edits), doc.loader).has_value());
    return;
  }
  const auto edits = set_value(doc, path, values[(kind & 0x1FU) % std::size(values)]);
  if (edits) require(read(apply_edits(*doc.source, *edits), doc.loader).has_value());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 2) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 2, size - 2);
  (void)detect_loader(SourceText("fuzz", text));
  compare_parsers(text, data[0] % 2 == 0 ? Loader::py_yaml : Loader::omega_conf);
  for (const Loader loader : {Loader::py_yaml, Loader::omega_conf, Loader::json}) {
    const auto doc = read(text, loader);
    if (!doc) {
      require(!doc.error().message.empty());
      continue;
    }
    if (doc->root != no_node) check_tree(*doc, doc->root, 0);
    edit(*doc, data[0], data[1]);
  }
  return 0;
}
