#include <cmath>
#include <nlohmann/json.hpp>

#include "headroom/report/json.hpp"
#include "headroom/report/plan.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

Json bytes(double x) {
  return std::llround(x);
}

Json layout(const plan::Layout& l) {
  Json out{{"tp", l.tp}, {"pp", l.pp}, {"vpp", l.vpp}, {"cp", l.cp}};
  if (l.moe) out.update({{"ep", l.ep}, {"etp", l.etp}});
  out.update({{"dp", l.dp}, {"micro_batch_size", l.micro_batch}, {"microbatches", l.microbatches}});
  return out;
}

Json one(const plan::Plan& p) {
  Json out;
  out["set"] = Json::object();
  for (const auto& [field, value] : p.change.set) out["set"][field] = to_json(value);
  out["unset"] = p.change.unset;
  out["env"] = Json::object();
  for (const auto& [name, value] : p.change.env) out["env"][name] = value ? Json(*value) : Json(nullptr);
  out["peak_bytes"] = bytes(p.peak);
  out["used_bytes"] = bytes(p.used);
  out["verdict"] = memory::name_of(p.verdict);
  out["host_bytes"] = bytes(p.host);
  out["step_time_ratio"] = p.time.value;
  out["step_time_low"] = p.time.low;
  out["step_time_high"] = p.time.high;
  out["basis"] = "modelled";
  out["why"] = p.why;
  out["layout"] = layout(p.layout);
  out["choices"] = p.choices;
  out["safety"] = p.change.safety == rules::Safety::execution ? "execution" : "training";
  out["warnings"] = p.warnings;
  return out;
}

Json given(const plan::Given& g) {
  Json out{{"peak_bytes", bytes(g.peak)},
           {"used_bytes", bytes(g.used)},
           {"step_time_ratio", 1.0},
           {"legal", g.legal},
           {"errors", g.errors},
           {"fits", g.fits},
           {"verdict", memory::name_of(g.verdict)},
           {"rank", nullptr}};
  if (g.rank) out["rank"] = *g.rank;
  out["layout_rank"] = g.layout_rank ? Json(*g.layout_rank) : Json(nullptr);
  out["layouts"] = g.layouts;
  out["layout"] = layout(g.layout);
  out["why_not_better"] = g.why_not_better;
  return out;
}

}  // namespace

std::string plan_json(const PlanReport& report) {
  const plan::Result& r = report.result;
  Json out;
  out["schema"] = 1;
  out["path"] = report.path;
  out["searched"] = r.searched;
  out["legal"] = r.legal;
  out["fitting"] = r.fitting;
  out["seconds"] = r.seconds;
  out["capacity_bytes"] = bytes(r.capacity);
  out["given"] = given(r.given);
  out["plans"] = Json::array();
  for (std::size_t i = 0; i < r.plans.size(); ++i) {
    out["plans"].push_back(one(r.plans[i]));
    if (i < report.words.size()) out["plans"].back()["words"] = report.words[i];
  }
  out["pareto"] = Json::array();
  for (const auto& p : r.pareto) out["pareto"].push_back(one(p));
  out["errors"] = r.errors;
  out["obstacles"] = Json::array();
  for (const auto& o : r.obstacles)
    out["obstacles"].push_back({{"rule", o.rule}, {"candidates", o.candidates}});
  return dump(out);
}

}  // namespace headroom::report
