#include "checks.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::dialect {

using schema::Field;
using schema::Release;
using schema::Schema;
using schema::Type;
using source::Value;

namespace {

std::string releases_sentence(const Field& field, Release r) {
  for (int i = 0; i < schema::release_count; ++i) {
    auto release = static_cast<Release>(i);
    if (!schema::contains(field.releases, release)) continue;
    if (release > r) return fmt::format("exists since {}", schema::name(release));
    break;
  }
  for (int i = 0; i < schema::release_count; ++i) {
    auto release = static_cast<Release>(i);
    if (release > r) break;
    if (i > 0 && !schema::contains(field.releases, release) &&
        schema::contains(field.releases, static_cast<Release>(i - 1))) {
      return fmt::format("was removed in {}", schema::name(release));
    }
  }
  return fmt::format("does not exist in {}", schema::name(r));
}

bool kind_fits(const Value& v, schema::TypeSet type) {
  auto has = [&](Type t) { return schema::has(type, t); };
  if (type == 0 || has(Type::any) || v.is_null() || v.is_unknown() || v.is_opaque()) return true;
  if (v.is_bool()) return has(Type::boolean) || has(Type::string);
  if (v.is_int())
    return has(Type::integer) || has(Type::floating) || has(Type::boolean) || has(Type::string) ||
           has(Type::enumeration);
  if (v.is_double()) {
    bool whole = v.as_double() == static_cast<double>(static_cast<std::int64_t>(v.as_double()));
    return has(Type::floating) || has(Type::string) || (whole && has(Type::integer));
  }
  if (v.is_string()) {
    return has(Type::string) || has(Type::enumeration) || has(Type::dtype) || has(Type::callable) ||
           has(Type::config) || has(Type::section) || has(Type::dict);
  }
  return has(Type::list) || has(Type::dict) || has(Type::string);
}

/// The number a human meant by a string such as `3e-4` that PyYAML hands over as text.
std::optional<Value> number_in(std::string_view text) {
  Value v = source::resolve_scalar(text, source::Loader::omega_conf);
  return v.is_number() ? std::optional(v) : std::nullopt;
}

std::string type_words(schema::TypeSet type) {
  std::string out;
  auto add = [&](Type t, std::string_view word) {
    if (schema::has(type, t)) out += fmt::format("{}{}", out.empty() ? "" : " or ", word);
  };
  add(Type::boolean, "true/false");
  add(Type::integer, "an integer");
  add(Type::floating, "a number");
  add(Type::enumeration, "one of its choices");
  add(Type::dtype, "a dtype");
  add(Type::string, "a string");
  add(Type::list, "a list");
  add(Type::callable, "a function");
  if (schema::has(type, Type::config) || schema::has(type, Type::dict))
    out += out.empty() ? "a mapping" : " or a mapping";
  return out;
}

void check_type(Settings& settings, const Setting& s, const Field& field) {
  if (kind_fits(s.value, field.type)) return;
  std::string name(field.name);
  if (s.value.is_string()) {
    if (auto number = number_in(s.value.as_string()); number && kind_fits(*number, field.type)) {
      settings.problems.push_back(
          {"schema-check/number-is-string",
           name,
           fmt::format(
               "{} reaches the framework as the string '{}', not as a number: its YAML loader wants a dot in "
               "a float's mantissa",
               field.name, s.value.as_string()),
           s.place,
           {{name, *number}},
           {}});
      return;
    }
  }
  settings.problems.push_back(
      {"schema-check/wrong-type",
       name,
       fmt::format("{} takes {}, not {}", field.name, type_words(field.type), s.value.to_text()),
       s.place,
       {},
       {name}});
}

/// `value` with the choice that `wrong`, it or one of its elements, is a misspelling of.
std::optional<Value> corrected(const Value& value, const Value& wrong,
                               std::span<const std::string_view> choices) {
  const std::string_view meant = schema::nearest(wrong.as_string(), choices);
  if (meant.empty()) return std::nullopt;
  if (!value.is_list()) return Value(meant);
  source::List list = value.as_list();
  std::ranges::replace(list, wrong, Value(meant));
  return Value(std::move(list));
}

void check_choices(Settings& settings, const Setting& s, const Field& field, const Schema& schema,
                   Release r) {
  auto choices = schema.choices(s.field, r);
  if (choices.empty()) return;
  auto bad = [&](const Value& v) {
    return v.is_string() && std::ranges::find(choices, v.as_string()) == choices.end() &&
           std::ranges::find(field.also_accepted, v.as_string()) == field.also_accepted.end();
  };
  const Value* wrong = nullptr;
  if (bad(s.value)) wrong = &s.value;
  if (s.value.is_list()) {
    auto it = std::ranges::find_if(s.value.as_list(), bad);
    if (it != s.value.as_list().end()) wrong = &*it;
  }
  if (wrong == nullptr) return;
  Problem p{"schema-check/invalid-choice",
            std::string(field.name),
            fmt::format("{} knows {}; '{}' is none of them in {}", field.name, fmt::join(choices, ", "),
                        wrong->as_string(), schema::name(r)),
            s.place,
            {},
            {}};
  if (auto meant = corrected(s.value, *wrong, choices)) {
    p.suggest_set.emplace_back(p.field, std::move(*meant));
  } else {
    p.suggest_unset.push_back(p.field);
  }
  settings.problems.push_back(std::move(p));
}

}  // namespace

Problem unknown_field(const Schema& schema, Release r, const std::string& canonical, const Value& value,
                      Place place, bool hint) {
  const auto near = hint ? schema.suggest(canonical, r) : std::vector<std::string_view>();
  std::string message = fmt::format(
      "{} is no field of Megatron Bridge {}; its loader drops it with a warning", canonical, schema::name(r));
  Problem p{"schema-check/unknown-field", canonical, std::move(message), std::move(place), {}, {canonical}};
  if (!near.empty()) {
    p.message += fmt::format(" (did you mean {}?)", near.front());
    if (!value.is_opaque()) p.suggest_set.emplace_back(std::string(near.front()), value);
  }
  return p;
}

void check_setting(Settings& settings, const Setting& s, const Schema& schema, Release r,
                   const schema::ClassInfo* cls) {
  const Field& field = schema.field(s.field);
  if (field.space == schema::Space::extra) {
    check_type(settings, s, field);
    return check_choices(settings, s, field, schema, r);
  }
  if (field.space != schema::Space::config) return;
  // Whether a name of another language exists in a release is said by its own table.
  if (!schema::contains(field.releases, r) && settings.table != nullptr) return;
  if (!schema::contains(field.releases, r)) {
    std::string message = fmt::format("{} {}; Bridge {} drops it with a warning", field.name,
                                      releases_sentence(field, r), schema::name(r));
    settings.problems.push_back({"schema-check/not-in-release",
                                 std::string(field.name),
                                 std::move(message),
                                 s.place,
                                 {},
                                 {std::string(field.name)}});
    return;
  }
  // A class that the table does not know can't prove a field absent.
  if (settings.layer != schema::Layer::megatron_core && cls != nullptr &&
      !schema.class_has(cls, s.field, r)) {
    settings.problems.push_back({"schema-check/not-in-class",
                                 std::string(field.name),
                                 fmt::format("{} has no field {}; the loader drops it with a warning",
                                             cls->name, field.name.substr(field.name.find('.') + 1)),
                                 s.place,
                                 {},
                                 {std::string(field.name)}});
    return;
  }
  check_type(settings, s, field);
  check_choices(settings, s, field, schema, r);
}

}  // namespace headroom::dialect
