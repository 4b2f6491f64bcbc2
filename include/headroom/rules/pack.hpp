// Rules: compiled from Markdown files (docs/rule-language.md), embedded or loaded with --rules.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/lang/expr.hpp"
#include "headroom/resolve/effective.hpp"
#include "headroom/rules/diagnostic.hpp"

namespace headroom::rules {

/// Part of a message: text, then (optionally) the value of an expression.
struct MessagePart {
  std::string_view text;
  lang::ExprId value = lang::no_expr;
};
struct FixSet {
  schema::FieldId field = schema::no_field;
  lang::ExprId value = lang::no_expr;
  std::string_view text = {};  ///< the value as written, for `headroom rule ID`
};
struct FixEnv {
  std::string_view name;
  std::string_view value;
  bool unset = false;
};
struct FixData {
  std::string_view title;
  lang::ExprId when = lang::no_expr;
  std::span<const FixSet> set;
  std::span<const schema::FieldId> unset;
  std::span<const FixEnv> env;
  Safety safety = Safety::execution;
  std::span<const std::string_view> evidence;
};
struct SourceRef {
  std::string_view repo, path, what;
};
struct Example {
  bool fails = false;
  std::string_view yaml;
  std::uint32_t line = 0;
  std::string_view log = {};  ///< of rules below rules/oom: the log beside the config
};
struct Rule {
  std::string_view id;     ///< "offload/pipeline-parallel"
  std::string_view title;  ///< first heading
  Severity severity = Severity::warning;
  FailsAt fails_at = FailsAt::startup;
  schema::ReleaseSet releases = schema::all_releases;
  resolve::LayerSet layers = resolve::all_layers;
  lang::ExprId when = lang::no_expr;  ///< no_expr: a native rule (`native: true`), found by C++
  std::span<const schema::FieldId> at;
  std::span<const MessagePart> message;
  std::span<const FixData> fixes;
  std::span<const SourceRef> sources;
  std::span<const std::string_view> constraints;
  std::string_view page;  ///< the Markdown after the front matter
  std::span<const Example> examples;
  std::string_view file;  ///< "rules/offload/pipeline-parallel.md"
  std::string_view when_text =
      {};                  ///< the condition as written, for `headroom rule ID`; empty for a native rule
  bool unfixable = false;  ///< `unfixable: true`: its tests need no verified fix
};
struct RulePack {
  lang::ExprPool pool;
  std::span<const Rule> rules;  ///< sorted by id
};

/// The embedded packs (rules/ of this repository), parsed and checked when headroom was built.
[[nodiscard]] const RulePack& embedded_rules();
[[nodiscard]] const resolve::ResolvePack& embedded_resolve();

/// A pack compiled at run time; owns what its `view` points to.
class LoadedPack {
 public:
  struct Storage;
  LoadedPack();
  ~LoadedPack();
  LoadedPack(LoadedPack&&) noexcept;
  LoadedPack& operator=(LoadedPack&&) noexcept;
  [[nodiscard]] const RulePack& view() const;
  std::unique_ptr<Storage> storage;
};
/// Compiles every `*.md` below `dir` (README.md excepted). All errors of all files, not the first.
[[nodiscard]] tl::expected<LoadedPack, std::vector<source::Error>> load_rules(const std::string& dir,
                                                                              const schema::Schema& schema);

[[nodiscard]] const Rule* find_rule(const RulePack& pack, std::string_view id);

/// Whether a rule id is meant by one of the shell-style globs: `offload/*`, `*/fp8-*`, `cuda-graph`(=
/// `cuda-graph/*`).
[[nodiscard]] bool matches(std::span<const std::string> globs, std::string_view id);

/// `offload/*=warning`; without a severity the rules are off.
struct SeverityChange {
  std::string glob;
  std::optional<Severity> severity;
};

/// Which rules are evaluated, and how bad their findings are.
struct Selection {
  std::vector<std::string> select = {};  ///< globs; empty = all
  std::vector<std::string> ignore = {};
  std::vector<SeverityChange> severities = {};  ///< the last that matches counts
  [[nodiscard]] bool wants(std::string_view id) const;
  /// The change for a rule; null where it keeps its severity.
  [[nodiscard]] const SeverityChange* change_of(std::string_view id) const;
};

/// What checks could not be made, and why: for the summary line.
struct Skipped {
  std::string_view rule;
  std::vector<schema::FieldId> unknown;
};

struct Findings {
  std::vector<Diagnostic> diagnostics;      ///< without fixes verified; places filled in from the settings
  std::vector<Skipped> skipped;             ///< error rules left out because something is unknown
  std::vector<std::string_view> undecided;  ///< ids of rules, of any severity, that something unknown decides
};

/// Evaluates every rule of the packs that applies to the config's release and layer. Native rules are turned
/// from `settings.problems` and from the rewrites of the config. Deterministic order: severity falling, then
/// place, then id.
[[nodiscard]] Findings evaluate(const resolve::EffectiveConfig& config, const dialect::Settings& settings,
                                std::span<const RulePack* const> packs, const Selection& selection);

/// Fixes of a rule on this config, expressions evaluated, not yet verified.
[[nodiscard]] std::vector<Fix> candidate_fixes(const Rule& rule, const lang::ExprPool& pool,
                                               const resolve::EffectiveConfig& config);

}  // namespace headroom::rules
