// Numbers that no run has.
#pragma once
#include <string>

#include "headroom/memory/fields.hpp"

namespace headroom::memory {

/// An empty string, or which size is negative or beyond what the formulas can count with. Everything that is
/// read later may then be converted to a whole number.
[[nodiscard]] std::string out_of_range(const Fields& fields);

}  // namespace headroom::memory
