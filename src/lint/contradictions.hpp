// What a log says that cannot be of a run with the config that is given for it.
#pragma once
#include <string>
#include <vector>

#include "headroom/memory/ledger.hpp"
#include "headroom/oom/log_facts.hpp"

namespace headroom::lint {

struct Contradictions {
  std::vector<std::string> other_run;  ///< another model, another number of ranks, spread otherwise
  std::vector<std::string> figures;    ///< sizes that a run of this config does not reach

  /// One sentence; empty where nothing contradicts.
  [[nodiscard]] std::string text() const;
};

/// `shape` and `peaks` are those of `config`; null where they are not known.
[[nodiscard]] Contradictions contradictions(const oom::LogFacts& log, const resolve::EffectiveConfig& config,
                                            const memory::Shape* shape, const memory::Peaks* peaks);

}  // namespace headroom::lint
