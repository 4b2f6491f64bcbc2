#include "headroom/oom/log_reader.hpp"

#include <algorithm>

#include "line_reader.hpp"

namespace headroom::oom {

/// Cuts the stream into lines and hands on those that matter.
class LogReader::State {
 public:
  explicit State(const schema::LogTable& table) : reader_(table) {}

  void feed(std::string_view bytes) {
    bytes_ += bytes.size();
    while (!carry_.empty() && !bytes.empty()) {
      const auto end = bytes.find('\n');
      const std::size_t room = longest - std::min(carry_.size(), longest);
      const std::size_t taken = std::min(end == std::string_view::npos ? bytes.size() : end, room);
      carry_.append(bytes.substr(0, taken));
      bytes.remove_prefix(taken);
      if (taken == end) {
        bytes.remove_prefix(1);
        scan(carry_);
        ++lines_;
        carry_.clear();
      } else if (carry_.size() >= longest) {  // one more piece of an endless line
        scan(carry_);
        carry_.clear();
      }
    }
    if (bytes.empty()) return;
    const auto last = bytes.rfind('\n');
    std::string_view whole = last == std::string_view::npos ? std::string_view() : bytes.substr(0, last + 1);
    std::string_view rest = bytes.substr(whole.size());
    scan_lines(whole);
    for (; rest.size() > longest; rest.remove_prefix(longest)) scan(rest.substr(0, longest));
    carry_.assign(rest);
  }

  LogFacts finish() {
    if (!carry_.empty()) {
      scan(carry_);
      ++lines_;
    }
    LogFacts out = reader_.finish();
    out.bytes = bytes_;
    out.lines = lines_;
    return out;
  }

 private:
  static constexpr std::size_t longest = 1u << 16;  ///< a longer line is read in pieces

  /// Whole lines, each with its line break.
  void scan_lines(std::string_view text) {
    std::size_t at = 0, counted = 0;
    while (at < text.size()) {
      std::size_t hit = at;
      if (!reader_.wants_next()) {
        hit = reader_.scanner().find(text, at);
        if (hit == std::string_view::npos) break;
      }
      const auto before = text.substr(0, hit).rfind('\n');
      const std::size_t begin = std::max(at, before == std::string_view::npos ? 0 : before + 1);
      const std::size_t end = text.find('\n', hit);
      lines_ +=
          static_cast<std::uint64_t>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                                text.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
      counted = begin;
      pieces(text.substr(begin, end - begin));
      at = end + 1;
    }
    lines_ += static_cast<std::uint64_t>(
        std::count(text.begin() + static_cast<std::ptrdiff_t>(counted), text.end(), '\n'));
  }

  /// One line, or a piece of one, without its line break.
  void scan(std::string_view line) {
    if (reader_.wants_next() || reader_.scanner().find(line, 0) != std::string_view::npos) pieces(line);
  }

  /// Progress bars return the carriage instead of breaking the line.
  void pieces(std::string_view line) {
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    for (std::size_t begin = 0; begin <= line.size();) {
      std::size_t end = line.find('\r', begin);
      if (end == std::string_view::npos) end = line.size();
      for (std::string_view part = line.substr(begin, end - begin); !part.empty();) {
        reader_.read(lines_ + 1, part.substr(0, longest));
        part.remove_prefix(std::min(part.size(), longest));
      }
      begin = end + 1;
    }
  }

  LineReader reader_;
  std::string carry_;
  std::uint64_t lines_ = 0, bytes_ = 0;
};

LogReader::LogReader() : LogReader(schema::embedded_log_table()) {}
LogReader::LogReader(const schema::LogTable& table) : state_(std::make_unique<State>(table)) {}
LogReader::~LogReader() = default;
LogReader::LogReader(LogReader&&) noexcept = default;
LogReader& LogReader::operator=(LogReader&&) noexcept = default;

void LogReader::feed(std::string_view bytes) {
  state_->feed(bytes);
}

LogFacts LogReader::finish() {
  return state_->finish();
}

}  // namespace headroom::oom
