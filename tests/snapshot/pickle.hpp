// Pickles built opcode by opcode.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace headroom::snapshot::test {

class Pickle {
 public:
  explicit Pickle(unsigned protocol = 4) {
    if (protocol >= 2) bytes = std::string("\x80") + static_cast<char>(protocol);
  }
  Pickle& op(char opcode) {
    bytes += opcode;
    return *this;
  }
  Pickle& raw(std::string_view more) {
    bytes += more;
    return *this;
  }
  Pickle& little(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) bytes += static_cast<char>(value >> 8U * i & 0xffU);
    return *this;
  }
  Pickle& text(std::string_view text) { return op('\x8c').little(text.size(), 1).raw(text); }
  Pickle& number(std::uint64_t value) { return op('\x8a').little(9, 1).little(value, 8).little(0, 1); }
  Pickle& entry(std::string_view key, std::uint64_t value) { return text(key).number(value); }
  Pickle& entry(std::string_view key, std::string_view value) { return text(key).text(value); }
  Pickle& begin_dict() { return op('}').op('('); }
  Pickle& end_dict() { return op('u'); }
  Pickle& begin_list() { return op(']').op('('); }
  Pickle& end_list() { return op('e'); }
  [[nodiscard]] std::string stop() { return op('.').bytes; }

  std::string bytes;
};

}  // namespace headroom::snapshot::test
