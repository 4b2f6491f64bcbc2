// Bytes for people.
#pragma once
#include <cstdint>
#include <string>

namespace headroom::report {

/// "1.63 GiB", "66.8 MiB", "512 KiB", "12 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);
/// The same with a sign.
[[nodiscard]] std::string change_text(std::int64_t bytes);
/// "36 %"; "<1 %" for what is more than nothing.
[[nodiscard]] std::string share_text(std::uint64_t part, std::uint64_t whole);

}  // namespace headroom::report
