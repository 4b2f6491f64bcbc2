// A memory snapshot as the facts that a diagnosis is made of.
#pragma once
#include "headroom/oom/log_facts.hpp"
#include "headroom/snapshot/story.hpp"

namespace headroom::oom {

/// The failure of a snapshot as a log would tell it, and its figures. Without a failure only the figures.
[[nodiscard]] LogFacts facts_of(const snapshot::Snapshot& snapshot, const snapshot::Story& story);

}  // namespace headroom::oom
