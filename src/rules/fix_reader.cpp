// The `fixes:` part of a rule file.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "headroom/lang/check.hpp"
#include "rule_reader.hpp"

namespace headroom::rules {
namespace {

using source::NodeKind;
using source::Value;

std::string quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "'";
}

/// A literal in the rule language; empty where it has none (a mapping, an infinity).
std::string literal(const Value& v) {
  if (v.is_null()) return "null";
  if (v.is_bool()) return v.as_bool() ? "true" : "false";
  if (v.is_int()) return fmt::format("{}", v.as_int());
  if (v.is_double()) {
    if (!std::isfinite(v.as_double())) return {};
    std::string text = fmt::format("{}", v.as_double());
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
  }
  if (v.is_string()) return quoted(v.as_string());
  if (!v.is_list()) return {};
  std::string out = "[";
  for (const auto& item : v.as_list()) {
    const std::string text = literal(item);
    if (text.empty()) return {};
    out += (out.size() > 1 ? ", " : "") + text;
  }
  return out + "]";
}

}  // namespace

void RuleReader::fixes(NodeId id) {
  if (node(id).kind != NodeKind::sequence)
    return fault(id, "fixes is a list; each item has set, unset or env");
  std::vector<FixData> all;
  for (const NodeId item : node(id).items)
    if (const auto f = fix(item)) all.push_back(*f);
  rule_.fixes = storage_.keep(std::move(all));
}

std::optional<FixData> RuleReader::fix(NodeId id) {
  if (node(id).kind != NodeKind::mapping) {
    fault(id, "a fix is a mapping with set, unset or env");
    return std::nullopt;
  }
  FixData data;
  for (const auto& m : node(id).members) fix_key(m, data);
  if (data.set.empty() && data.unset.empty() && data.env.empty()) fault(id, "this fix changes nothing");
  return data;
}

void RuleReader::fix_key(const source::Member& m, FixData& fix) {
  static const std::vector<std::string_view> keys{"title", "when",   "set",     "unset",
                                                  "env",   "safety", "evidence"};
  if (!known(m.key, keys, "a fix")) return;
  const std::string& name = node(m.key).text;
  if (name == "set") fix_set(m.value, fix);
  if (name == "unset") fix_unset(m.value, fix);
  if (name == "env") fix_env(m.value, fix);
  if (name == "when") fix.when = expression(m.value);
  if (name == "evidence") fix.evidence = storage_.keep(texts(m.value, "evidence"));
  if (name != "title" && name != "safety") return;
  const auto text = scalar(m.value, name);
  if (!text) return;
  if (name == "title") {
    fix.title = storage_.keep(std::string(*text));
  } else if (*text == "training") {
    fix.safety = Safety::training;
  } else if (*text != "execution") {
    fault(m.value, fmt::format("'{}' is no safety class: execution (same results) or training", *text));
  }
}

void RuleReader::fix_set(NodeId id, FixData& fix) {
  if (node(id).kind != NodeKind::mapping) return fault(id, "set is a mapping of fields to values");
  std::vector<FixSet> sets;
  for (const auto& m : node(id).members) {
    const auto f = field(m.key, true);
    if (f == schema::no_field) continue;
    FixSet set;
    set.field = f;
    set.value = fix_value(m.value, f);
    const auto& value = node(m.value);
    const bool computed = value.kind == NodeKind::scalar && value.value.is_string();
    set.text = storage_.keep(computed ? value.text : value.value.to_text());
    sets.push_back(set);
  }
  fix.set = storage_.keep(std::move(sets));
}

lang::ExprId RuleReader::fix_value(NodeId id, schema::FieldId field) {
  const auto& n = node(id);
  if (n.kind == NodeKind::scalar && n.value.is_string() && n.text.substr(0, 1) == "=")
    return expression(id, 1);
  if (const auto wrong = lang::check_value(schema_, field, n.value)) {
    fault(id, *wrong);
    return lang::no_expr;
  }
  Value value = n.value;
  if (value.is_string() && schema::has(schema_.field(field).type, schema::Type::dtype))
    if (const auto dtype = schema::canonical_dtype(value.as_string())) value = Value(*dtype);
  const std::string text = literal(value);
  if (text.empty()) {
    fault(id,
          "a fix sets numbers, strings, booleans, null and lists of them; name the fields of a mapping one "
          "by one");
    return lang::no_expr;
  }
  auto compiled = storage_.pool.compile(text, schema_, doc_->source->name(), {1, 1});
  if (compiled) return *compiled;
  fault(id, compiled.error().message);
  return lang::no_expr;
}

void RuleReader::fix_unset(NodeId id, FixData& fix) {
  std::vector<schema::FieldId> fields;
  for (const NodeId item : scalars(id, "unset")) {
    const auto f = field(item, true);
    if (f != schema::no_field) fields.push_back(f);
  }
  fix.unset = storage_.keep(std::move(fields));
}

void RuleReader::fix_env(NodeId id, FixData& fix) {
  if (node(id).kind != NodeKind::mapping)
    return fault(id, "env is a mapping of variables to values (null = unset)");
  std::vector<FixEnv> variables;
  for (const auto& m : node(id).members) {
    const std::string& name = node(m.key).text;
    if (schema_.find("env." + name) == schema::no_field) {
      std::string hint;
      for (const auto s : schema_.suggest("env." + name, schema::newest_release))
        hint += fmt::format("{} '{}'", hint.empty() ? "; did you mean" : " or", s.substr(s.find('.') + 1));
      fault(m.key, fmt::format("environment variable '{}' is not in the schema{}", name,
                               hint.empty() ? "" : hint + "?"));
      continue;
    }
    const auto value = scalar(m.value, "an environment variable");
    if (!value) continue;
    FixEnv variable;
    variable.name = storage_.keep(name);
    variable.unset = node(m.value).value.is_null();
    if (!variable.unset) variable.value = storage_.keep(std::string(*value));
    variables.push_back(variable);
  }
  fix.env = storage_.keep(std::move(variables));
}

}  // namespace headroom::rules
