#include "scanner.hpp"

#include <cstring>

namespace headroom::oom {

std::size_t Scanner::hash(const char* p) {
  std::uint32_t v = 0;
  std::memcpy(&v, p, sizeof v);
  return static_cast<std::uint32_t>(v * 2654435761u) >> (32 - bits);
}

Scanner::Scanner(std::span<const std::string_view> needles) : needles_(needles) {
  heads_.fill(-1);
  for (std::size_t n = 0; n < needles.size(); ++n) {
    for (std::size_t offset = 0; offset < stride; ++offset) {
      const std::size_t h = hash(needles[n].data() + offset);
      seen_[h / 64] |= std::uint64_t{1} << (h % 64);
      entries_.push_back({static_cast<std::uint16_t>(n), static_cast<std::uint16_t>(offset), heads_[h]});
      heads_[h] = static_cast<std::int16_t>(entries_.size() - 1);
    }
  }
}

template <class Visit>
std::size_t Scanner::scan(std::string_view text, std::size_t from, Visit visit) const {
  if (text.size() < gram) return std::string_view::npos;
  const std::size_t end = text.size() - gram;
  for (std::size_t p = from; p <= end; p += stride) {
    const std::size_t h = hash(text.data() + p);
    if (((seen_[h / 64] >> (h % 64)) & 1u) == 0) continue;
    for (std::int16_t i = heads_[h]; i >= 0; i = entries_[static_cast<std::size_t>(i)].next) {
      const Entry& e = entries_[static_cast<std::size_t>(i)];
      const std::string_view needle = needles_[e.needle];
      if (p < e.offset || text.size() - (p - e.offset) < needle.size()) continue;
      if (std::memcmp(text.data() + p - e.offset, needle.data(), needle.size()) != 0) continue;
      if (visit(e.needle)) return p;
    }
  }
  return std::string_view::npos;
}

std::size_t Scanner::find(std::string_view text, std::size_t from) const {
  return scan(text, from, [](std::size_t) { return true; });
}

NeedleSet Scanner::all(std::string_view text) const {
  NeedleSet out;
  scan(text, 0, [&](std::size_t needle) {
    out.set(needle);
    return false;
  });
  return out;
}

}  // namespace headroom::oom
