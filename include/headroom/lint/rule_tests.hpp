// The `## Fails` and `## Passes` blocks of rule files, run through the whole pipeline.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::lint {

struct RuleTestFailure {
  std::string rule;
  std::string file;        ///< of the rule
  std::uint32_t line = 0;  ///< first line of the block there; 1 where the rule as a whole is meant
  std::string message;     ///< what was found instead
};

struct RuleTestResult {
  std::size_t rules = 0, blocks = 0;
  std::vector<RuleTestFailure> failures;  ///< by file, then line
};

/// Every example of every rule of `pack`, with the embedded rules beside it: a Fails block must give the
/// rule's id, a Passes block must not, and no `error` of any rule. A block without `headroom.bridge` is read
/// for the newest release that the rule applies to, and for the rule's layer where it has only one; its
/// environment counts as complete. Where a rule has fixes, one of its Fails blocks must end in a verified
/// fix, unless the rule says `unfixable: true`.
[[nodiscard]] RuleTestResult run_rule_tests(const rules::RulePack& pack);

}  // namespace headroom::lint
