// An error message of the framework, back to the rule that says the same before a launch.
#pragma once
#include <span>
#include <string_view>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::lint {

/// How well the settings that `message` names are those of `fields` (canonical): 0 none, 1 the same ones.
/// Dashes and underscores are alike, sections do not count.
[[nodiscard]] double likeness(std::string_view message, const std::vector<std::string_view>& fields,
                              const schema::Schema& schema);

/// Rules of severity `error` whose fields the message names, best first, at most three.
[[nodiscard]] std::vector<const rules::Rule*> rules_of(std::string_view message,
                                                       std::span<const rules::RulePack* const> packs,
                                                       const schema::Schema& schema);

}  // namespace headroom::lint
