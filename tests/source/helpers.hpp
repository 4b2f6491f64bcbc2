#pragma once
#include <catch2/catch.hpp>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"

namespace headroom::source::test {

inline std::shared_ptr<const SourceText> text_of(std::string text, std::string name = "test.yaml") {
  return std::make_shared<const SourceText>(std::move(name), std::move(text));
}

inline Result<Document> read(std::string text, Loader loader = Loader::py_yaml, const Limits& limits = {}) {
  auto source = text_of(std::move(text), loader == Loader::json ? "test.json" : "test.yaml");
  return loader == Loader::json ? read_json(std::move(source), limits)
                                : read_yaml(std::move(source), loader, limits);
}

inline std::string describe(const Error& e) {
  if (!e.has_location) return e.message;
  return std::to_string(e.location.start.line) + ":" + std::to_string(e.location.start.column) + " " +
         e.message;
}

/// A document that must be readable.
inline Document must_read(std::string text, Loader loader = Loader::py_yaml) {
  INFO(text);
  auto doc = read(std::move(text), loader);
  if (!doc) FAIL(describe(doc.error()));
  return std::move(*doc);
}

/// Node at a path of keys, `a.b`; list items by number.
inline NodeId at(const Document& doc, std::string_view path) {
  NodeId id = doc.root;
  while (!path.empty() && id != no_node) {
    const std::size_t dot = std::min(path.find('.'), path.size());
    const std::string key(path.substr(0, dot));
    path.remove_prefix(std::min(path.size(), dot + 1));
    const Node& node = doc.node(id);
    if (node.kind == NodeKind::sequence) {
      const std::size_t index = std::stoul(key);
      id = index < node.items.size() ? node.items[index] : no_node;
    } else {
      id = doc.find(id, key);
    }
  }
  return id;
}

/// "int 3", "string 'x'", … : the type matters as much as the value.
inline std::string typed(const Value& v) {
  const char* kind = v.is_null()      ? "null"
                     : v.is_bool()    ? "bool"
                     : v.is_int()     ? "int"
                     : v.is_double()  ? "float"
                     : v.is_string()  ? "string"
                     : v.is_list()    ? "list"
                     : v.is_unknown() ? "unknown"
                                      : "opaque";
  if (v.is_null() || v.is_unknown() || v.is_opaque()) return kind;
  return std::string(kind) + " " + (v.is_string() ? std::string(v.as_string()) : v.to_text());
}

inline std::string value_at(const Document& doc, std::string_view path) {
  const NodeId id = at(doc, path);
  return id == no_node ? "absent" : typed(doc.node(id).value);
}

inline std::string slice_at(const Document& doc, std::string_view path) {
  return std::string(doc.source->slice(doc.node(at(doc, path)).span));
}

}  // namespace headroom::source::test
