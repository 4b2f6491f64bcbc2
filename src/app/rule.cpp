// `headroom rule`: the list of rules, or the page of one.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "evidence_text.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/terminal.hpp"
#include "output.hpp"
#include "packs.hpp"

namespace headroom::app {
namespace {

using Json = nlohmann::ordered_json;
using rules::Rule;

constexpr unsigned list_width = 80;

// `all`, `>=0.4.2`, `<=0.5.1`, `0.4.2-0.6.0`, or the releases one by one.
std::string releases_text(schema::ReleaseSet set) {
  std::vector<int> in;
  for (int i = 0; i < schema::release_count; ++i) {
    if (schema::contains(set, static_cast<schema::Release>(i))) in.push_back(i);
  }
  const auto name = [](int i) { return schema::name(static_cast<schema::Release>(i)); };
  if (in.empty()) return "none";
  const int last = schema::release_count - 1;
  if (in.size() == schema::release_count) return "all";
  if (in.size() == 1) return std::string(name(in.front()));
  const bool run = in.back() - in.front() + 1 == static_cast<int>(in.size());
  if (run && in.back() == last) return fmt::format(">={}", name(in.front()));
  if (run && in.front() == 0) return fmt::format("<={}", name(in.back()));
  if (run) return fmt::format("{}-{}", name(in.front()), name(in.back()));
  std::vector<std::string_view> names;
  for (const int i : in) names.push_back(name(i));
  return fmt::format("{}", fmt::join(names, " "));
}

std::vector<std::string_view> layer_names(resolve::LayerSet set) {
  static constexpr std::array<std::string_view, 3> names{"bridge", "megatron-core", "megatron-lm"};
  std::vector<std::string_view> out;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (((set >> i) & 1U) != 0) out.push_back(names.at(i));
  }
  return out;
}

class RuleCommand {
 public:
  explicit RuleCommand(const Options& options) : options_(options) {}

  ExitStatus run() {
    auto packs = packs_.load(options_.rule_dirs);
    if (!packs) {
      for (const auto& error : packs.error()) {
        static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
      }
      return exit_usage;
    }
    packs->insert(packs->begin(), &rules::embedded_rules());
    for (const auto* pack : *packs) {
      for (const Rule& rule : pack->rules) all_.push_back(&rule);
    }
    const auto by_id = [](const Rule* a, const Rule* b) { return a->id < b->id; };
    std::stable_sort(all_.begin(), all_.end(), by_id);
    for (const auto& word : options_.words) {
      if (!choose(word)) return exit_usage;
    }
    if (options_.words.empty()) chosen_ = all_;
    const bool page =
        options_.words.size() == 1 && chosen_.size() == 1 && chosen_.front()->id == options_.words.front();
    std::string out;
    if (options_.format == Format::json) {
      out = json(page);
    } else {
      out = page ? page_of(*chosen_.front()) : list();
    }
    return write(stdout, out) ? exit_clean : exit_usage;
  }

 private:
  // An id, an area (`offload`) or a glob.
  bool choose(const std::string& word) {
    const std::size_t before = chosen_.size();
    const rules::Selection selection{{word}, {}};
    for (const Rule* rule : all_) {
      if (rule->id == word || selection.wants(rule->id)) chosen_.push_back(rule);
    }
    if (chosen_.size() != before) return true;
    std::vector<std::string_view> ids;
    for (const Rule* rule : all_) ids.push_back(rule->id);
    std::string close = lang::did_you_mean(word, ids);
    if (close.empty()) {  // the last part alone: `pipeline-parallel`
      const auto ends = [&](std::string_view id) { return id.ends_with("/" + word); };
      if (const auto found = std::find_if(ids.begin(), ids.end(), ends); found != ids.end()) {
        close = fmt::format("; did you mean '{}'?", *found);
      }
    }
    complain(options_, fmt::format("no rule '{}'{}", word, close));
    return false;
  }

  [[nodiscard]] std::string list() const {
    const bool color = text_options(options_, stdout).color;
    std::string out;
    for (const Rule* rule : chosen_) {
      out += report::paint(rule->id, report::Style::bold, color);
      out += fmt::format("  {}, {}\n", rules::to_string(rule->severity), releases_text(rule->releases));
      for (const auto& line : report::wrap(rule->title, list_width - 4)) out += fmt::format("    {}\n", line);
    }
    return out;
  }

  [[nodiscard]] static std::string fix_line(const rules::FixData& fix) {
    const schema::Schema& schema = schema::embedded_schema();
    std::vector<std::string> words;
    for (const auto& set : fix.set)
      words.push_back(fmt::format("{}={}", schema.field(set.field).name, set.text));
    for (const auto id : fix.unset) words.push_back(fmt::format("~{}", schema.field(id).name));
    for (const auto& env : fix.env) {
      words.push_back(env.unset ? fmt::format("env -u {}", env.name)
                                : fmt::format("env {}={}", env.name, env.value));
    }
    return fmt::format("{}", fmt::join(words, " "));
  }

  [[nodiscard]] static std::string evidence_of(const Rule& rule) {
    std::string out;
    for (const schema::Evidence& evidence : schema::embedded_schema().evidence) {
      const auto cites = [&](const rules::FixData& fix) {
        return std::find(fix.evidence.begin(), fix.evidence.end(), evidence.id) != fix.evidence.end();
      };
      if (std::none_of(rule.fixes.begin(), rule.fixes.end(), cites)) continue;
      std::string_view name = "evidence";
      for (const std::string& line : evidence_lines(evidence)) {
        for (const auto& piece : report::wrap(line, list_width - 13)) {
          if (!piece.empty()) out += fmt::format("  {:<10} {}\n", name, piece);
          name = "";
        }
      }
    }
    return out;
  }

