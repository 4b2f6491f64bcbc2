#include <cmath>
#include <nlohmann/json.hpp>

#include "fix_json.hpp"
#include "headroom/report/explain.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/snapshot.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

std::int64_t bytes(double x) {
  return std::llround(x);
}

void add(Json& out, const char* key, const std::optional<double>& value) {
  if (value) out[key] = bytes(*value);
}

Json facts_json(const oom::Diagnosis& d) {
  Json out = Json::object();
  const oom::AllocatorFigures& f = d.figures;
  add(out, "tried_bytes", d.tried);
  add(out, "free_bytes", f.free);
  add(out, "allocated_bytes", f.allocated);
  add(out, "reserved_unallocated_bytes", f.reserved_unallocated);
  add(out, "capacity_bytes", f.capacity);
  add(out, "allowed_bytes", f.allowed);
  add(out, "private_pools_bytes", f.private_pools);
  add(out, "in_use_bytes", f.in_use);
  if (f.others > 0) out["other_processes_bytes"] = bytes(f.others);
  if (f.gpu >= 0) out["gpu"] = f.gpu;
  if (d.deficit > 0) out["missing_bytes"] = bytes(d.deficit);
  return out;
}

Json tensors_json(const oom::Diagnosis& d) {
  Json out = Json::array();
  for (const auto& t : d.tensors)
    out.push_back({{"tensor", t.name}, {"what", t.what}, {"formula", t.formula}, {"bytes", bytes(t.bytes)}});
  return out;
}

Json comparison_json(const oom::Comparison& c) {
  return {{"stage", c.stage},
          {"expected_peak_bytes", bytes(c.expected_peak)},
          {"expected_states_bytes", bytes(c.expected_states)},
          {"expected_activations_bytes", bytes(c.expected_activations)},
          {"expected_logits_bytes", bytes(c.expected_logits)},
          {"seen_bytes", bytes(c.seen)},
          {"difference", c.difference}};
}

void add_details(Json& out, const oom::Diagnosis& d) {
  out["alternatives"] = Json::array();
  for (const auto& a : d.alternatives)
    out["alternatives"].push_back(
        {{"cause", oom::to_string(a.cause)}, {"confidence", a.confidence}, {"why", a.why}});
  out["arithmetic"] = tensors_json(d);
  if (d.comparison) out["expected"] = comparison_json(*d.comparison);
  out["notes"] = d.notes;
  out["questions"] = Json::array();
  out["ask"] = Json::array();
  for (const auto& q : d.questions) {
    out["questions"].push_back(q.text);
    out["ask"].push_back({{"key", q.key}, {"question", q.text}, {"default", q.default_value}});
  }
}

}  // namespace

std::string explain_json(const ExplainReport& report, std::string_view version,
                         const SnapshotReport* snapshot) {
  const oom::Diagnosis& d = report.diagnosis;
  Json out;
  out["schema"] = 1;
  out["headroom"] = version;
  out["path"] = report.path;
  out["cause"] = oom::to_string(d.cause);
  out["confidence"] = d.confidence;
  out["why"] = d.why;
  out["phase"] = schema::to_string(d.phase);
  out["rank"] = d.rank ? Json(*d.rank) : Json(nullptr);
  out["stage"] = d.stage ? Json(*d.stage) : Json(nullptr);
  if (!d.module.empty()) out["module"] = d.module;
  if (!d.kind.empty()) out["kind"] = d.kind;
  out["evidence"] = Json::array();
  for (const auto& e : d.evidence)
    out["evidence"].push_back({{"line", e.line}, {"text", e.text}, {"supports", e.supports}});
  out["facts"] = facts_json(d);
  add_details(out, d);
  out["advice"] = report.advice;
  if (!report.caught_by.empty()) out["rules"] = report.caught_by;
  out["fixes"] = Json::array();
  for (const auto& fix : report.fixes) out["fixes"].push_back(fix_json(fix));
  if (snapshot != nullptr) out["snapshot"] = snapshot_json(*snapshot);
  return dump(out);
}

}  // namespace headroom::report
