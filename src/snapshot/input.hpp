// The bytes of a pickle through a window: what an opcode needs is contiguous, the rest is not in memory.
#pragma once
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "headroom/snapshot/read.hpp"

namespace headroom::snapshot {

class Input {
 public:
  explicit Input(const ReadBytes& read) : read_(read), window_(window_bytes) {}

  /// Makes `n` bytes available at `data()`; false where the file ends before.
  [[nodiscard]] bool ensure(std::size_t n) { return end_ - position_ >= n || refill(n); }
  [[nodiscard]] const char* data() const { return window_.data() + position_; }
  void skip(std::size_t n) { position_ += n; }
  [[nodiscard]] std::string_view take(std::size_t n) {
    const std::string_view out(data(), n);
    position_ += n;
    return out;
  }
  /// Bytes of the file before `data()`.
  [[nodiscard]] std::uint64_t offset() const { return before_ + position_; }

  /// A little-endian number of `T`'s size; `ensure` came first.
  template <class T>
  [[nodiscard]] T number() {
    T out{};
    std::uint64_t bits = 0;
    for (std::size_t i = sizeof(T); i-- > 0;) bits = bits << 8U | static_cast<unsigned char>(data()[i]);
    out = static_cast<T>(bits);
    position_ += sizeof(T);
    return out;
  }

 private:
  static constexpr std::size_t window_bytes = std::size_t{1} << 18U;

  bool refill(std::size_t n);

  const ReadBytes& read_;
  std::vector<char> window_;
  std::size_t position_ = 0, end_ = 0;
  std::uint64_t before_ = 0;
};

}  // namespace headroom::snapshot
