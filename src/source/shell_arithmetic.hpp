// Integer arithmetic of `$((…))`.
#pragma once
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::source {

/// Value of `expression`, whose `$` expansions were made. `lookup` gives the text of a variable, none where
/// it is unknown. None: not constant, not understood, an assignment, out of range.
[[nodiscard]] std::optional<std::int64_t> shell_arithmetic(
    std::string_view expression, const std::function<std::optional<std::string>(const std::string&)>& lookup);

}  // namespace headroom::source
