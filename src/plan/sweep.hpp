// The search itself: every layout, every policy; legality, memory and time, each computed once for all
// candidates that share it.
#pragma once
#include <map>
#include <vector>

#include "shapes.hpp"

namespace headroom::plan {

/// A candidate that is legal and fits.
struct Candidate {
  double time = 0;  ///< seconds, modelled
  double used = 0, peak = 0;
  std::uint32_t layout = 0;  ///< number of the combination of layout choices, 0: as given
  std::uint32_t policy = 0;  ///< number of the policy, 0: as given
};

/// All combinations of what is no layout.
struct Policies {
  std::vector<Combination> activations, states, allocator;
  std::vector<std::vector<Entry>> entries;  ///< by policy
  struct Parts {
    std::uint32_t activation = 0, state = 0, allocator = 0;
  };
  std::vector<Parts> parts;  ///< by policy; the first is as given
};
[[nodiscard]] Policies make_policies(const Space& space);

struct Found {
  std::vector<Candidate> candidates;
  std::size_t searched = 0, legal = 0;
  std::map<const rules::Rule*, std::size_t> broken;
};

struct SweepInput {
  const Request* request = nullptr;
  const Space* space = nullptr;
  const Policies* policies = nullptr;
  const Graph* graph = nullptr;
  const Shapes* shapes = nullptr;
  double capacity = 0;  ///< bytes a plan may use
};
[[nodiscard]] Found sweep(const SweepInput& input);

/// Choices on each axis of the layout, by number of the combination.
[[nodiscard]] std::vector<std::uint32_t> choices_of(const Space& space, std::uint32_t layout);

}  // namespace headroom::plan
