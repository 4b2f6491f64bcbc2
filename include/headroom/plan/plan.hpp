// The planner: searches the configs that run the same job, keeps those that the rules allow and the GPU can
// hold, and ranks them by step time. Pure; the result does not depend on the number of threads.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "headroom/advise/fixes.hpp"
#include "headroom/cost/step_time.hpp"
#include "headroom/memory/ledger.hpp"
#include "headroom/rules/choices.hpp"
#include "headroom/source/error.hpp"

namespace headroom::plan {

struct Request {
  advise::Bench bench;  ///< the given config, its launch and the rules; `bench.config` is filled
  const rules::ChoicePack* choices = nullptr;
  std::vector<std::string> free;  ///< dimensions of the job that may change, by their words
  unsigned threads = 1;
  std::size_t top = 10;
  bool fit = false;  ///< the smallest change that fits first, not the fastest
  /// Called now and then with the part done, 0 to 1, from any thread.
  std::function<void(double)> progress;
};

/// How a run is laid out, for a row of a table.
struct Layout {
  std::int64_t tp = 1, pp = 1, vpp = 1, cp = 1, ep = 1, etp = 1, dp = 1, micro_batch = 1, microbatches = 1;
  bool moe = false;
};

struct Plan {
  rules::Fix change;  ///< against the given config, canonical names; nothing for the config itself
  Layout layout;
  std::vector<std::string> choices;  ///< titles of what is not as given, layout left out
  double peak = 0, used = 0,
         host = 0;  ///< bytes: torch-allocated and seen by the device, on the highest stage
  memory::Verdict verdict = memory::Verdict::unknown;
  double used_high = 0;               ///< upper end of the band of `used`
  cost::Ratio time;                   ///< step time against the given config; of a freed job: for each token
  std::string why;                    ///< why it is faster, slower or smaller than the config as it is
  std::vector<std::string> warnings;  ///< ids of rules that warn of it and not of the given config
};

/// The config as it is, among the candidates.
struct Given {
  Layout layout;
  bool legal = false, fits = false;
  double peak = 0, used = 0;
  memory::Verdict verdict = memory::Verdict::unknown;
  std::optional<std::size_t>
      rank;  ///< 1: nothing that fits is faster; absent where it is illegal or too large
  std::optional<std::size_t>
      layout_rank;                  ///< of its layout among the layouts that fit, each with its best choices
  std::size_t layouts = 0;          ///< layouts that fit
  std::string why_not_better;       ///< what the best plan does better
  std::vector<std::string> errors;  ///< rules that reject it
};

/// A rule that keeps candidates out, with their number.
struct Obstacle {
  std::string rule;
  std::size_t candidates = 0;
};

struct Result {
  std::size_t searched = 0, legal = 0, fitting = 0;
  double seconds = 0;   ///< of the search, wall clock, without the final checks
  double capacity = 0;  ///< bytes that a plan may use
  Given given;
  std::vector<Plan> plans;          ///< best first; each passes all rules without an error
  std::vector<Plan> pareto;         ///< no other candidate is both faster and smaller; by rising step time
  std::vector<Obstacle> obstacles;  ///< most frequent first
  std::vector<std::string>
      errors;  ///< rules that no candidate satisfies: nothing that may change repairs them
};

/// Fails where the model's shape, the number of GPUs or their memory is unknown.
[[nodiscard]] source::Result<Result> search(const Request& request);

}  // namespace headroom::plan
