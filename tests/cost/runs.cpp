#include "runs.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

namespace headroom::test {
namespace {

lint::Outcome read_run(const nlohmann::json& run) {
  lint::Job job;
  if (run.contains("file")) {
    auto text = source::read_file(run["file"].get<std::string>());
    if (text) job.text = *text;
  } else if (run.contains("script")) {
    job.text = std::make_shared<const source::SourceText>("run.sh", run["script"].get<std::string>());
  } else {
    job.text = std::make_shared<const source::SourceText>("config.yaml", run["config"].dump());
  }
  for (const auto& word : run.value("sets", nlohmann::json::array())) {
    if (auto parsed = source::parse_override(word.get<std::string>(), "--set")) job.sets.push_back(*parsed);
  }
  if (run.contains("gpus")) job.command_line.gpus = run["gpus"].get<std::int64_t>();
  if (run.contains("gpu")) job.command_line.gpu = run["gpu"].get<std::string>();
  if (run.contains("bridge")) job.command_line.bridge = run["bridge"].get<std::string>();
  job.selection.ignore = {"*"};
  job.want_fixes = false;
  return lint::lint(job);
}

TimedRun model(const nlohmann::json& run) {
  TimedRun out{run["id"], run["group"], run["set"], run["seconds"], {}, {}};
  const lint::Outcome outcome = read_run(run);
  if (outcome.unreadable) {
    out.unreadable = outcome.unreadable->message;
    return out;
  }
  const auto shape = memory::read_shape(outcome.config);
  if (!shape) {
    out.unreadable = shape.error().message;
    return out;
  }
  out.modelled = cost::step_time(shape->shape, cost::read_job(outcome.config));
  return out;
}

}  // namespace

std::vector<TimedRun> read_timed_runs(std::istream& in) {
  std::vector<TimedRun> runs;
  for (std::string line; std::getline(in, line);) runs.push_back(model(nlohmann::json::parse(line)));
  return runs;
}

Order order_of(const std::vector<TimedRun>& runs, const std::string& origin) {
  std::map<std::string, std::vector<const TimedRun*>> groups;
  for (const TimedRun& run : runs) {
    if (run.origin == origin) groups[run.group].push_back(&run);
  }
  Order order;
  for (const auto& [name, members] : groups) {
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        const double measured = members[i]->seconds / members[j]->seconds;
        if (std::max(measured, 1 / measured) <= 1.1) continue;
        const double a = members[i]->modelled.total, b = members[j]->modelled.total;
        if (a == b && a > 0) {
          ++order.same;
          continue;
        }
        const bool right = a > 0 && b > 0 && (a > b) == (measured > 1);
        ++(right ? order.right : order.wrong);
      }
    }
  }
  return order;
}

}  // namespace headroom::test
