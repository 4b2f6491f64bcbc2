// What a change of a config does: findings, effective values, memory by stage, step time. Pure.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "headroom/cost/step_time.hpp"
#include "headroom/memory/ledger.hpp"
#include "headroom/resolve/effective.hpp"
#include "headroom/rules/pack.hpp"

namespace headroom::diff {

/// One side: a config that was resolved and checked.
struct Side {
  const resolve::EffectiveConfig* config = nullptr;
  const rules::Findings* findings = nullptr;
};

/// An effective value that is not the same. The origin says who made it so.
struct Change {
  std::string field;
  source::Value before, after;
  resolve::Origin before_origin, after_origin;
  bool written = false;  ///< somebody chose it on either side; else it follows from other changes
};

struct StageChange {
  std::int32_t stage = 0;
  std::optional<double> before, after;  ///< peak in bytes; absent where a side has no such stage
};

struct Memory {
  std::vector<StageChange> stages;
  double before_peak = 0, after_peak = 0;  ///< of the highest stage, bytes
  double before_used = 0, after_used = 0;
  double before_capacity = 0, after_capacity = 0;  ///< 0: the device is not known
  bool before_fits = false, after_fits = false;
};

struct Diff {
  std::vector<rules::Diagnostic> appeared, gone;  ///< in the order of their severity
  std::vector<Change> changed;                    ///< chosen ones first, then by name
  std::optional<Memory> memory;                   ///< where both sides have a shape
  std::string no_memory;                          ///< why not
  std::optional<cost::Ratio> time;                ///< for each token, so that other batch sizes compare
  std::vector<std::string> time_parts;            ///< what moved
};

[[nodiscard]] Diff compare(const Side& before, const Side& after);

/// A budget of `--fail-on`: "error", "memory+2GiB", "memory+5%", "step-time+5%", "never".
struct Budget {
  enum class Kind : std::uint8_t {
    severity,
    memory_bytes,
    memory_share,
    time_share,
    never
  } kind = Kind::severity;
  rules::Severity severity = rules::Severity::error;
  double amount = 0;  ///< bytes or share
  std::string text;
};
/// nullopt: no budget.
[[nodiscard]] std::optional<Budget> parse_budget(const std::string& text);

/// Why the change goes over the budget, or nothing. A budget of memory or time that cannot be judged is over.
[[nodiscard]] std::optional<std::string> exceeds(const Diff& diff, const Budget& budget);

}  // namespace headroom::diff
