// What the framework will really run, and where each value came from.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "headroom/dialect/settings.hpp"
#include "headroom/lang/expr.hpp"
#include "headroom/resolve/calibration.hpp"
#include "headroom/schema/schema.hpp"

namespace headroom::resolve {

using schema::Layer;
using LayerSet = std::uint8_t;  ///< bit i = Layer(i)
inline constexpr LayerSet all_layers = 7;

/// Everything outside the config that a verdict depends on. Gathered once by the command line.
struct LaunchContext {
  schema::Release release = schema::default_release;
  std::optional<schema::Version> mcore, te, torch;  ///< unset: what the release pins
  std::optional<std::int64_t> gpus;
  const schema::Gpu* gpu = nullptr;
  std::optional<std::uint64_t> gpu_memory_bytes, host_memory_bytes;  ///< of a GPU, of a node
  double margin_bytes = 0, margin_share = 0;  ///< to stay free: bytes, and a share of the device
  std::optional<Calibration> calibration;
  /// Variables known to be set (value) or unset (nullopt). Others are unknown unless `env_complete`.
  std::map<std::string, std::optional<std::string>, std::less<>> env;
  bool env_complete = false;
  const schema::ModelFacts* model = nullptr;  ///< architecture named by --model
  /// What a log says of the run (`oom.NAME` in rules); empty where none is explained.
  std::vector<std::pair<std::string, source::Value>> facts;
};

enum class OriginKind : std::uint8_t {
  default_value,
  file,
  set_option,
  model_facts,
  recipe,
  rewritten,
  environment,
  launch,
  derived
};

struct Origin {
  OriginKind kind = OriginKind::default_value;
  std::string_view by;  ///< rewritten/recipe: who ("mixed_precision bf16_mixed", "TransformerConfig"); owned
                        ///< by the config or the pack
};

/// A value the user wrote that is replaced before the run.
struct Rewrite {
  schema::FieldId field = schema::no_field;
  source::Value written;
  std::string_view step;  ///< name of the step that replaced it last
  std::string_view by;
  bool silent = false;  ///< a step of kind `default`: not worth a finding
};

class EffectiveConfig {
 public:
  std::vector<source::Value> now;  ///< by FieldId
  std::vector<source::Value> raw;
  std::vector<std::uint8_t> set;
  std::vector<Origin> origin;
  std::vector<Rewrite> rewrites;
  Layer layer = Layer::bridge;
  LaunchContext launch;
  const schema::Schema* schema = nullptr;
  std::vector<std::shared_ptr<const std::string>> owned;  ///< strings that `by` points into

  [[nodiscard]] lang::Scope scope() const { return {schema, launch.release, now, raw, set}; }
  [[nodiscard]] const source::Value& value(schema::FieldId id) const { return now[id]; }
};

/// One start-up rewrite (docs/rule-language.md), compiled. Plain data.
struct Assignment {
  schema::FieldId field = schema::no_field;
  lang::ExprId value = lang::no_expr;
};
struct Step {
  std::string_view name, by;
  schema::ReleaseSet releases = schema::all_releases;
  LayerSet layers = all_layers;
  lang::ExprId when = lang::no_expr;
  std::span<const Assignment> set;
  bool is_default = false;     ///< kind: default
  bool is_moved = false;       ///< kind: moved
  std::string_view copy_from;  ///< section, empty unless a copy step
  std::span<const std::string_view> copy_to;
  std::span<const std::string_view> copy_skip;
};
struct Derived {
  schema::FieldId field = schema::no_field;
  lang::ExprId value = lang::no_expr;
};
struct ResolvePack {
  lang::ExprPool pool;
  std::span<const Step> steps;
  std::span<const Derived> derived;  ///< in order of dependence
};

/// Pure. Unset fields take defaults by class and release (or the architecture's value where `launch.model`
/// names one); what a release lacks is null. Steps run in order; derived values last.
[[nodiscard]] EffectiveConfig resolve(const dialect::Settings& settings, const LaunchContext& launch,
                                      const schema::Schema& schema, const ResolvePack& pack);

}  // namespace headroom::resolve
