// Findings that need no condition: problems of the text, start-up rewrites, unknown environment variables.
#pragma once
#include <optional>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::rules {

/// One `error` rule that is true or not depending on variables nobody gave.
struct EnvDoubt {
  const Rule* rule = nullptr;
  std::vector<schema::FieldId> unknown;  ///< the variables
  Diagnostic diagnostic;                 ///< as it would be if the rule were true
};

class Natives {
 public:
  Natives(const resolve::EffectiveConfig& config, const dialect::Settings& settings,
          std::span<const RulePack* const> packs, const Selection& selection)
      : config_(config), settings_(settings), packs_(packs), selection_(selection) {}

  void problems(std::vector<Diagnostic>& out) const;
  /// One finding a field that the user wrote and start-up replaces, unless `out` blames the field already.
  void rewrites(std::vector<Diagnostic>& out) const;
  /// One doubt keeps its rule's id; several become one `resolve-check/environment`.
  void environment(const std::vector<EnvDoubt>& doubts, std::vector<Diagnostic>& out) const;

 private:
  [[nodiscard]] const Rule* rule(std::string_view id) const;
  [[nodiscard]] bool applies(std::string_view id) const;
  [[nodiscard]] std::optional<Fix> say_it_where_it_counts(const resolve::Rewrite& rewrite) const;

  const resolve::EffectiveConfig& config_;
  const dialect::Settings& settings_;
  std::span<const RulePack* const> packs_;
  const Selection& selection_;
};

}  // namespace headroom::rules
