// `headroom effective`: what the framework will really run, and where each value came from.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/terminal.hpp"
#include "output.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

using Json = nlohmann::ordered_json;
using resolve::OriginKind;
using schema::FieldId;

std::string_view name_of(OriginKind kind) {
  switch (kind) {
    case OriginKind::default_value:
      return "default";
    case OriginKind::file:
      return "file";
    case OriginKind::set_option:
      return "set";
    case OriginKind::model_facts:
      return "model";
    case OriginKind::recipe:
      return "recipe";
    case OriginKind::rewritten:
      return "rewritten";
    case OriginKind::environment:
      return "environment";
    case OriginKind::launch:
      return "launch";
    case OriginKind::derived:
      return "derived";
  }
  return "default";
}

class Effective {
 public:
  explicit Effective(const Options& options) : options_(options), schema_(schema::embedded_schema()) {}

  ExitStatus run() {
    Single input;
    if (const ExitStatus status = read_single(options_, "effective", input); status != exit_clean)
      return status;
    outcome_ = std::move(input.outcome);
    if (!choose(input.rest)) return exit_usage;
    for (const auto& note : outcome_.notes)
      static_cast<void>(write(stderr, "note: " + report::printable(note) + "\n"));
    return write(stdout, options_.format == Format::json ? json() : table()) ? exit_clean : exit_usage;
  }

 private:
  // Fields asked for, else those that are not simply at their default.
  bool choose(const std::vector<std::string>& names) {
    for (const auto& name : names) {
      const FieldId id = schema_.find(name);
      if (id == schema::no_field) {
        complain(options_, fmt::format("no field '{}'{}", name, suggestion(name)));
        return false;
      }
      chosen_.push_back(id);
    }
    if (!names.empty()) return true;
    for (const FieldId id : schema_.by_name) {
      if (interesting(id)) chosen_.push_back(id);
    }
    return true;
  }

  [[nodiscard]] bool interesting(FieldId id) const {
    const schema::Field& field = schema_.field(id);
    if (field.space == schema::Space::section) return false;
    const resolve::EffectiveConfig& config = outcome_.config;
    if (config.set[id] != 0) return true;
    if (options_.all) {
      return field.space == schema::Space::config ? schema::contains(field.releases, config.launch.release)
                                                  : !config.now[id].is_unknown();
    }
    // What a saved config writes although nobody chose it is at its default, too.
    const OriginKind kind = config.origin[id].kind;
    return field.space == schema::Space::config && kind != OriginKind::default_value &&
           kind != OriginKind::file;
  }

  [[nodiscard]] std::string suggestion(const std::string& name) const {
    const auto close = schema_.suggest(name, outcome_.config.launch.release);
    return close.empty() ? std::string() : fmt::format("; did you mean {}?", fmt::join(close, " or "));
  }

  [[nodiscard]] const dialect::Setting* written(FieldId id) const {
    return outcome_.config.set[id] != 0 ? outcome_.settings.find(id) : nullptr;
  }

  [[nodiscard]] std::string who(FieldId id) const {
    const dialect::Setting* setting = written(id);
    const resolve::Origin& origin = outcome_.config.origin[id];
    const std::string by(origin.by);
    if (setting == nullptr) return by;
    std::string where;
    if (setting->place.source != nullptr && setting->place.from == dialect::From::file) {
      const auto at = setting->place.source->position(setting->place.value.begin);
      where = fmt::format("line {}", at.line);
    }
    if (origin.kind == OriginKind::file || origin.kind == OriginKind::set_option) return where;
    if (origin.kind == OriginKind::recipe && setting->place.from == dialect::From::recipe) return by;
    return fmt::format("{}; written: {}{}", by, outcome_.config.raw[id].to_text(),
                       where.empty() ? "" : " (" + where + ")");
  }

  [[nodiscard]] std::string table() const {
    std::vector<std::vector<std::string>> rows{{"field", "value", "origin", "who"}};
    for (const FieldId id : chosen_) {
      std::string value = report::printable(outcome_.config.now[id].to_text());
      constexpr std::size_t longest = 60;
      if (value.size() > longest && chosen_.size() > 1) value = report::first_words(value, longest);
      rows.push_back({std::string(schema_.field(id).name), report::printable(value),
                      std::string(name_of(outcome_.config.origin[id].kind)), report::printable(who(id))});
    }
    const report::TextOptions style = text_options(options_, stdout);
    return report::wrapped_table(rows, style.width, style.color);
  }

  [[nodiscard]] std::string json() const {
    Json out;
    out["schema"] = 1;
    out["headroom"] = HEADROOM_VERSION;
    out["bridge"] = schema::name(outcome_.config.launch.release);
    out["values"] = Json::object();
    for (const FieldId id : chosen_) {
      Json entry;
      entry["value"] = report::to_json(outcome_.config.now[id]);
      if (outcome_.config.now[id].is_unknown()) entry["unknown"] = true;
      const dialect::Setting* setting = written(id);
      if (setting != nullptr) entry["written"] = report::to_json(outcome_.config.raw[id]);
      entry["origin"] = name_of(outcome_.config.origin[id].kind);
      if (!outcome_.config.origin[id].by.empty()) entry["by"] = outcome_.config.origin[id].by;
      if (setting != nullptr && setting->place.source != nullptr &&
          setting->place.from == dialect::From::file) {
        entry["location"] = report::to_json(setting->place.source->location(setting->place.value));
      }
      out["values"][std::string(schema_.field(id).name)] = std::move(entry);
    }
    return report::dump(out);
  }

  const Options& options_;
  const schema::Schema& schema_;
  lint::Outcome outcome_;
  std::vector<FieldId> chosen_;
};

}  // namespace

ExitStatus effective(const Options& options) {
  return Effective(options).run();
}

}  // namespace headroom::app
