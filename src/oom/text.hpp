// Small readers of numbers and sizes in log lines.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::oom {

[[nodiscard]] inline bool holds(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}
[[nodiscard]] inline bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// The part after the first `mark`; nullopt where there is none.
[[nodiscard]] std::optional<std::string_view> after(std::string_view text, std::string_view mark);

/// A whole number at the start (blanks before it are skipped).
[[nodiscard]] std::optional<std::int64_t> leading_integer(std::string_view text);
/// A decimal number at the start, exponents too; no infinities.
[[nodiscard]] std::optional<double> leading_number(std::string_view text);

/// `2.19 GiB`, `20 bytes`, `512.00 MiB` at the start, in bytes.
[[nodiscard]] std::optional<double> leading_size(std::string_view text);
/// The same, ending where the text ends: `of which 1.02 GiB`.
[[nodiscard]] std::optional<double> trailing_size(std::string_view text);

/// Without escape sequences of terminals; other control characters become blanks. At most `limit` bytes, cut
/// between characters of UTF-8.
[[nodiscard]] std::string cleaned(std::string_view line, std::size_t limit);

}  // namespace headroom::oom
