#include "field_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/json.hpp"

namespace headroom::report {
namespace {

using schema::Field;
using schema::Type;
using schema::TypeSet;

// A value that is filled in when the file is loaded, or that the command line has to give.
constexpr const char* later = "\\$\\{|^\\?\\?\\?$";

void add(SchemaJson& types, const char* type) {
  if (std::find(types.begin(), types.end(), SchemaJson(type)) == types.end()) types.push_back(type);
}

bool any_text(TypeSet set) {
  return schema::has(set, Type::string) || schema::has(set, Type::dtype) ||
         schema::has(set, Type::callable) || schema::has(set, Type::version) ||
         schema::has(set, Type::enumeration) || schema::has(set, Type::config);
}

// Enums, dtypes and functions stand in saved configs as `_target_` mappings.
bool has_mapping(TypeSet set) {
  return schema::has(set, Type::dtype) || schema::has(set, Type::callable) ||
         schema::has(set, Type::enumeration) || schema::has(set, Type::config) ||
         schema::has(set, Type::dict) || schema::has(set, Type::section);
}

// Null is always there: saved configs write it for what is unset, whatever the annotation says; and numbers
// and booleans are one to Python.
SchemaJson of_types(TypeSet set, TypeSet element) {
  SchemaJson out = SchemaJson::object();
  if (set == 0 || schema::has(set, Type::any)) return out;
  SchemaJson types = SchemaJson::array();
  const bool whole = schema::has(set, Type::integer) || schema::has(set, Type::boolean);
  if (schema::has(set, Type::boolean)) add(types, "boolean");
  if (schema::has(set, Type::floating)) {
    add(types, "number");
  } else if (whole) {
    add(types, "integer");
  }
  if (schema::has(set, Type::list)) add(types, "array");
  // Sets and tuples, too, are written as `_target_` mappings.
  if (has_mapping(set) || schema::has(set, Type::list)) add(types, "object");
  add(types, "string");
  add(types, "null");
  out["type"] = types;
  if (!any_text(set)) out["pattern"] = later;
  if (schema::has(set, Type::list) && element != 0) {
    SchemaJson item = of_types(element, 0);
    if (schema::has(element, Type::integer) && item.contains("type")) add(item["type"], "boolean");
    out["items"] = std::move(item);
  }
  return out;
}

// Lists take their choices item by item.
SchemaJson of_choices(const Field& field, std::span<const std::string_view> choices) {
  SchemaJson words = SchemaJson::array();
  for (const auto choice : choices) words.push_back(choice);
  for (const auto word : field.also_accepted) words.push_back(word);
  SchemaJson other = of_types(static_cast<TypeSet>(field.type & ~static_cast<TypeSet>(Type::string) &
                                                   ~static_cast<TypeSet>(Type::enumeration)),
                              field.element);
  SchemaJson out;
  out["anyOf"] = SchemaJson::array({{{"enum", words}}});
  if (schema::has(field.type, Type::list))
    out["anyOf"].push_back({{"type", "array"}, {"items", one_of_words(words)}});
  if (schema::has(field.type, Type::enumeration)) out["anyOf"].push_back({{"type", "object"}});
  if (!other.empty() && other.contains("type")) out["anyOf"].push_back(other);
  out["anyOf"].push_back({{"type", "null"}});
  // Where upstream's annotation alone names the choices, others are no mistake.
  out["anyOf"].push_back(field.choices_checked ? SchemaJson{{"type", "string"}, {"pattern", later}}
                                               : SchemaJson{{"type", "string"}});
  return out;
}

}  // namespace

SchemaJson one_of_words(SchemaJson values) {
  SchemaJson out;
  out["anyOf"] = SchemaJson::array({{{"enum", std::move(values)}}, {{"type", "string"}, {"pattern", later}}});
  return out;
}

void annotate(SchemaJson& out, const schema::Schema& schema, schema::FieldId id, schema::Release release) {
  const Field& field = schema.field(id);
  std::string text(field.doc);
  const bool deprecated = schema::contains(field.deprecated, release);
  const std::string advice = !deprecated ? ""
                             : field.replacement.empty()
                                 ? "Deprecated"
                                 : fmt::format("Deprecated; instead: {}", field.replacement);
  if (deprecated) text += (text.empty() ? "" : ". ") + advice;
  if (!text.empty()) out["description"] = text;
  if (deprecated) {
    out["deprecated"] = true;
    out["deprecationMessage"] = advice;
  }
  const auto value = schema.default_value(id, release, std::string_view{});
  if (value && !value->is_unknown() && !value->is_opaque() && !value->is_mapping() &&
      !(value->is_null() && !field.nullable))
    out["default"] = to_json(*value);
}

SchemaJson field_schema(const schema::Schema& schema, schema::FieldId id, schema::Release release) {
  const Field& field = schema.field(id);
  SchemaJson out;
  annotate(out, schema, id, release);
  const auto choices = schema.choices(id, release);
  out.update(choices.empty() ? of_types(field.type, field.element) : of_choices(field, choices));
  return out;
}

}  // namespace headroom::report
