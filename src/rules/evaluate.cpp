#include <algorithm>
#include <set>
#include <tuple>

#include "headroom/rules/pack.hpp"
#include "marks.hpp"
#include "native.hpp"

namespace headroom::rules {
namespace {

using resolve::EffectiveConfig;
using source::Value;

bool applies(const Rule& rule, const EffectiveConfig& config) {
  const bool layer = ((rule.layers >> static_cast<unsigned>(config.layer)) & 1u) != 0;
  return layer && schema::contains(rule.releases, config.launch.release) && rule.when != lang::no_expr;
}

/// "has no effect" is only worth saying of something that somebody wrote; a variable counts where the launch
/// has it.
bool written_where_needed(const Rule& rule, const EffectiveConfig& config) {
  if (rule.severity != Severity::ignored || rule.at.empty()) return true;
  const auto first = rule.at.front();
  if (config.schema->field(first).space != schema::Space::environment) return config.set[first] != 0;
  return !config.now[first].is_null() && !config.now[first].is_unknown();
}

std::string message_of(const Rule& rule, const lang::ExprPool& pool, const lang::Scope& scope) {
  std::string text;
  for (const auto& part : rule.message) {
    text += part.text;
    if (part.value != lang::no_expr) text += lang::evaluate(pool, part.value, scope).to_text();
  }
  return text;
}

/// Fields to point at. One of a section that the config does not have says nothing where another field does:
/// precision recipes exist in Bridge alone, what they set everywhere.
std::vector<schema::FieldId> places(const Rule& rule, const EffectiveConfig& config) {
  std::vector<schema::FieldId> out;
  const schema::Schema& schema = *config.schema;
  for (const schema::FieldId id : rule.at) {
    const std::uint8_t section = schema.field(id).section;
    const bool absent =
        section < schema.sections.size() && config.now[schema.sections[section].field].is_null();
    if (!absent || config.set[id] != 0) out.push_back(id);
  }
  return out.empty() ? std::vector<schema::FieldId>(rule.at.begin(), rule.at.end()) : out;
}

Diagnostic finding(const Rule& rule, const lang::ExprPool& pool, const EffectiveConfig& config,
                   const dialect::Settings& settings) {
  Diagnostic d;
  d.rule = std::string(rule.id);
  d.severity = rule.severity;
  d.fails_at = rule.fails_at;
  if (rule.fails_at == FailsAt::launch) {
    d.fails_at = settings.full_dump ? FailsAt::model_build : FailsAt::startup;
  }
  d.message = message_of(rule, pool, config.scope());
  place(d, places(rule, config), *config.schema, settings);
  return d;
}

/// The launch facts behind unknown values: a derived value is unknown because of the number of GPUs or of a
/// variable.
std::vector<schema::FieldId> roots(std::vector<schema::FieldId> causes, const EffectiveConfig& config) {
  const auto gpus = config.schema->find("launch.gpus");
  if (gpus == schema::no_field || !config.now[gpus].is_unknown()) return causes;
  for (auto& id : causes)
    if (config.schema->field(id).space == schema::Space::derived) id = gpus;
  std::sort(causes.begin(), causes.end());
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  return causes;
}

/// A pack loaded later replaces rules of the same id: a copy of rules/ under work is tested as it stands.
bool replaced(std::string_view id, std::span<const RulePack* const> later) {
  return std::any_of(later.begin(), later.end(),
                     [&](const RulePack* p) { return find_rule(*p, id) != nullptr; });
}

class Evaluation {
 public:
  Evaluation(const EffectiveConfig& config, const dialect::Settings& settings)
      : config_(config), settings_(settings) {}

  void rule(const Rule& r, const lang::ExprPool& pool) {
    if (!written_where_needed(r, config_)) return;
    const Value result = lang::evaluate(pool, r.when, config_.scope());
    if (result.is_unknown())
      open(r, pool);
    else if (result.truthy())
      out.diagnostics.push_back(finding(r, pool, config_, settings_));
  }

  Findings out;
  std::vector<EnvDoubt> doubts;

 private:
  void open(const Rule& r, const lang::ExprPool& pool) {
    out.undecided.push_back(r.id);
    if (r.severity != Severity::error) return;
    const auto causes = roots(lang::unknown_causes(pool, r.when, config_.scope()), config_);
    EnvDoubt doubt;
    for (const auto id : causes)
      if (config_.schema->field(id).space == schema::Space::environment) doubt.unknown.push_back(id);
    if (doubt.unknown.empty()) {
      out.skipped.push_back({r.id, causes});
      return;
    }
    doubt.rule = &r;
    doubt.diagnostic = finding(r, pool, config_, settings_);
    doubts.push_back(std::move(doubt));
  }

  const EffectiveConfig& config_;
  const dialect::Settings& settings_;
};

/// The severities that the user asked for. A finding that is milder than its rule, as something is unknown,
/// does not become worse than it is.
void change_severities(std::vector<Diagnostic>& diagnostics, std::span<const RulePack* const> packs,
                       const Selection& selection) {
  if (selection.severities.empty()) return;
  for (Diagnostic& d : diagnostics) {
    const SeverityChange* change = selection.change_of(d.rule);
    if (change == nullptr || !change->severity) continue;
    const auto milder = [&](const RulePack* pack) {
      const Rule* rule = find_rule(*pack, d.rule);
      return rule != nullptr && d.severity < rule->severity;
    };
    const bool doubtful = std::ranges::any_of(packs, milder);
    d.severity = doubtful ? std::min(d.severity, *change->severity) : *change->severity;
  }
}

/// Falling severity, then the place in the text (what is written nowhere comes last), then the id.
auto sort_key(const Diagnostic& d) {
  constexpr std::uint32_t nowhere = 0xffffffff;
  const auto start = d.primary ? d.primary->location.start : source::Position{nowhere, nowhere};
  return std::make_tuple(-static_cast<int>(d.severity), start.line, start.column, std::cref(d.rule),
                         std::cref(d.fields), std::cref(d.message));
}

void sort_and_unify(std::vector<Diagnostic>& diagnostics) {
  std::stable_sort(diagnostics.begin(), diagnostics.end(),
                   [](const Diagnostic& a, const Diagnostic& b) { return sort_key(a) < sort_key(b); });
  // The same finding twice: a rule that two packs have, a key that was remarked on twice. Findings without a
  // field are told apart by their place.
  std::set<std::tuple<std::string, std::vector<std::string>, std::uint32_t, std::uint32_t>> seen;
  std::erase_if(diagnostics, [&](const Diagnostic& d) {
    const bool by_place = d.fields.empty() && d.primary.has_value();
    const auto start = by_place ? d.primary->location.start : source::Position{};
    return !seen.emplace(d.rule, d.fields, start.line, start.column).second;
  });
}

}  // namespace

Findings evaluate(const EffectiveConfig& config, const dialect::Settings& settings,
                  std::span<const RulePack* const> packs, const Selection& selection) {
  Evaluation run(config, settings);
  for (std::size_t i = 0; i < packs.size(); ++i)
    for (const auto& rule : packs[i]->rules)
      if (applies(rule, config) && selection.wants(rule.id) && !replaced(rule.id, packs.subspan(i + 1)))
        run.rule(rule, packs[i]->pool);
  const Natives natives(config, settings, packs, selection);
  auto& diagnostics = run.out.diagnostics;
  natives.problems(diagnostics);
  natives.rewrites(diagnostics);
  natives.environment(run.doubts, diagnostics);
  change_severities(diagnostics, packs, selection);
  sort_and_unify(diagnostics);
  return std::move(run.out);
}

}  // namespace headroom::rules
