#include "describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace headroom::lsp {
namespace {

using schema::Field;
using schema::Type;

constexpr std::array<std::pair<Type, std::string_view>, 11> names{{{Type::boolean, "boolean"},
                                                                   {Type::integer, "integer"},
                                                                   {Type::floating, "number"},
                                                                   {Type::string, "string"},
                                                                   {Type::enumeration, "one of its choices"},
                                                                   {Type::dtype, "dtype"},
                                                                   {Type::callable, "function"},
                                                                   {Type::config, "config object"},
                                                                   {Type::dict, "mapping"},
                                                                   {Type::version, "version"},
                                                                   {Type::any, "anything"}}};

void add_names(std::vector<std::string>& out, schema::TypeSet set) {
  for (const auto& [type, name] : names) {
    if (schema::has(set, type)) out.emplace_back(name);
  }
}

}  // namespace

std::string type_words(const Field& field) {
  std::vector<std::string> words;
  add_names(words, field.type);
  if (schema::has(field.type, Type::list)) {
    std::vector<std::string> element;
    add_names(element, field.element);
    words.push_back(element.empty() ? "list" : fmt::format("list of {}", fmt::join(element, " or ")));
  }
  if (field.nullable) words.emplace_back("null");
  return fmt::format("{}", fmt::join(words, " or "));
}

std::vector<std::string> describe(const schema::Schema& schema, schema::FieldId id, schema::Release release,
                                  std::string_view cls) {
  const Field& field = schema.field(id);
  std::vector<std::string> out;
  if (!field.doc.empty()) out.emplace_back(field.doc);
  std::string facts = type_words(field);
  if (const auto value = schema.default_value(id, release, cls)) {
    facts += value->is_unknown() ? ", by default computed at run time"
                                 : fmt::format(", default `{}`", value->to_text());
  }
  if (!facts.empty()) out.push_back(std::move(facts));
  if (const auto choices = schema.choices(id, release); !choices.empty())
    out.push_back(fmt::format("Choices: `{}`", fmt::join(choices, "`, `")));
  if (!schema::contains(field.releases, release))
    out.push_back(fmt::format("Not in release {}", schema::name(release)));
  if (schema::contains(field.deprecated, release)) {
    out.push_back(field.replacement.empty() ? std::string("Deprecated")
                                            : fmt::format("Deprecated; instead: {}", field.replacement));
  }
  return out;
}

std::string without_marks(std::string text) {
  std::erase_if(text, [](char c) { return c == '`' || c == '*'; });
  return text;
}

}  // namespace headroom::lsp
