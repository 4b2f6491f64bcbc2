#include "headroom/lang/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace headroom::lang {
namespace {

using schema::has;
using schema::Type;

bool kind_fits(schema::TypeSet type, const source::Value& v) {
  if (has(type, Type::any)) return true;
  if (v.is_opaque() || v.is_mapping())
    return has(type, Type::config) || has(type, Type::dict) || has(type, Type::section);
  if (v.is_list()) return has(type, Type::list);
  if (v.is_bool()) return has(type, Type::boolean);
  if (v.is_int()) return has(type, Type::integer) || has(type, Type::floating);
  // `rotary_base: 1e6`: Python's annotations do not tell 1e6 from 1000000, and neither does the arithmetic.
  if (v.is_double())
    return has(type, Type::floating) ||
           (has(type, Type::integer) && v.as_double() == std::floor(v.as_double()));
  return has(type, Type::string) || has(type, Type::enumeration) || has(type, Type::dtype) ||
         has(type, Type::callable) || has(type, Type::version) || has(type, Type::section) ||
         has(type, Type::config);
}

std::string type_text(schema::TypeSet type) {
  static constexpr std::pair<Type, std::string_view> names[] = {
      {Type::boolean, "a boolean"},   {Type::integer, "an integer"}, {Type::floating, "a number"},
      {Type::string, "a string"},     {Type::enumeration, "a name"}, {Type::dtype, "a dtype"},
      {Type::callable, "a function"}, {Type::config, "a mapping"},   {Type::dict, "a mapping"},
      {Type::list, "a list"},         {Type::version, "a version"},  {Type::section, "a section"}};
  std::string out;
  for (const auto& [t, text] : names)
    if (has(type, t) && out.find(text) == std::string::npos)
      out += (out.empty() ? "" : " or ") + std::string(text);
  return out.empty() ? "null" : out;
}

std::string join(const std::vector<std::string_view>& words) {
  std::string out;
  for (const auto w : words) out += (out.empty() ? "" : ", ") + std::string(w);
  return out;
}

std::optional<std::string> check_text(const schema::Field& field, schema::TypeSet type,
                                      std::string_view text) {
  if (has(type, Type::any)) return std::nullopt;
  const auto choices = all_choices(field);
  if (!choices.empty()) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return std::nullopt;
    if (has(type, Type::dtype) && schema::canonical_dtype(text)) return std::nullopt;
    const auto& also = field.also_accepted;
    if (std::find(also.begin(), also.end(), text) != also.end()) return std::nullopt;
    const auto hint = did_you_mean(text, choices);
    return fmt::format("'{}' is no choice of {}{}", text, field.name,
                       hint.empty() ? " (choices: " + join(choices) + ")" : hint);
  }
  const bool only_dtype = has(type, Type::dtype) && !has(type, Type::string) && !has(type, Type::enumeration);
  if (only_dtype && !schema::canonical_dtype(text))
    return fmt::format("'{}' is no dtype ({})", text, field.name);
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> all_choices(const schema::Field& field) {
  std::vector<std::string_view> all;
  for (const auto& c : field.choices)
    for (const auto v : c.values)
      if (std::find(all.begin(), all.end(), v) == all.end()) all.push_back(v);
  return all;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& known) {
  const std::string_view best = schema::nearest(word, known);
  return best.empty() ? std::string() : fmt::format("; did you mean '{}'?", best);
}

std::optional<std::string> check_value(const schema::Schema& schema, schema::FieldId id,
                                       const source::Value& value) {
  const auto& field = schema.field(id);
  if (value.is_null() || value.is_unknown()) return std::nullopt;
  if (!kind_fits(field.type, value))
    return fmt::format("{} takes {}, not {}", field.name, type_text(field.type), value.to_text());
  if (value.is_string()) return check_text(field, field.type, value.as_string());
  if (!value.is_list() || field.element == 0) return std::nullopt;
  for (const auto& element : value.as_list()) {
    if (element.is_null()) continue;
    if (!kind_fits(field.element, element))
      return fmt::format("{} lists {}, not {}", field.name, type_text(field.element), element.to_text());
    if (!element.is_string()) continue;
    if (auto fault = check_text(field, field.element, element.as_string())) return fault;
  }
  return std::nullopt;
}

}  // namespace headroom::lang
