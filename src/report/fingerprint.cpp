#include "fingerprint.hpp"

#include <fmt/format.h>

#include <array>

#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

constexpr std::size_t window_size = 100;
constexpr std::uint64_t base = 37;

class RollingHash {
 public:
  RollingHash() { line_of_.fill(none); }

  void feed(char16_t unit) {
    const bool after_return = return_before_;
    return_before_ = unit == u'\r';
    if (unit == u' ' || unit == u'\t' || (after_return && unit == u'\n')) return;
    if (unit == u'\r') unit = u'\n';
    flush();
    if (line_starts_) line_of_.at(at_) = lines_++;
    line_starts_ = unit == u'\n';
    push(unit);
  }

  std::vector<std::string> finish() {
    feed(0xFFFF);
    for (std::size_t i = 0; i < window_size; ++i) {
      flush();
      push(0);
    }
    return std::move(hashes_);
  }

 private:
  static constexpr std::size_t none = static_cast<std::size_t>(-1);

  static std::uint64_t power() {
    std::uint64_t p = 1;
    for (std::size_t i = 0; i < window_size; ++i) p *= base;
    return p;
  }

  // The window is about to lose the character that began a line: the hash is that of this line.
  void flush() {
    const std::size_t line = std::exchange(line_of_.at(at_), none);
    if (line == none) return;
    if (hashes_.size() <= line) hashes_.resize(line + 1);
    const std::string hash = fmt::format("{:x}", hash_);
    hashes_[line] = fmt::format("{}:{}", hash, ++counts_[hash]);
  }

  void push(char16_t unit) {
    hash_ = base * hash_ + unit - power_ * window_.at(at_);
    window_.at(at_) = unit;
    at_ = (at_ + 1) % window_size;
  }

  std::array<char16_t, window_size> window_{};
  std::array<std::size_t, window_size> line_of_{};
  std::uint64_t hash_ = 0;
  const std::uint64_t power_ = power();
  std::size_t at_ = 0, lines_ = 0;
  bool line_starts_ = true, return_before_ = false;
  std::map<std::string, unsigned> counts_;
  std::vector<std::string> hashes_;
};

std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace

std::vector<std::string> line_hashes(std::string_view text) {
  RollingHash hash;
  for (const char16_t unit : utf16(text)) hash.feed(unit);
  return hash.finish();
}

std::string Fingerprints::next(const Entry& entry) {
  std::string key = entry.rule + '\n' + path_of(*entry.file);
  if (entry.finding != nullptr) {
    for (const auto& field : entry.finding->fields) key += '\n' + field;
  }
  const unsigned before = seen_[key]++;
  return fmt::format("{:016x}", fnv1a(fmt::format("{}\n{}", key, before)));
}

}  // namespace headroom::report
