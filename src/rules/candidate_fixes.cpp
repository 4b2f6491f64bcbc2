#include <fmt/format.h>

#include <algorithm>

#include "headroom/rules/choices.hpp"

namespace headroom::rules {
namespace {

using resolve::EffectiveConfig;
using source::Value;

bool exists_in(const EffectiveConfig& config, schema::FieldId id) {
  return schema::contains(config.schema->field(id).releases, config.launch.release);
}

/// What the config already says, or what holds where it says nothing: writing it again is no change.
bool changes(const EffectiveConfig& config, schema::FieldId id, const Value& value) {
  const Value& raw = config.raw[id];
  const bool same_kind = raw.is_bool() == value.is_bool();
  return !(same_kind && !raw.is_unknown() && raw == value);
}

std::string title_of(const Fix& fix) {
  std::string out;
  const auto add = [&](const std::string& part) { out += (out.empty() ? "" : ", ") + part; };
  for (const auto& [name, value] : fix.set) add(fmt::format("set {} to {}", name, value.to_text()));
  for (const auto& name : fix.unset) add("remove " + name);
  for (const auto& [name, value] : fix.env)
    add(value ? fmt::format("set {}={} in the environment", name, *value)
              : fmt::format("unset {} in the environment", name));
  if (!out.empty() && out[0] >= 'a' && out[0] <= 'z') out[0] = static_cast<char>(out[0] - 'a' + 'A');
  return out;
}

/// nullopt where a value cannot be computed.
std::optional<Fix> instantiate(const FixData& data, const lang::ExprPool& pool,
                               const EffectiveConfig& config) {
  const auto scope = config.scope();
  Fix fix;
  fix.title = std::string(data.title);
  fix.safety = data.safety;
  for (const auto& entry : data.set) {
    // One fix serves several releases: fields that this one lacks are left out.
    if (!exists_in(config, entry.field)) continue;
    Value value = lang::evaluate(pool, entry.value, scope);
    if (value.is_unknown()) return std::nullopt;
    if (changes(config, entry.field, value))
      fix.set.emplace_back(std::string(config.schema->field(entry.field).name), std::move(value));
  }
  for (const auto id : data.unset)
    if (config.set[id] != 0) fix.unset.emplace_back(config.schema->field(id).name);
  for (const auto& variable : data.env) {
    std::optional<std::string> value;
    if (!variable.unset) value = std::string(variable.value);
    fix.env.emplace_back(std::string(variable.name), std::move(value));
  }
  for (const auto id : data.evidence) fix.evidence.emplace_back(id);
  if (fix.set.empty() && fix.unset.empty() && fix.env.empty()) return std::nullopt;
  if (fix.title.empty()) fix.title = title_of(fix);
  return fix;
}

std::vector<Fix> instantiate_all(std::span<const FixData> all, const lang::ExprPool& pool,
                                 const EffectiveConfig& config) {
  std::vector<Fix> fixes;
  for (const auto& data : all) {
    if (data.when != lang::no_expr) {
      const Value applies = lang::evaluate(pool, data.when, config.scope());
      if (applies.is_unknown() || !applies.truthy()) continue;
    }
    if (auto fix = instantiate(data, pool, config)) fixes.push_back(std::move(*fix));
  }
  return fixes;
}

void add(Fix& to, Fix&& more) {
  for (auto& edit : more.set) to.set.push_back(std::move(edit));
  for (auto& field : more.unset) to.unset.push_back(std::move(field));
  for (auto& variable : more.env) to.env.push_back(std::move(variable));
  to.safety = std::max(to.safety, more.safety);
}

}  // namespace

std::vector<Fix> candidate_fixes(const Rule& rule, const lang::ExprPool& pool,
                                 const EffectiveConfig& config) {
  return instantiate_all(rule.fixes, pool, config);
}

Fix companions_of(const Dimension& dimension, const lang::ExprPool& pool, const EffectiveConfig& changed) {
  Fix out;
  for (auto& fix : instantiate_all(dimension.choices, pool, changed)) add(out, std::move(fix));
  return out;
}

std::vector<Fix> choices_of(const Dimension& dimension, const lang::ExprPool& pool,
                            const EffectiveConfig& config) {
  const auto makes_sense = [&](const EffectiveConfig& on) {
    if (dimension.when == lang::no_expr) return true;
    const Value applies = lang::evaluate(pool, dimension.when, on.scope());
    return !applies.is_unknown() && applies.truthy();
  };
  if (dimension.field == schema::no_field)
    return makes_sense(config) ? instantiate_all(dimension.choices, pool, config) : std::vector<Fix>();
  std::vector<Fix> out;
  EffectiveConfig changed = config;
  for (const std::int64_t size : dimension.values) {
    // A size that nobody wrote may follow from another one, which may change.
    if (config.now[dimension.field] == Value(size) && !config.raw[dimension.field].is_null()) continue;
    changed.now[dimension.field] = Value(size);
    if (!makes_sense(changed)) continue;
    Fix fix;
    fix.set.emplace_back(std::string(config.schema->field(dimension.field).name), Value(size));
    add(fix, companions_of(dimension, pool, changed));
    fix.title = title_of(fix);
    out.push_back(std::move(fix));
  }
  return out;
}

}  // namespace headroom::rules
