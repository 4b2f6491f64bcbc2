// headroom_step_times FILE: modelled step time of each run of a JSONL file (tests/data/cost/README.md), by
// part.
#include <fmt/format.h>

#include <fstream>

#include "../cost/runs.hpp"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1]);
  for (const auto& run : headroom::test::read_timed_runs(in)) {
    fmt::print("{}\t{}\t{}\t{:.5f}\t{:.5f}", run.origin, run.group, run.id, run.seconds, run.modelled.total);
    for (const double part : run.modelled.parts) fmt::print("\t{:.5f}", part);
    fmt::print("\t{}\n", run.unreadable);
  }
}
