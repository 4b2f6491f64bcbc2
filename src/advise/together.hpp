// Findings of one config are repaired together: what the first fix of each does must fit the others.
#pragma once
#include <set>
#include <string>
#include <utility>

#include "headroom/advise/fixes.hpp"

namespace headroom::advise {

/// What identifies a finding when the config is evaluated again: the rule and its first field (two unknown
/// fields of one rule are two findings).
using Key = std::pair<std::string, std::string>;
[[nodiscard]] Key key_of(const rules::Diagnostic& d);

struct State {
  std::set<Key> all;
  std::set<Key> errors;
};
[[nodiscard]] State state_of(const rules::Findings& findings);

/// `first` and then `second`; where both set a field, the later one counts.
[[nodiscard]] rules::Fix combine(const rules::Fix& first, const rules::Fix& second);

/// Whether `next` gives a field of `first` another value, or none.
[[nodiscard]] bool takes_back(const rules::Fix& next, const rules::Fix& first);

/// Moves to the front of each error's verified fixes the first one that goes with the first fixes of the
/// other errors: all of them applied, every one of these errors is gone and no other has come. Keeps the
/// order where none does.
void choose_together(rules::Findings& findings, const Bench& bench);

}  // namespace headroom::advise
