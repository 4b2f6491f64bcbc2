// A plan without settings that do nothing: what its changes leave without effect goes with them.
#pragma once
#include "ranking.hpp"

namespace headroom::plan {

/// `change` and `checked`, its evaluation, made free of settings that have no effect and had one before.
/// Memory, time and legality stay as they are.
void tidy(rules::Fix& change, Checked& checked, const Checked& given, const advise::Bench& bench);

}  // namespace headroom::plan
