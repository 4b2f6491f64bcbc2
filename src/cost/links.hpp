// Time of collectives over NVLink and the network.
#pragma once
#include "headroom/cost/job.hpp"

namespace headroom::cost {

/// Ranks of a group lie `stride` apart (Megatron's order: tensor, context, data or expert, pipeline).
struct Group {
  double size = 1, stride = 1;
};

class Links {
 public:
  explicit Links(const Machine& machine) : m_(machine) {}

  /// All-gather or reduce-scatter of `bytes` in all (the gathered size); an all-reduce is two of them.
  [[nodiscard]] double gather(Group group, double bytes) const;
  /// Every rank sends `bytes` in all, spread evenly over the group.
  [[nodiscard]] double exchange(Group group, double bytes) const;
  /// The same where a token goes once to each rank of a node and once to each node.
  [[nodiscard]] double exchange_once(Group group, double inside_bytes, double outside_bytes) const;
  /// One neighbour to the next, `stride` ranks away.
  [[nodiscard]] double send(double stride, double bytes) const;
  /// Ranks of `group` within one NVLink domain.
  [[nodiscard]] double ranks_inside(Group group) const;

 private:
  const Machine& m_;
};

}  // namespace headroom::cost
