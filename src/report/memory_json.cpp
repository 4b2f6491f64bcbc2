#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "headroom/report/json.hpp"
#include "headroom/report/memory.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

/// Sizes beyond what the number holds are its largest.
std::int64_t bytes(double x) {
  constexpr double most = 9e18;
  return std::llround(std::clamp(x, -most, most));
}

Json stage_json(const memory::StagePeaks& s) {
  return {{"stage", s.stage},
          {"layers", s.layers},
          {"weights_bytes", bytes(s.weights)},
          {"gradients_bytes", bytes(s.gradients)},
          {"optimizer_bytes", bytes(s.optimizer)},
          {"activation_bytes", bytes(s.activations)},
          {"logits_bytes", bytes(s.logits)},
          {"workspace_bytes", bytes(s.workspace)},
          {"static_bytes", bytes(s.static_bytes)},
          {"optimizer_step_bytes", bytes(s.optimizer_step)},
          {"in_flight", bytes(s.in_flight)},
          {"peak_bytes", bytes(s.peak)},
          {"peak_phase", memory::name_of(s.phase)}};
}

Json line_json(const memory::Line& l) {
  return {{"stage", l.stage},        {"name", l.name},       {"module", l.module}, {"phase", l.phase},
          {"bytes", bytes(l.bytes)}, {"formula", l.formula}, {"source", l.source}, {"fields", l.fields}};
}

}  // namespace

std::string memory_json(const MemoryReport& report) {
  const memory::Peaks& p = report.ledger.peaks;
  Json out;
  out["schema"] = 1;
  out["peak_bytes"] = bytes(p.peak().peak);
  out["low_bytes"] = bytes(p.low);
  out["high_bytes"] = bytes(p.high);
  out["reserved_bytes"] = bytes(p.reserved);
  out["used_bytes"] = bytes(p.used);
  out["capacity_bytes"] = p.capacity > 0 ? Json(bytes(p.capacity)) : Json(nullptr);
  out["fits"] = p.capacity > 0 ? Json(p.fits()) : Json(nullptr);
  out["verdict"] = memory::name_of(report.verdict);
  out["host_bytes"] = bytes(p.host);
  out["stages"] = Json::array();
  for (const auto& stage : p.stages) out["stages"].push_back(stage_json(stage));
  out["items"] = Json::array();
  for (const auto& line : report.ledger.lines) out["items"].push_back(line_json(line));
  out["assumptions"] = report.assumptions;
  return dump(out);
}

}  // namespace headroom::report
