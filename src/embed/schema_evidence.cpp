#include <fmt/format.h>

#include <algorithm>

#include "schema_builder.hpp"

namespace headroom::embed {

using source::NodeId;

namespace {

/// Step time, or what is proportional to it: the runs of a comparison do the same work.
double seconds_of(const TableReader& in, NodeId run) {
  const auto ms = in.number(run, "step_time_ms"), rate = in.number(run, "tflops_per_gpu"),
             change = in.number(run, "throughput");
  if (static_cast<int>(ms.has_value()) + rate.has_value() + change.has_value() > 1)
    in.fail(run, "one of step_time_ms, tflops_per_gpu and throughput");
  if (ms) return *ms / 1e3;
  if (rate && *rate > 0) return 1 / *rate;
  return change && *change > 0 ? 1 / *change : 0;
}

}  // namespace

std::span<const schema::FieldValue> SchemaBuilder::field_values(const TableReader& in, NodeId map) {
  std::vector<schema::FieldValue> out;
  if (map == source::no_node) return {};
  in.each(map, [&](std::string_view name, NodeId key, NodeId value) {
    const auto id = field_named(in, key, std::string(name));
    if (id == schema::no_field) return;
    out.push_back({id, literal(in, value)});
  });
  return arena_.keep(std::move(out));
}

schema::Evidence SchemaBuilder::one_evidence(const TableReader& in, const std::string& id) {
  in.only(in.root(), {"title", "model", "gpu", "gpus", "on", "limits", "source", "conditions", "runs"});
  schema::Evidence e;
  e.id = arena_.keep(id);
  const auto keep = [&](std::string_view key) {
    std::string text = in.text(in.root(), key);
    if (text.empty()) in.fail(in.root(), fmt::format("evidence needs '{}'", key));
    return arena_.keep(text);
  };
  e.title = keep("title");
  e.model = keep("model");
  e.gpu = keep("gpu");
  e.on = keep("on");
  e.limits = keep("limits");
  e.source = keep("source");
  e.gpus = static_cast<std::int32_t>(in.integer(in.root(), "gpus").value_or(0));
  if (out_.find_exact_model(e.model) == nullptr)
    in.fail(in.get(in.root(), "model"), fmt::format("there is no model '{}' in rules/models", e.model));
  if (out_.find_gpu(e.gpu) == nullptr)
    in.fail(in.get(in.root(), "gpu"), fmt::format("there is no GPU kind '{}'", e.gpu));
  e.conditions = field_values(in, in.get(in.root(), "conditions"));
  std::vector<schema::EvidenceRun> runs;
  in.each_item(in.get(in.root(), "runs"), [&](NodeId run) {
    in.only(run, {"name", "set", "step_time_ms", "tflops_per_gpu", "throughput", "peak_gb", "outcome"});
    const double peak = in.number(run, "peak_gb").value_or(0) * 1e9;
    runs.push_back({arena_.keep(in.text(run, "name")), field_values(in, in.get(run, "set")),
                    seconds_of(in, run), peak, in.text(run, "outcome") == "oom"});
  });
  if (runs.size() < 2) in.fail(in.root(), "a comparison has at least two runs");
  e.runs = arena_.keep(std::move(runs));
  return e;
}

void SchemaBuilder::read_evidence() {
  std::vector<schema::Evidence> out;
  for (const std::string& path : files_in(dir_ + "/evidence", ".yaml")) {
    auto in = TableReader::open(path, errors_);
    if (in) out.push_back(one_evidence(*in, stem(path)));
  }
  out_.evidence = arena_.keep(std::move(out));
}

}  // namespace headroom::embed
