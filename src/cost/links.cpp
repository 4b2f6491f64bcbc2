#include "links.hpp"

#include <algorithm>

#include "constants.hpp"

namespace headroom::cost {

using namespace constants;

double Links::ranks_inside(Group group) const {
  return std::clamp(m_.nvlink_domain / group.stride, 1.0, group.size);
}

double Links::gather(Group group, double bytes) const {
  if (group.size <= 1 || bytes <= 0) return 0;
  const double inside = ranks_inside(group);
  const double local = bytes * (inside - 1) / inside / (m_.nvlink * nvlink_share);
  if (inside >= group.size) return nvlink_latency + local;
  // Each node receives the rest through as many adapters as it has ranks of the group.
  const double outside = bytes * (1 - inside / group.size) / (inside * m_.network * network_share);
  return network_latency + std::max(local, outside);
}

double Links::exchange(Group group, double bytes) const {
  if (group.size <= 1 || bytes <= 0) return 0;
  const double inside = ranks_inside(group);
  return exchange_once(group, bytes * (inside - 1) / group.size, bytes * (1 - inside / group.size));
}

double Links::exchange_once(Group group, double inside_bytes, double outside_bytes) const {
  if (group.size <= 1) return 0;
  const double local = inside_bytes / (m_.nvlink * nvlink_share);
  const double remote = outside_bytes / (m_.network * network_share);
  return (outside_bytes > 0 ? network_latency : nvlink_latency) + std::max(local, remote);
}

double Links::send(double stride, double bytes) const {
  return stride < m_.nvlink_domain ? nvlink_latency + bytes / (m_.nvlink * nvlink_share)
                                   : network_latency + bytes / (m_.network * network_share);
}

}  // namespace headroom::cost
