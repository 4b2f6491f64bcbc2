#include "headroom/report/json.hpp"

#include <cmath>
#include <nlohmann/json.hpp>

#include "fix_json.hpp"
#include "headroom/report/report.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

/// Thousandths are more than a model knows.
double rounded(double ratio) {
  return std::round(ratio * 1e3) / 1e3;
}

// A mark in another source than the file (`--set`) says which, as its line and column are of that.
Json to_json(const rules::Mark& mark, const std::string& path) {
  Json out;
  out["field"] = mark.field;
  if (!mark.source.empty() && mark.source != path) {
    out["source"] = mark.source;
    return out;
  }
  out.update(report::to_json(mark.location));
  return out;
}

Json to_json(const rules::Diagnostic& d, const std::string& path) {
  Json out;
  out["rule"] = d.rule;
  out["severity"] = rules::to_string(d.severity);
  if (d.severity == rules::Severity::error) out["fails_at"] = rules::to_string(d.fails_at);
  out["message"] = d.message;
  out["fields"] = d.fields;
  if (d.primary) {
    if (d.primary->source.empty() || d.primary->source == path) {
      out["location"] = report::to_json(d.primary->location);
    } else {
      out["source"] = d.primary->source;
    }
  }
  out["related"] = Json::array();
  for (const auto& mark : d.related) out["related"].push_back(to_json(mark, path));
  out["fixes"] = Json::array();
  for (const auto& fix : d.fixes) out["fixes"].push_back(fix_json(fix));
  return out;
}

Json to_json(const memory::Peaks& p) {
  const auto bytes = [](double x) { return std::llround(x); };
  const memory::StagePeaks& top = p.peak();
  return {{"peak_bytes", bytes(top.peak)},
          {"low_bytes", bytes(p.low)},
          {"high_bytes", bytes(p.high)},
          {"used_bytes", bytes(p.used)},
          {"capacity_bytes", bytes(p.capacity)},
          {"fits", p.fits()},
          {"stage", top.stage},
          {"phase", memory::name_of(top.phase)}};
}

Json to_json(const FileReport& file) {
  Json out;
  out["path"] = file.path;
  out["verdict"] = verdict(file);
  if (file.unreadable) {
    out["message"] = file.unreadable->message;
    if (file.unreadable->has_location) out["location"] = report::to_json(file.unreadable->location);
    out["diagnostics"] = Json::array();  // every entry has the list: nothing was checked here
    return out;
  }
  out["context"] = Json::object();
  for (const auto& [key, value] : file.context) out["context"][key] = report::to_json(value);
  if (!file.notes.empty()) out["notes"] = file.notes;
  if (!file.left_out.empty()) {
    out["left_out"] = Json::array();
    for (const auto& l : file.left_out) out["left_out"].push_back({{"needs", l.need}, {"checks", l.checks}});
  }
  out["diagnostics"] = Json::array();
  const std::string name = file.text != nullptr ? file.text->name() : file.path;
  for (const auto& d : file.diagnostics) out["diagnostics"].push_back(to_json(d, name));
  for (const auto& s : file.suppressed) {
    Json entry{{"rule", s.finding.rule},
               {"severity", rules::to_string(s.finding.severity)},
               {"message", s.finding.message},
               {"fields", s.finding.fields},
               {"by", s.by}};
    if (!s.reason.empty()) entry["reason"] = s.reason;
    if (s.finding.primary && s.finding.primary->source == name)
      entry["location"] = report::to_json(s.finding.primary->location);
    out["suppressed"].push_back(std::move(entry));
  }
  if (file.memory) out["memory"] = to_json(*file.memory);
  if (!file.diff.empty()) out["diff"] = file.diff;
  return out;
}

}  // namespace

Json fix_json(const rules::Fix& fix) {
  Json out;
  out["title"] = fix.title;
  out["set"] = Json::object();
  for (const auto& [field, value] : fix.set) out["set"][field] = report::to_json(value);
  out["unset"] = fix.unset;
  out["env"] = Json::object();
  for (const auto& [name, value] : fix.env) out["env"][name] = value ? Json(*value) : Json(nullptr);
  out["safety"] = fix.safety == rules::Safety::execution ? "execution" : "training";
  out["verified"] = fix.verified;
  if (fix.time) {
    out["step_time_ratio"] = rounded(fix.time->ratio);
    out["step_time_low"] = rounded(fix.time->low);
    out["step_time_high"] = rounded(fix.time->high);
  }
  out["basis"] = !fix.time ? "unknown" : fix.time->measured ? "measured" : "modelled";
  out["evidence"] = fix.evidence;
  if (fix.memory) {
    out["peak_bytes"] = static_cast<std::int64_t>(fix.memory->peak);
    out["peak_delta_bytes"] = static_cast<std::int64_t>(fix.memory->delta);
    out["fits"] = fix.memory->fits;
  }
  if (!fix.also_repairs.empty()) out["also_repairs"] = fix.also_repairs;
  return out;
}

Json to_json(const source::Value& value) {
  if (value.is_bool()) return value.as_bool();
  if (value.is_int()) return value.as_int();
  if (value.is_double()) {
    const double d = value.as_double();
    if (std::isnan(d)) return "nan";
    if (std::isinf(d)) return d > 0 ? "inf" : "-inf";
    return d;
  }
  if (value.is_string()) return value.as_string();
  if (value.is_opaque()) return Json::object();
  if (value.is_mapping()) {
    Json mapping = Json::object();
    for (const auto& [key, item] : value.as_mapping()) mapping[key] = to_json(item);
    return mapping;
  }
  if (!value.is_list()) return nullptr;
  Json list = Json::array();
  for (const auto& item : value.as_list()) list.push_back(to_json(item));
  return list;
}

Json to_json(const source::Location& location) {
  return {{"line", location.start.line},
          {"column", location.start.column},
          {"end_line", location.end.line},
          {"end_column", location.end.column}};
}

std::string dump(const Json& document) {
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json(const std::vector<FileReport>& files, std::string_view version) {
  Json out;
  out["schema"] = 1;
  out["headroom"] = version;
  out["files"] = Json::array();
  for (const auto& file : files) out["files"].push_back(to_json(file));
  return dump(out);
}

}  // namespace headroom::report
