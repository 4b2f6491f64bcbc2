#include "headroom/cost/evidence.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace headroom::cost {

using resolve::EffectiveConfig;
using schema::FieldId;
using source::Value;

namespace {

/// Numbers by value; lists of names (`recompute_modules`) in any order.
bool same(const Value& a, const Value& b) {
  if (a.is_number() && b.is_number()) return a.as_double() == b.as_double();
  if (!a.is_list() || !b.is_list()) return a == b;
  const auto& x = a.as_list();
  const auto& y = b.as_list();
  return x.size() == y.size() && std::ranges::all_of(x, [&](const Value& item) {
           return std::ranges::any_of(y, [&](const Value& other) { return same(item, other); });
         });
}

bool holds(std::span<const schema::FieldValue> values, const EffectiveConfig& config) {
  return std::ranges::all_of(values, [&](const schema::FieldValue& v) {
    return same(config.now[v.field], config.schema->value(v.value));
  });
}

const schema::EvidenceRun* run_of(const schema::Evidence& evidence, const EffectiveConfig& config) {
  for (const auto& run : evidence.runs) {
    if (holds(run.values, config)) return &run;
  }
  return nullptr;
}

bool compares(const schema::Evidence& evidence, FieldId field) {
  return std::ranges::any_of(evidence.runs, [&](const schema::EvidenceRun& run) {
    return std::ranges::find(run.values, field, &schema::FieldValue::field) != run.values.end();
  });
}

/// What a person or the framework can set; derived values and launch facts follow from it.
bool is_setting(const schema::Field& field) {
  return field.space != schema::Space::derived && field.space != schema::Space::launch;
}

bool differ_in_nothing_else(const schema::Evidence& evidence, const EffectiveConfig& a,
                            const EffectiveConfig& b) {
  for (std::size_t id = 0; id < a.now.size(); ++id) {
    const auto field = static_cast<FieldId>(id);
    // What nobody wrote follows from what was written.
    if (a.set[id] == 0 && b.set[id] == 0) continue;
    if (!is_setting(a.schema->field(field)) || same(a.now[id], b.now[id])) continue;
    if (!compares(evidence, field)) return false;
  }
  return true;
}

}  // namespace

std::string_view name_of(Basis basis) {
  static constexpr std::array<std::string_view, 3> names{"unknown", "modelled", "measured"};
  return names[static_cast<std::size_t>(basis)];
}

bool is_model(const EffectiveConfig& config, std::string_view model_id) {
  static constexpr std::array<std::string_view, 10> sizes{
      "model.num_layers",          "model.hidden_size",         "model.ffn_hidden_size",
      "model.num_query_groups",    "model.num_attention_heads", "model.num_moe_experts",
      "model.moe_router_topk",     "model.moe_ffn_hidden_size", "model.hybrid_override_pattern",
      "model.hybrid_layer_pattern"};
  const schema::ModelFacts* model = config.schema->find_exact_model(model_id);
  if (model == nullptr) return false;
  return std::ranges::all_of(model->values, [&](const schema::FieldValue& v) {
    const auto name = config.schema->field(v.field).name;
    return std::ranges::find(sizes, name) == sizes.end() ||
           same(config.now[v.field], config.schema->value(v.value));
  });
}

bool applies(const schema::Evidence& evidence, const EffectiveConfig& config) {
  const resolve::LaunchContext& launch = config.launch;
  if (launch.gpu == nullptr || launch.gpu->kind != evidence.gpu) return false;
  if (evidence.gpus > 0 && launch.gpus != evidence.gpus) return false;
  return holds(evidence.conditions, config) && is_model(config, evidence.model);
}

std::optional<Measured> measured_ratio(const EffectiveConfig& before, const EffectiveConfig& after) {
  for (const schema::Evidence& evidence : before.schema->evidence) {
    if (!applies(evidence, before) || !applies(evidence, after)) continue;
    const auto* first = run_of(evidence, before);
    const auto* second = run_of(evidence, after);
    if (first == nullptr || second == nullptr || first == second) continue;
    if (first->seconds <= 0 || second->seconds <= 0) continue;
    if (differ_in_nothing_else(evidence, before, after))
      return Measured{second->seconds / first->seconds, &evidence};
  }
  return std::nullopt;
}

std::optional<StepTime> step_time_of(const EffectiveConfig& config) {
  if (!config.launch.gpus || config.launch.gpu == nullptr) return std::nullopt;
  const auto shape = memory::read_shape(config);
  if (!shape) return std::nullopt;
  return step_time(shape->shape, read_job(config));
}

Comparison compare(const EffectiveConfig& before, const std::optional<StepTime>& before_time,
                   const EffectiveConfig& after) {
  if (const auto measured = measured_ratio(before, after))
    return {{measured->ratio, measured->ratio, measured->ratio}, Basis::measured, measured->evidence->id};
  const auto after_time = step_time_of(after);
  if (!before_time || !after_time || before_time->total <= 0) return {};
  return {ratio(*before_time, *after_time), Basis::modelled, {}};
}

}  // namespace headroom::cost