  [[nodiscard]] std::string page_of(const Rule& rule) const {
    const bool color = text_options(options_, stdout).color;
    const auto bold = [&](std::string_view text) { return report::paint(text, report::Style::bold, color); };
    std::string out = bold(rule.id) + "\n";
    const auto fact = [&](std::string_view name, const std::string& value) {
      bool first = true;
      for (const auto& line : report::wrap(value, list_width - 13)) {
        if (!line.empty()) out += fmt::format("  {:<10} {}\n", first ? name : "", line);
        first = false;
      }
    };
    fact("severity", std::string(rules::to_string(rule.severity)));
    if (rule.severity == rules::Severity::error)
      fact("fails at", std::string(rules::to_string(rule.fails_at)));
    fact("releases", releases_text(rule.releases));
    if (rule.layers != resolve::all_layers)
      fact("checked by", fmt::format("{}", fmt::join(layer_names(rule.layers), ", ")));
    fact("when", rule.when_text.empty() ? "(found by a native check)" : std::string(rule.when_text));
    for (const auto& fix : rule.fixes) {
      const std::string words = fix_line(fix);
      const std::string title(fix.title);
      fact("fix", title.empty() ? words : words.empty() ? title : fmt::format("{}: {}", title, words));
    }
    for (const auto& ref : rule.sources)
      fact("source", fmt::format("{} {}: {}", ref.repo, ref.path, ref.what));
    out += evidence_of(rule);
    std::string_view page = rule.page;
    page.remove_prefix(std::min(page.find_first_not_of('\n'), page.size()));
    return out + "\n" + filled(page);
  }

  /// Prose fills lines of its own length; headings, tables and what is indented or fenced stay.
  [[nodiscard]] static std::string filled(std::string_view page) {
    std::string out, prose;
    bool fenced = false;
    const auto flush = [&] {
      if (!prose.empty())
        for (const auto& line : report::wrap(prose, list_width)) out += line + "\n";
      prose.clear();
    };
    while (!page.empty()) {
      const std::string_view line = page.substr(0, page.find('\n'));
      page.remove_prefix(std::min(line.size() + 1, page.size()));
      const bool fence = line.starts_with("```");
      const bool item = line.starts_with("- ");
      const bool as_it_is =
          fenced || fence || line.empty() || std::string_view("#| ").find(line[0]) != std::string_view::npos;
      if (as_it_is || item) flush();
      if (as_it_is)
        out += std::string(line) + "\n";
      else
        prose += (prose.empty() ? "" : " ") + std::string(line);
      fenced = fenced != fence;
    }
    flush();
    return out;
  }

  [[nodiscard]] static Json json_of(const rules::FixData& fix) {
    const schema::Schema& schema = schema::embedded_schema();
    Json out;
    out["title"] = fix.title;
    out["set"] = Json::object();
    for (const auto& set : fix.set) out["set"][std::string(schema.field(set.field).name)] = set.text;
    out["unset"] = Json::array();
    for (const auto id : fix.unset) out["unset"].push_back(schema.field(id).name);
    out["env"] = Json::object();
    for (const auto& env : fix.env)
      out["env"][std::string(env.name)] = env.unset ? Json(nullptr) : Json(env.value);
    out["safety"] = fix.safety == rules::Safety::execution ? "execution" : "training";
    out["evidence"] = std::vector<std::string_view>(fix.evidence.begin(), fix.evidence.end());
    return out;
  }

  [[nodiscard]] static Json json_of(const Rule& rule, bool page) {
    Json out;
    out["id"] = rule.id;
    out["title"] = rule.title;
    out["severity"] = rules::to_string(rule.severity);
    if (rule.severity == rules::Severity::error) out["fails_at"] = rules::to_string(rule.fails_at);
    out["releases"] = Json::array();
    for (int i = 0; i < schema::release_count; ++i) {
      const auto release = static_cast<schema::Release>(i);
      if (schema::contains(rule.releases, release)) out["releases"].push_back(schema::name(release));
    }
    out["applies_to"] = layer_names(rule.layers);
    if (!page) return out;
    out["when"] = rule.when_text.empty() ? Json(nullptr) : Json(rule.when_text);
    out["at"] = Json::array();
    for (const auto id : rule.at) out["at"].push_back(schema::embedded_schema().field(id).name);
    out["fixes"] = Json::array();
    for (const auto& fix : rule.fixes) out["fixes"].push_back(json_of(fix));
    out["sources"] = Json::array();
    for (const auto& ref : rule.sources) {
      out["sources"].push_back({{"repo", ref.repo}, {"path", ref.path}, {"what", ref.what}});
    }
    out["constraints"] = std::vector<std::string_view>(rule.constraints.begin(), rule.constraints.end());
    out["file"] = rule.file;
    out["page"] = rule.page;
    return out;
  }

  [[nodiscard]] std::string json(bool page) const {
    Json out;
    out["schema"] = 1;
    out["headroom"] = HEADROOM_VERSION;
    out["rules"] = Json::array();
    for (const Rule* rule : chosen_) out["rules"].push_back(json_of(*rule, page));
    return report::dump(out);
  }

  const Options& options_;
  Packs packs_;
  std::vector<const Rule*> all_, chosen_;
};

}  // namespace

ExitStatus rule(const Options& options) {
  return RuleCommand(options).run();
}

}  // namespace headroom::app
