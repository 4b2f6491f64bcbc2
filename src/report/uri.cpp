#include "uri.hpp"

#include <fmt/format.h>

namespace headroom::report {

std::string uri_of(std::string_view path) {
  constexpr std::string_view plain = "-._~/";  // `:` is not: `a:b.yaml` is a name, not a scheme
  std::string out = path.starts_with('/') ? "file://" : "";
  for (const char c : path) {
    const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (letter || plain.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return out;
}

}  // namespace headroom::report
