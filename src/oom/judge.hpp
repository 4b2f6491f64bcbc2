// The detectors: each looks at one failure and says how much speaks for which cause.
#pragma once
#include <string>
#include <vector>

#include "headroom/oom/diagnosis.hpp"

namespace headroom::oom {

/// One failure with everything that bears on it.
struct Case {
  const LogFacts& log;
  const Failure& failure;
  const RunContext& run;
  std::vector<TensorFit> tensors;
  const memory::StagePeaks* stage = nullptr;  ///< of the failed rank; nullptr without a ledger
  std::int64_t iteration = 0;                 ///< the last that was reported before the failure
};

/// Candidates of an allocator message, unsorted; a cause may come twice.
[[nodiscard]] std::vector<Candidate> judge_allocator(const Case& c);
/// The same for the failure of a memory snapshot.
[[nodiscard]] std::vector<Candidate> judge_snapshot(const Case& c);
/// Candidates of every other lack of memory.
[[nodiscard]] std::vector<Candidate> judge_others(const Case& c);

/// Bytes held by other processes on the device, listed or not.
[[nodiscard]] double held_by_others(const AllocatorFigures& f);
/// What the process could have: the device, or the cap that it was given.
[[nodiscard]] std::optional<double> limit_of(const AllocatorFigures& f);
/// Whether a cap on the process and not the device ended it.
[[nodiscard]] bool is_capped(const AllocatorFigures& f);

}  // namespace headroom::oom
