#include "reasons.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace headroom::plan {
namespace {

constexpr double worth_saying = 0.005;  // of the step
constexpr std::size_t most_parts = 3;

std::string_view shown(cost::Part part) {
  switch (part) {
    case cost::Part::launch:
      return "kernel launches";
    case cost::Part::bubble:
      return "pipeline bubble";
    case cost::Part::tensor:
      return "tensor-parallel communication";
    case cost::Part::context:
      return "context-parallel communication";
    case cost::Part::exchange:
      return "token exchange between experts";
    case cost::Part::data:
      return "data-parallel communication";
    case cost::Part::pipeline:
      return "transfers between stages";
    case cost::Part::host:
      return "transfers to the host";
    default:
      return cost::name_of(part);
  }
}

}  // namespace

std::string difference(const cost::StepTime& before, const cost::StepTime& after) {
  struct Change {
    cost::Part part;
    double share;
  };
  std::vector<Change> changes;
  for (std::size_t i = 0; i < cost::part_count; ++i) {
    const double share = before.total > 0 ? (after.parts[i] - before.parts[i]) / before.total : 0;
    if (std::abs(share) >= worth_saying) changes.push_back({static_cast<cost::Part>(i), share});
  }
  std::ranges::stable_sort(changes, std::ranges::greater{},
                           [](const Change& c) { return std::abs(c.share); });
  if (changes.size() > most_parts) changes.resize(most_parts);
  std::string out;
  for (const Change& c : changes)
    out += fmt::format("{}{} {:+.0f} %", out.empty() ? "" : ", ", shown(c.part), 100 * c.share);
  return out.empty() ? "the same time" : out;
}

}  // namespace headroom::plan
