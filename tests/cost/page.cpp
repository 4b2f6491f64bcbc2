#include <fmt/format.h>

#include <algorithm>

#include "runs.hpp"

namespace headroom::test {
namespace {

std::vector<std::string> distinct(const std::vector<TimedRun>& runs, std::string TimedRun::*what) {
  std::vector<std::string> out;
  for (const TimedRun& run : runs) {
    if (std::find(out.begin(), out.end(), run.*what) == out.end()) out.push_back(run.*what);
  }
  return out;
}

std::string group_table(const std::vector<TimedRun>& runs, const std::string& group) {
  std::vector<TimedRun> members;
  for (const TimedRun& run : runs) {
    if (run.group == group) members.push_back(run);
  }
  if (members.size() < 2) return {};
  std::stable_sort(members.begin(), members.end(),
                   [](const TimedRun& a, const TimedRun& b) { return a.seconds < b.seconds; });
  std::string out =
      fmt::format("\n### {}\n| run | measured | modelled |\n| --- | --- | --- |\n", members.front().group);
  for (const TimedRun& run : members)
    out += fmt::format("| {} | {:.2f} | {:.2f} |\n", run.id, run.seconds / members.front().seconds,
                       run.modelled.total / members.front().modelled.total);
  return out;
}

}  // namespace

std::string order_page(const std::vector<TimedRun>& runs) {
  std::string out =
      "# Step times, measured and modelled\n"
      "What the step-time model ([cost.md](cost.md)) says beside what was measured, for the runs of\n"
      "tests/data/cost. This page is written by the tests in tests/cost: `HEADROOM_UPDATE_GOLDENS=1 ctest -R "
      "cost`\n"
      "writes it anew, and the test fails while it is out of date. Times are over the fastest run of a "
      "group, whose\n"
      "runs share model, GPU kind and global batch. A pair counts where its measured times differ by more "
      "than 10 %\n"
      "and something in the two configs tells them apart.\n\n"
      "| runs | pairs | right order |\n| --- | --- | --- |\n";
  for (const std::string& origin : distinct(runs, &TimedRun::origin)) {
    const Order order = order_of(runs, origin);
    const int all = order.right + order.wrong;
    out += fmt::format("| {} | {} | {:.1f} % |\n", origin, all, all == 0 ? 0.0 : 100.0 * order.right / all);
  }
  for (const std::string& origin : distinct(runs, &TimedRun::origin)) {
    out += fmt::format("\n## {}\n", origin);
    std::vector<TimedRun> of_origin;
    for (const TimedRun& run : runs) {
      if (run.origin == origin) of_origin.push_back(run);
    }
    for (const std::string& group : distinct(of_origin, &TimedRun::group))
      out += group_table(of_origin, group);
  }
  return out;
}

}  // namespace headroom::test
