// `headroom convert`: the same settings in another config language.
#include "headroom/convert/convert.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/terminal.hpp"
#include "output.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

using Json = nlohmann::ordered_json;

std::string json(const convert::Converted& converted, const Options& options, const lint::Outcome& outcome) {
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
  out["notes"] = outcome.notes;
  return report::dump(out);
}

std::string remarks(const convert::Converted& converted, const lint::Outcome& outcome) {
  std::string out;
  for (const auto& note : outcome.notes) out += fmt::format("note: {}\n", report::printable(note));
  for (const auto& lost : converted.lost) {
    out += fmt::format("not kept: {} {}: {}\n", report::printable(lost.field),
                       report::printable(lost.value.to_text()), report::printable(lost.why));
  }
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
  const convert::Converted converted = options.to == "bridge"
                                           ? convert::to_bridge(from, rules::embedded_resolve())
                                           : convert::to_megatron_lm(from, rules::embedded_resolve());
  if (options.format == Format::json)
    return write(stdout, json(converted, options, input.outcome)) ? exit_clean : exit_usage;
  static_cast<void>(write(stderr, remarks(converted, input.outcome)));
  return write(stdout, converted.text) ? exit_clean : exit_usage;
}

}  // namespace headroom::app
