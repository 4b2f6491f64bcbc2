#include "native.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "marks.hpp"

namespace headroom::rules {
namespace {

constexpr std::string_view overwritten = "resolve-check/overwritten";
constexpr std::string_view environment_rule = "resolve-check/environment";

Fix native_fix(const dialect::Problem& problem) {
  Fix fix;
  fix.set = problem.suggest_set;
  fix.unset = problem.suggest_unset;
  for (const auto& [name, value] : fix.set)
    fix.title += fmt::format("{} {} to {}", fix.title.empty() ? "Set" : ", set", name, value.to_text());
  for (const auto& name : fix.unset)
    fix.title += fmt::format("{} {}", fix.title.empty() ? "Remove" : ", remove", name);
  return fix;
}

/// How the launch has to set `variable` for the rule to be quiet, by the first fix that says so.
std::optional<FixEnv> wanted(const Rule& rule, std::string_view variable) {
  for (const auto& fix : rule.fixes)
    for (const auto& env : fix.env)
      if (env.name == variable) return env;
  return std::nullopt;
}

std::string requirement(const Rule& rule, std::string_view variable) {
  const auto env = wanted(rule, variable);
  if (!env) return std::string(variable);
  return env->unset ? fmt::format("{} is unset", variable)
                    : fmt::format("{}={} is set", variable, env->value);
}

std::string_view plain(std::string_view field) {
  return field.substr(field.find('.') + 1);
}

/// Whether any of the doubtful variables, set right, is enough: each has a fix that sets no other of them.
bool one_is_enough(const EnvDoubt& doubt, const schema::Schema& schema) {
  const auto doubtful = [&](std::string_view variable) {
    return std::ranges::any_of(doubt.unknown,
                               [&](auto id) { return plain(schema.field(id).name) == variable; });
  };
  return std::ranges::all_of(doubt.unknown, [&](auto id) {
    return std::ranges::any_of(doubt.rule->fixes, [&](const FixData& fix) {
      const auto count = std::ranges::count_if(fix.env, [&](const FixEnv& e) { return doubtful(e.name); });
      return count == 1 && std::ranges::any_of(fix.env, [&](const FixEnv& e) {
               return e.name == plain(schema.field(id).name);
             });
    });
  });
}

void add_unique(std::vector<std::string>& to, const std::string& s) {
  if (std::find(to.begin(), to.end(), s) == to.end()) to.push_back(s);
}

std::string joined(const std::vector<std::string>& parts, std::string_view last) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i)
    out += (i == 0 ? "" : i + 1 == parts.size() ? std::string(last) : ", ") + parts[i];
  return out;
}

}  // namespace

const Rule* Natives::rule(std::string_view id) const {
  for (std::size_t i = packs_.size(); i-- > 0;)
    if (const auto* r = find_rule(*packs_[i], id)) return r;
  return nullptr;
}

bool Natives::applies(std::string_view id) const {
  if (!selection_.wants(id)) return false;
  const auto* r = rule(id);
  if (r == nullptr) return true;
  const bool layer = ((r->layers >> static_cast<unsigned>(config_.layer)) & 1u) != 0;
  return layer && schema::contains(r->releases, config_.launch.release);
}

void Natives::problems(std::vector<Diagnostic>& out) const {
  // A rule that knows why a value is wrong says more than "none of the choices": one cause, one finding.
  std::set<std::string, std::less<>> explained;
  for (const auto& d : out)
    if (d.severity >= Severity::warning) explained.insert(d.fields.begin(), d.fields.end());
  for (const auto& problem : settings_.problems) {
    if (!applies(problem.rule)) continue;
    const bool about_value =
        problem.rule == "schema-check/invalid-choice" || problem.rule == "schema-check/wrong-type";
    if (about_value && explained.contains(problem.field)) continue;
    const auto* r = rule(problem.rule);
    Diagnostic d;
    d.rule = problem.rule;
    d.severity = r == nullptr ? Severity::warning : r->severity;
    d.fails_at = r == nullptr ? FailsAt::startup : r->fails_at;
    d.message = problem.message;
    if (!problem.field.empty()) d.fields.push_back(problem.field);
    d.primary = mark_of(problem.place, problem.field, false);
    Fix fix = native_fix(problem);
    if (!fix.set.empty() || !fix.unset.empty()) d.fixes.push_back(std::move(fix));
    out.push_back(std::move(d));
  }
}

