// Measured step times (rules/evidence) against modelled ones.
#pragma once
#include <optional>
#include <string_view>

#include "headroom/cost/step_time.hpp"
#include "headroom/resolve/effective.hpp"

namespace headroom::cost {

enum class Basis : std::uint8_t { unknown, modelled, measured };
[[nodiscard]] std::string_view name_of(Basis basis);

/// Whether the config has the architecture of the well-known model: every size that the model's table names.
[[nodiscard]] bool is_model(const resolve::EffectiveConfig& config, std::string_view model_id);

/// What makes a measured run comparable: model, GPU kind, number of GPUs, layout, precision.
[[nodiscard]] bool applies(const schema::Evidence& evidence, const resolve::EffectiveConfig& config);

/// Step time of `after` over `before` where both are runs of one comparison of rules/evidence on this model
/// and machine, and differ in what it compares and nothing else.
struct Measured {
  double ratio = 1;
  const schema::Evidence* evidence = nullptr;
};
[[nodiscard]] std::optional<Measured> measured_ratio(const resolve::EffectiveConfig& before,
                                                     const resolve::EffectiveConfig& after);

/// Modelled step time; nullopt where the shape cannot be read, or GPUs or their kind are not given.
[[nodiscard]] std::optional<StepTime> step_time_of(const resolve::EffectiveConfig& config);

struct Comparison {
  Ratio ratio;
  Basis basis = Basis::unknown;  ///< unknown: `ratio` says nothing
  std::string_view evidence;     ///< id, where measured
};
/// Measured where there is such a measurement, else modelled, else unknown. `before_time`: of `before`.
[[nodiscard]] Comparison compare(const resolve::EffectiveConfig& before,
                                 const std::optional<StepTime>& before_time,
                                 const resolve::EffectiveConfig& after);

}  // namespace headroom::cost
