// What a planner may change about a run: dimensions of a search space and the choices of each, from
// rules/plan/*.yaml. A choice is an edit of fields, like the fix of a rule; whether a combination of choices
// is legal is for the rules to say, not for this table.
#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::rules {

/// What a dimension changes about the run. A planner shares work between candidates by it.
enum class Part : std::uint8_t {
  layout,       ///< how model and batch are spread over the GPUs
  activations,  ///< what is kept for backward, and how kernels are launched
  states,       ///< parameters, gradients and optimizer state
  allocator,    ///< torch's allocator alone
  job           ///< the job itself: only where the user frees it
};

struct Dimension {
  std::string_view id;     ///< name of the file without its number: "tensor-parallel"
  std::string_view title;  ///< for people: "tensor parallelism"
  std::string_view label;  ///< head of a column or start of a remark: "TP"
  Part part = Part::layout;
  std::string_view free;  ///< part `job`: the word of `--free`
  bool stages = false;    ///< pipeline stages, virtual stages and their layout, which are computed
  lang::ExprId when = lang::no_expr;  ///< whether it makes sense here; of a size: with the size in place
  schema::FieldId field = schema::no_field;  ///< a size: each of `values` is a choice …
  std::span<const std::int64_t> values;
  std::span<const FixData> choices;  ///< … and these edits go with each; without a field, the choices
};

struct ChoicePack {
  lang::ExprPool pool;
  std::span<const Dimension>
      dimensions;  ///< in the order of the files: what is changed least gladly comes last
};

/// The embedded dimensions, parsed and checked when headroom was built.
[[nodiscard]] const ChoicePack& embedded_choices();

/// Dimensions read at run time; owns what its `view` points to.
class LoadedChoices {
 public:
  struct Storage;
  LoadedChoices();
  ~LoadedChoices();
  LoadedChoices(LoadedChoices&&) noexcept;
  LoadedChoices& operator=(LoadedChoices&&) noexcept;
  [[nodiscard]] const ChoicePack& view() const;
  std::unique_ptr<Storage> storage;
};
/// Reads `dir`/NN-NAME.yaml in the order of their names. All errors of all files.
[[nodiscard]] tl::expected<LoadedChoices, std::vector<source::Error>> load_choices(
    const std::string& dir, const schema::Schema& schema);

/// The choices of `dimension` on this config as edits, expressions evaluated; those that do not apply or
/// change nothing are left out. A size carries its companions: they are evaluated with the size in place.
[[nodiscard]] std::vector<Fix> choices_of(const Dimension& dimension, const lang::ExprPool& pool,
                                          const resolve::EffectiveConfig& config);

/// The edits that go with a change of `fields` (companions of a dimension whose values are computed),
/// evaluated on a config that has the change.
[[nodiscard]] Fix companions_of(const Dimension& dimension, const lang::ExprPool& pool,
                                const resolve::EffectiveConfig& changed);

}  // namespace headroom::rules
