// The candidates in order, and the few that are shown, each checked once more in full.
#pragma once
#include <optional>
#include <vector>

#include "headroom/memory/ledger.hpp"
#include "sweep.hpp"

namespace headroom::plan {

/// A config evaluated in full: every start-up step, every rule, the whole ledger.
struct Checked {
  bool legal = false;
  Run run;
  memory::Peaks memory;
  cost::StepTime time;
  std::vector<std::string> errors, warnings;  ///< ids of rules
  std::vector<rules::Diagnostic> ignored;     ///< settings without effect
};
[[nodiscard]] std::optional<Checked> check_in_full(const rules::Fix& change, const advise::Bench& bench);

class Ranking {
 public:
  Ranking(const SweepInput& input, Found& found);

  /// Fastest first; candidates equally fast by the number of changes, then by memory.
  void by_time();
  /// Smallest change first, and of equal ones the one that a careful person would try first; then by time.
  void by_change();

  [[nodiscard]] rules::Fix change_of(const Candidate& candidate) const;
  [[nodiscard]] std::vector<std::string> titles_of(const Candidate& candidate) const;
  /// Whether the stages are split in another way on as many ranks: no way to save memory.
  [[nodiscard]] bool only_virtual(const Candidate& candidate) const;

 private:
  [[nodiscard]] unsigned changes(const Candidate& candidate) const;
  [[nodiscard]] std::vector<unsigned> order_of_change(const Candidate& candidate) const;

  const SweepInput& input_;
  Found& found_;
  std::vector<unsigned> layout_changes_, policy_changes_;
};

}  // namespace headroom::plan
