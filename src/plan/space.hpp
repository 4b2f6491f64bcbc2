// The search space: axes and their choices as edits of the given config, and as changed values before
// start-up.
#pragma once
#include <string>
#include <vector>

#include "headroom/plan/plan.hpp"

namespace headroom::plan {

/// What a rule or a start-up step can read of a field.
enum class Aspect : std::uint8_t { now, raw, has };
struct Var {
  schema::FieldId field = schema::no_field;
  Aspect aspect = Aspect::now;
  friend auto operator<=>(const Var&, const Var&) = default;
};
struct Entry {
  Var var;
  source::Value value;
};

struct Choice {
  rules::Fix change;           ///< empty: as given
  std::vector<Entry> entries;  ///< what the change makes different before any start-up step
};

struct Axis {
  const rules::Dimension* dimension = nullptr;
  std::vector<Choice> choices;  ///< the first is "as given"
};

/// A combination of choices, one an axis, of one part.
struct Combination {
  std::vector<std::uint16_t> choice;  ///< by axis of the part
  rules::Fix change;
  std::vector<Entry> entries;
  unsigned changed = 0;  ///< axes that are not as given
};

/// Axes by part, those of `layout` in the order of the loops over them.
struct Space {
  std::vector<Axis> layout, activations, states, allocator;
  resolve::EffectiveConfig before;  ///< the given config before any start-up step
};

[[nodiscard]] Space make_space(const Request& request);

/// All combinations of the axes; of several that come to the same config the one that changes fewest.
[[nodiscard]] std::vector<Combination> combinations(const std::vector<Axis>& axes);

/// The edits of `second` after those of `first`.
[[nodiscard]] rules::Fix joined(const rules::Fix& first, const rules::Fix& second);

}  // namespace headroom::plan
