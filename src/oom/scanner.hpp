// Finds lines worth reading. Logs are large and dull: most of their bytes are looked at here and nowhere
// else.
#pragma once
#include <array>
#include <bitset>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace headroom::oom {

inline constexpr std::size_t max_needles = 256;
using NeedleSet = std::bitset<max_needles>;

/// Looks for many texts at once. Every text is at least `shortest` bytes long, so that one four-byte window
/// in every `shortest - 3` bytes falls into each occurrence; those windows are looked up in a table of bits.
class Scanner {
 public:
  static constexpr std::size_t shortest = 5;

  /// At most `max_needles`, each at least `shortest` bytes; the views must outlive the scanner.
  explicit Scanner(std::span<const std::string_view> needles);

  /// A place inside the first line from `from` on that holds a needle; npos where none does.
  [[nodiscard]] std::size_t find(std::string_view text, std::size_t from) const;
  /// Every needle that `text` holds.
  [[nodiscard]] NeedleSet all(std::string_view text) const;

 private:
  static constexpr std::size_t gram = 4, stride = shortest - gram + 1, bits = 15;
  struct Entry {
    std::uint16_t needle = 0, offset = 0;
    std::int16_t next = -1;
  };
  static std::size_t hash(const char* p);
  template <class Visit>
  std::size_t scan(std::string_view text, std::size_t from, Visit visit) const;

  std::span<const std::string_view> needles_;
  std::array<std::uint64_t, (1u << bits) / 64> seen_{};
  std::array<std::int16_t, 1u << bits> heads_;
  std::vector<Entry> entries_;
};

}  // namespace headroom::oom
