// What a fix does to memory and step time, and the order that follows.
#pragma once
#include <optional>
#include <vector>

#include "headroom/cost/evidence.hpp"
#include "headroom/memory/facts.hpp"
#include "headroom/rules/diagnostic.hpp"

namespace headroom::advise {

/// The config as it is.
struct Outlook {
  const resolve::EffectiveConfig* config = nullptr;
  std::optional<memory::Facts> memory;
  std::optional<cost::StepTime> time;
};

/// Fills `memory`, `time` and what was measured, of a fix that makes `after` of the config.
void add_outlook(rules::Fix& fix, const Outlook& before, const resolve::EffectiveConfig& after,
                 const std::optional<memory::Facts>& after_memory);

/// Fits the GPU, then the same mathematics before other results, then step time by whole percents, then how
/// little changes, then the rule author's order.
void rank(std::vector<rules::Fix>& fixes);

}  // namespace headroom::advise