/// The section that replaced the value (`mixed_precision bf16_mixed`, `comm_overlap`) may have a field of
/// that name: the value written there is the one that runs.
std::optional<Fix> Natives::say_it_where_it_counts(const resolve::Rewrite& rewrite) const {
  const auto name = config_.schema->field(rewrite.field).name;
  const auto leaf = name.substr(name.find('.') + 1);
  const auto* winner = config_.schema->find_section(rewrite.by.substr(0, rewrite.by.find(' ')));
  if (winner == nullptr || config_.value(winner->field).is_null()) return std::nullopt;
  std::string target = fmt::format("{}.{}", winner->name, leaf);
  const auto field = config_.schema->find(target);
  if (field == schema::no_field || target == name) return std::nullopt;
  if (!schema::contains(config_.schema->field(field).releases, config_.launch.release)) return std::nullopt;
  Fix fix;
  fix.title = fmt::format("Say it in {}, which decides", winner->name);
  fix.set.emplace_back(std::move(target), rewrite.written);
  fix.safety = Safety::training;
  return fix;
}

void Natives::rewrites(std::vector<Diagnostic>& out) const {
  if (!applies(overwritten)) return;
  std::set<std::string, std::less<>> blamed;
  for (const auto& d : out)
    if (d.severity >= Severity::ignored) blamed.insert(d.fields.begin(), d.fields.end());
  const auto* r = rule(overwritten);
  for (const auto& rewrite : config_.rewrites) {
    const auto name = config_.schema->field(rewrite.field).name;
    const auto& now = config_.now[rewrite.field];
    if (rewrite.silent || now == rewrite.written || blamed.contains(name)) continue;
    blamed.emplace(name);
    Diagnostic d;
    d.rule = std::string(overwritten);
    d.severity = r == nullptr ? Severity::ignored : r->severity;
    d.message = fmt::format("you set {} to {}; {} sets it to {} at start-up", name, rewrite.written.to_text(),
                            rewrite.by.empty() ? rewrite.step : rewrite.by, now.to_text());
    const schema::FieldId at[] = {rewrite.field};
    place(d, at, *config_.schema, settings_);
    if (auto fix = say_it_where_it_counts(rewrite)) d.fixes.push_back(std::move(*fix));
    Fix honest;
    honest.title = "Write the value that counts";
    if (!now.is_unknown() && !now.is_opaque()) honest.set.emplace_back(std::string(name), now);
    Fix remove;
    remove.title = "Remove it: it has no effect";
    remove.unset.emplace_back(name);
    if (!honest.set.empty()) d.fixes.push_back(std::move(honest));
    d.fixes.push_back(std::move(remove));
    out.push_back(std::move(d));
  }
}

void Natives::environment(const std::vector<EnvDoubt>& doubts, std::vector<Diagnostic>& out) const {
  if (doubts.empty()) return;
  std::vector<std::string> needs, because, variables;
  Fix fix;
  fix.title = "Set the variables in the launch environment";
  Diagnostic merged = doubts.front().diagnostic;
  for (const auto& doubt : doubts) {
    std::string what =
        doubt.rule->title.empty() ? std::string(doubt.rule->id) : std::string(doubt.rule->title);
    because.push_back(fmt::format("{} ({})", what, doubt.rule->id));
    for (const auto& field : doubt.diagnostic.fields) add_unique(merged.fields, field);
    std::vector<std::string> ways;
    for (const auto id : doubt.unknown) {
      const auto field = config_.schema->field(id).name;
      const auto variable = plain(field);
      add_unique(merged.fields, std::string(field));
      add_unique(variables, std::string(variable));
      add_unique(ways, requirement(*doubt.rule, variable));
      const auto env = wanted(*doubt.rule, variable);
      const bool known =
          std::any_of(fix.env.begin(), fix.env.end(), [&](const auto& e) { return e.first == variable; });
      if (!env || known) continue;
      fix.env.emplace_back(std::string(variable),
                           env->unset ? std::nullopt : std::optional(std::string(env->value)));
    }
    if (one_is_enough(doubt, *config_.schema)) ways = {joined(ways, " or ")};
    for (const auto& way : ways) add_unique(needs, way);
  }
  merged.severity = Severity::warning;
  merged.fails_at = FailsAt::startup;
  const std::string opening =
      fmt::format("make sure that {}: nobody said what {} {} (--env)", joined(needs, " and "),
                  joined(variables, " and "), variables.size() == 1 ? "is" : "are");
  if (doubts.size() == 1) {
    merged.message = fmt::format("{}; otherwise: {}", opening, doubts.front().diagnostic.message);
  } else {
    if (!selection_.wants(environment_rule)) return;
    merged.rule = std::string(environment_rule);
    merged.message = fmt::format("{}; otherwise the launch may fail: {}", opening, joined(because, ", "));
    if (!fix.env.empty()) merged.fixes.push_back(std::move(fix));
  }
  out.push_back(std::move(merged));
}

}  // namespace headroom::rules
