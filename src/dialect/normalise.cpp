#include "normalise.hpp"

#include <optional>

namespace headroom::dialect {

using schema::Field;
using schema::Type;
using source::Document;
using source::List;
using source::NodeId;
using source::NodeKind;
using source::Opaque;
using source::Value;

namespace {

std::optional<std::string_view> text_member(const Document& doc, NodeId map, std::string_view key) {
  NodeId id = doc.find(map, key);
  if (id == source::no_node || doc.node(id).kind != NodeKind::scalar) return std::nullopt;
  return doc.node(id).text;
}

bool is_scalar_list(const Document& doc, NodeId id) {
  if (id == source::no_node || doc.node(id).kind != NodeKind::sequence) return false;
  const auto& items = doc.node(id).items;
  return items.size() == 1 && doc.node(items.front()).kind == NodeKind::scalar;
}

std::string_view last_part(std::string_view dotted) {
  auto dot = dotted.rfind('.');
  return dot == std::string_view::npos ? dotted : dotted.substr(dot + 1);
}

/// `torch.bfloat16` and `bf16` name the same dtype; a string that names none stays as it is, so that the type
/// check can show it.
Value normalise_text(std::string_view text, const Field& field, schema::TypeSet type) {
  if (schema::has(type, Type::dtype)) {
    if (auto dtype = schema::canonical_dtype(text)) return Value(*dtype);
  }
  // `AttnBackend.flash` and `megatron.core.transformer.enums.AttnBackend.flash` are the member `flash`.
  if (!field.enum_class.empty() && text.find(field.enum_class) != std::string_view::npos &&
      text.find('.') != std::string_view::npos) {
    return Value(last_part(text));
  }
  return Value(text);
}

}  // namespace

Value object_value(const Document& doc, NodeId node) {
  if (auto name = text_member(doc, node, "_name_")) return Value(*name);
  NodeId args = doc.find(node, "_args_");
  auto target = text_member(doc, node, "_target_");
  if (!target) return Opaque{};
  auto call = text_member(doc, node, "_call_");
  if (call && (*call == "false" || *call == "False")) return Value(*target);
  // An enum written without its member name: `{_target_: …enums.X, _args_: [value]}`.
  if (is_scalar_list(doc, args) && target->find(".enums.") != std::string_view::npos) {
    return doc.node(doc.node(args).items.front()).value;
  }
  if (text_member(doc, node, "_partial_")) return Value(*target);
  return Opaque{};
}

Value node_value(const Document& doc, NodeId id) {
  const source::Node& node = doc.node(id);
  switch (node.kind) {
    case NodeKind::scalar:
      return node.value;
    case NodeKind::mapping:
      return object_value(doc, id);
    case NodeKind::sequence: {
      if (node.value.is_list()) return node.value;
      List items;
      items.reserve(node.items.size());
      for (NodeId item : node.items) items.push_back(node_value(doc, item));
      return Value(std::move(items));
    }
  }
  return Opaque{};
}

Value normalise(Value value, const Field& field) {
  if (value.is_string()) return normalise_text(value.as_string(), field, field.type);
  if (value.is_list() && (schema::has(field.element, Type::dtype) || !field.enum_class.empty())) {
    List items;
    items.reserve(value.as_list().size());
    for (const Value& item : value.as_list()) {
      items.push_back(item.is_string() ? normalise_text(item.as_string(), field, field.element) : item);
    }
    return Value(std::move(items));
  }
  return value;
}

}  // namespace headroom::dialect
