// The ledger's figures as names of the rule language (`memory.used`, rules/schema/memory.yaml).
#pragma once
#include <optional>

#include "headroom/resolve/effective.hpp"

namespace headroom::memory {

/// Of the pipeline stage that needs most, in bytes.
struct Facts {
  double peak = 0, used = 0, capacity = 0;
  bool fits = false;
};

/// Fills `memory.…` of a resolved config, in GiB. nullopt and unknown where the ledger has no answer or the
/// device is not known.
std::optional<Facts> add_facts(resolve::EffectiveConfig& config);

}  // namespace headroom::memory
