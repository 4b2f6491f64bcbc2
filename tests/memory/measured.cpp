#include "measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <catch2/catch.hpp>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "../lint/support.hpp"

namespace headroom::test {
namespace {

constexpr double gibibyte = 1024.0 * 1024.0 * 1024.0;

/// A run is a config with its `headroom:` block, or a launch script with the world it ran on.
lint::Outcome read_run(const nlohmann::json& run) {
  if (!run.contains("script")) return lint_text(run["config"].dump());
  lint::Job job;
  job.text = std::make_shared<const source::SourceText>("run.sh", run["script"].get<std::string>());
  job.command_line.gpus = run["gpus"].get<std::int64_t>();
  job.command_line.gpu = run["gpu"].get<std::string>();
  job.selection.ignore = {"*"};
  job.want_fixes = false;
  return lint::lint(job);
}

double mean_of(const std::vector<double>& errors) {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e);
  return errors.empty() ? 0 : sum / static_cast<double>(errors.size());
}

std::string group_table(const std::vector<Point>& points, const std::string& group) {
  std::string rows;
  std::vector<double> peaks, statics;
  for (const Point& p : points) {
    if (p.group != group) continue;
    peaks.push_back(p.peak_error());
    if (p.published()) {
      rows += fmt::format("| {} | {} | | | {:.2f} | {:+.1f} % |\n", p.id, p.stage, p.peak_measured / gibibyte,
                          100 * p.peak_error());
      continue;
    }
    statics.push_back(p.static_error());
    rows += fmt::format("| {} | {} | {:.2f} | {:+.1f} % | {:.2f} | {:+.1f} % |\n", p.id, p.stage,
                        p.static_measured / gibibyte, 100 * p.static_error(), p.peak_measured / gibibyte,
                        100 * p.peak_error());
  }
  return fmt::format(
      "\n## {}\n{} stages, mean absolute error: {}peak {:.2f} %.\n\n"
      "| run | stage | static, GiB | predicted | peak, GiB | predicted |\n| --- | --- | --- | --- | --- | "
      "--- |\n{}",
      group, peaks.size(),
      statics.empty() ? std::string() : fmt::format("static {:.2f} %, ", 100 * mean_of(statics)),
      100 * mean_of(peaks), rows);
}

}  // namespace

std::vector<Point> measured_points() {
  std::ifstream file(HEADROOM_SOURCE_DIR "/tests/data/memory/measured.jsonl");
  REQUIRE(file);
  std::vector<Point> points;
  for (std::string line; std::getline(file, line);) {
    const auto run = nlohmann::json::parse(line);
    INFO(run["id"].get<std::string>());
    const auto outcome = read_run(run);
    REQUIRE_FALSE(outcome.unreadable);
    const auto shape = memory::read_shape(outcome.config);
    REQUIRE(shape);
    const auto predicted = memory::peaks(shape->shape);
    for (const auto& m : run["measured"]) {
      const auto stages = static_cast<std::int32_t>(predicted.stages.size());
      const auto stage = m["stage"].get<std::int32_t>();
      // -1: the last stage; -2: the fullest, where nobody says which rank was read
      const auto fullest = static_cast<std::int32_t>(predicted.highest);
      points.push_back({run["group"], run["id"],
                        stage == -2 ? fullest
                        : stage < 0 ? stages + stage
                                    : stage,
                        m.value("static", 0.0), m["peak"], predicted});
    }
  }
  return points;
}

std::string accuracy_page(const std::vector<Point>& points) {
  std::string page =
      "# Accuracy\n"
      "What the ledger predicts beside what was measured, for every measured run in tests/data/memory. This "
      "page is written\n"
      "by the tests in tests/memory: `HEADROOM_UPDATE_GOLDENS=1 ctest -R memory` writes it anew, and the "
      "test fails while it\n"
      "is out of date. Static is what stays allocated between steps, peak the highest of a step, both as "
      "torch counts them.\n"
      "Where the figures come from: tests/data/memory/README.md. Published runs are known in outline only.\n";
  std::vector<std::string> groups;
  for (const Point& p : points) {
    if (std::find(groups.begin(), groups.end(), p.group) == groups.end()) groups.push_back(p.group);
  }
  for (const auto& group : groups) page += group_table(points, group);
  return page;
}

}  // namespace headroom::test
