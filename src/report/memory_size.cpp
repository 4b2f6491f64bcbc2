#include "memory_size.hpp"

#include <fmt/format.h>

#include <cstdlib>

namespace headroom::report {

std::string size_text(std::uint64_t bytes) {
  const auto in = [&](unsigned shift) {
    return static_cast<double>(bytes) / static_cast<double>(std::uint64_t{1} << shift);
  };
  if (bytes >= std::uint64_t{1} << 30U) return fmt::format("{:.2f} GiB", in(30));
  if (bytes >= std::uint64_t{1} << 20U) return fmt::format("{:.1f} MiB", in(20));
  if (bytes >= std::uint64_t{1} << 10U) return fmt::format("{:.0f} KiB", in(10));
  return bytes == 1 ? "1 byte" : fmt::format("{} bytes", bytes);
}

std::string change_text(std::int64_t bytes) {
  if (bytes == 0) return "0";
  return (bytes < 0 ? "-" : "+") + size_text(static_cast<std::uint64_t>(std::llabs(bytes)));
}

std::string share_text(std::uint64_t part, std::uint64_t whole) {
  if (part == 0 || whole == 0) return "0 %";
  const double percent = 100.0 * static_cast<double>(part) / static_cast<double>(whole);
  return percent < 1 ? "<1 %" : fmt::format("{:.0f} %", percent);
}

}  // namespace headroom::report
