// `headroom convert`: the same settings in another config language.
#include "headroom/convert/convert.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "commands.hpp"
#include "headroom/lint/fix_text.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/terminal.hpp"
#include "output.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

using Json = nlohmann::ordered_json;

/// What a check of the result finds that one of the source does not.
struct Verdict {
  std::vector<std::string> repaired, left;
};

std::set<std::string> errors_of(const rules::Findings& findings) {
  std::set<std::string> out;
  for (const auto& d : findings.diagnostics)
    if (d.severity == rules::Severity::error) out.insert(d.rule);
  return out;
}

lint::Job job_of(const std::string& text, const Options& options, const resolve::LaunchContext& launch) {
  lint::Job job;
  const char* name = options.to == "bridge" ? "converted.yaml" : "converted.sh";
  job.text = std::make_shared<const source::SourceText>(name, text);
  job.dialect = options.to;
  job.command_line = options.context;
  job.command_line.bridge = std::string(schema::name(launch.release));
  job.command_line.gpus = launch.gpus;
  return job;
}

/// A value that one framework takes may be one that the other refuses.
Verdict repair(convert::Converted& converted, const Options& options, const lint::Outcome& source) {
  Verdict out;
  const rules::RulePack* const packs[] = {&rules::embedded_rules()};
  const auto known = errors_of(rules::evaluate(source.config, source.settings, packs, {}));
  lint::Job job = job_of(converted.text, options, source.config.launch);
  job.want_fixes = false;
  const lint::Outcome plain = lint::lint(job);
  for (const auto& d : plain.findings.diagnostics)
    if (d.severity == rules::Severity::error && !known.contains(d.rule))
      job.selection.select.push_back(d.rule);
  if (plain.unreadable || job.selection.select.empty()) return out;
  job.want_fixes = true;
  lint::Outcome before = lint::lint(job);
  const lint::Fixed fixed = lint::fix_text(job, before, {});
  const auto still = errors_of(fixed.outcome.findings);
  for (const auto& d : before.findings.diagnostics)
    (still.contains(d.rule) ? out.left : out.repaired).push_back(fmt::format("{} [{}]", d.message, d.rule));
  converted.text = fixed.text;
  return out;
}

std::string json(const convert::Converted& converted, const Verdict& verdict, const Options& options,
                 const lint::Outcome& outcome) {
  Json out;
  out["schema"] = 1;
  out["headroom"] = HEADROOM_VERSION;
  out["from"] = outcome.settings.dialect;
  out["to"] = options.to;
  out["text"] = converted.text;
  out["set"] = Json::object();
  for (const auto& change : converted.changes)
    if (change.value) out["set"][change.field] = report::to_json(*change.value);
  out["lost"] = Json::array();
  for (const auto& lost : converted.lost)
    out["lost"].push_back({{"field", lost.field}, {"value", report::to_json(lost.value)}, {"why", lost.why}});
  out["repaired"] = verdict.repaired;
  out["errors"] = verdict.left;
  out["notes"] = outcome.notes;
  return report::dump(out);
}

std::string remarks(const convert::Converted& converted, const Verdict& verdict,
                    const lint::Outcome& outcome) {
  std::string out;
  for (const auto& note : outcome.notes) out += fmt::format("note: {}\n", report::printable(note));
  for (const auto& lost : converted.lost) {
    out += fmt::format("not kept: {} {}: {}\n", report::printable(lost.field),
                       report::printable(lost.value.to_text()), report::printable(lost.why));
  }
  for (const auto& text : verdict.repaired) out += fmt::format("changed: {}\n", report::printable(text));
  for (const auto& text : verdict.left)
    out += fmt::format("warning: a check of the result finds: {}\n", report::printable(text));
  return out;
}

}  // namespace

ExitStatus convert(const Options& options) {
  Single input;
  if (const ExitStatus status = read_single(options, "convert", input); status != exit_clean) return status;
  if (!input.rest.empty()) {
    complain(options, "convert takes one CONFIG");
    return exit_usage;
  }
  const convert::From from{&input.outcome.config, &input.outcome.settings,
                           std::filesystem::path(input.path).filename().string()};
  convert::Converted converted = options.to == "bridge"
                                     ? convert::to_bridge(from, rules::embedded_resolve())
                                     : convert::to_megatron_lm(from, rules::embedded_resolve());
  const Verdict verdict = repair(converted, options, input.outcome);
  if (options.format == Format::json)
    return write(stdout, json(converted, verdict, options, input.outcome)) ? exit_clean : exit_usage;
  static_cast<void>(write(stderr, remarks(converted, verdict, input.outcome)));
  return write_own(stdout, converted.text) ? exit_clean : exit_usage;
}

}  // namespace headroom::app
