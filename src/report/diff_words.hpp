// Words that the text and the Markdown of a difference share.
#pragma once
#include <string>

#include "headroom/report/diff.hpp"

namespace headroom::report {

/// "61.2", "+2.0"; "-" where a side has no such stage.
[[nodiscard]] std::string shown_gib(std::optional<double> bytes);
[[nodiscard]] std::string shown_change(std::optional<double> before, std::optional<double> after);
/// "rewritten by TransformerConfig", "default", "file".
[[nodiscard]] std::string shown_origin(const resolve::Origin& origin);
[[nodiscard]] std::string shown_value(const source::Value& value);
/// "peak 61.2 GiB -> 63.4 GiB (+2.2), used 65.0 -> 67.2 of 80.0: fits -> does not fit".
[[nodiscard]] std::string memory_line(const diff::Memory& memory);
/// "step time 1.04 times (1.01 to 1.07): replay +4 %".
[[nodiscard]] std::string time_line(const diff::Diff& diff);

}  // namespace headroom::report
