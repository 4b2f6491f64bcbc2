// A memory snapshot as the facts that a diagnosis is made of.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "headroom/oom/log_facts.hpp"
#include "headroom/snapshot/story.hpp"

namespace headroom::oom {

/// The failure of a snapshot as a log would tell it, and its figures. Without a failure only the figures.
[[nodiscard]] LogFacts facts_of(const snapshot::Snapshot& snapshot, const snapshot::Story& story);

/// The rank that the name of a dump tells: "snapshot_oom_rank-3.pickle" and "snapshot_3.pickle" are
/// Megatron's.
[[nodiscard]] std::optional<std::int64_t> rank_of_file(std::string_view path);

}  // namespace headroom::oom
