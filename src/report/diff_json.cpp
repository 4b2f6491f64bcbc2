#include <cmath>
#include <nlohmann/json.hpp>

#include "diff_words.hpp"
#include "headroom/report/json.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

Json finding(const rules::Diagnostic& d) {
  Json out{{"rule", d.rule}, {"severity", rules::to_string(d.severity)}};
  if (d.severity == rules::Severity::error) out["fails_at"] = rules::to_string(d.fails_at);
  out["message"] = d.message;
  out["fields"] = d.fields;
  if (d.primary) {
    out["source"] = d.primary->source;
    out["location"] = to_json(d.primary->location);
  }
  return out;
}

Json findings(const std::vector<rules::Diagnostic>& list) {
  Json out = Json::array();
  for (const auto& d : list) out.push_back(finding(d));
  return out;
}

Json bytes(std::optional<double> x) {
  return x ? Json(std::llround(*x)) : Json(nullptr);
}

}  // namespace

std::string diff_json(const DiffReport& report) {
  const diff::Diff& d = report.diff;
  Json out{{"schema", 1}, {"old", report.before}, {"new", report.after}};
  out["appeared"] = findings(d.appeared);
  out["gone"] = findings(d.gone);
  out["stages"] = Json::array();
  if (d.memory) {
    for (const auto& s : d.memory->stages)
      out["stages"].push_back(
          {{"stage", s.stage}, {"old_peak_bytes", bytes(s.before)}, {"new_peak_bytes", bytes(s.after)}});
    const diff::Memory& m = *d.memory;
    out["memory"] = {{"old_peak_bytes", bytes(m.before_peak)},
                     {"new_peak_bytes", bytes(m.after_peak)},
                     {"old_used_bytes", bytes(m.before_used)},
                     {"new_used_bytes", bytes(m.after_used)},
                     {"old_fits", m.before_fits},
                     {"new_fits", m.after_fits},
                     {"capacity_bytes", bytes(m.after_capacity)}};
  } else {
    out["memory"] = nullptr;
    out["no_memory"] = d.no_memory;
  }
  out["step_time_ratio"] = d.time ? Json(d.time->value) : Json(nullptr);
  if (d.time) {
    out["step_time_low"] = d.time->low;
    out["step_time_high"] = d.time->high;
    out["basis"] = "modelled";
  }
  out["changed"] = Json::array();
  for (const auto& c : d.changed)
    out["changed"].push_back({{"field", c.field},
                              {"old", to_json(c.before)},
                              {"new", to_json(c.after)},
                              {"old_origin", shown_origin(c.before_origin)},
                              {"new_origin", shown_origin(c.after_origin)},
                              {"chosen", c.written}});
  out["over_budget"] = report.over;
  return dump(out);
}

}  // namespace headroom::report
