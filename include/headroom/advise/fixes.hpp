// Fixes: apply to the settings in memory, evaluate again, keep what repairs without breaking.
#pragma once
#include <optional>

#include "headroom/memory/facts.hpp"
#include "headroom/rules/pack.hpp"

namespace headroom::advise {

struct Bench {  ///< everything a re-check needs
  const dialect::Settings* settings = nullptr;
  const resolve::LaunchContext* launch = nullptr;
  const schema::Schema* schema = nullptr;
  const resolve::ResolvePack* resolve = nullptr;
  std::span<const rules::RulePack* const> packs;
  const rules::Selection* selection = nullptr;
  const resolve::EffectiveConfig* config = nullptr;  ///< of `settings`, where the caller has it
  std::optional<memory::Facts> memory = {};  ///< of `config`; what a fix adds is said where it is known
};

/// Settings and launch context with `fix` applied.
struct Applied {
  dialect::Settings settings;
  resolve::LaunchContext launch;
};
[[nodiscard]] Applied apply(const rules::Fix& fix, const Bench& bench);

/// The same change in a form that a config can hold: dtypes as `torch.float32`; a field of a section that is
/// given by name
/// (`mixed_precision: bf16_mixed`) as the whole section, a mapping with the recipe's values and the field.
[[nodiscard]] rules::Fix writable(rules::Fix fix, const Bench& bench);

/// Fills `fixes` of every finding with verified ones, least intrusive first. A candidate that repairs its
/// finding but brings another error is completed with that error's own fix where the two together verify (one
/// level deep).
void attach_fixes(rules::Findings& findings, const Bench& bench);

}  // namespace headroom::advise
