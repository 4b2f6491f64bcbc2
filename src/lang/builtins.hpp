// The functions of functions.hpp on evaluated arguments.
#pragma once
#include <span>

#include "functions.hpp"
#include "headroom/schema/schema.hpp"
#include "operand.hpp"

namespace headroom::lang {

/// Arguments are known (no Unknown) and as many as the function takes; either() and coalesce() are evaluated
/// lazily elsewhere. `work` counts elements looked at, for the caller's budget.
[[nodiscard]] Operand call_builtin(Fn fn, std::span<const Operand> args, const schema::Schema* schema,
                                   schema::Release release, std::uint64_t& work);

}  // namespace headroom::lang
