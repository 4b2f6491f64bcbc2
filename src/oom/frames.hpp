// Tracebacks, line by line: which phase and module the frames of one process name.
#pragma once
#include <string_view>
#include <unordered_map>
#include <vector>

#include "headroom/oom/log_facts.hpp"

namespace headroom::oom {

/// The frame table, by what a frame has in hand.
class FrameIndex {
 public:
  explicit FrameIndex(std::span<const schema::FramePattern> patterns);
  /// First entry that fits; nullptr where none does.
  [[nodiscard]] const schema::FramePattern* match(std::string_view file, std::string_view function,
                                                  std::string_view source) const;

 private:
  std::span<const schema::FramePattern> patterns_;
  std::unordered_map<std::string_view, std::vector<std::uint16_t>> by_function_, by_file_;
  std::vector<std::uint16_t> by_source_;
};

/// The traceback that one process is printing.
class TraceReader {
 public:
  /// "Traceback (most recent call last)": the one before is forgotten.
  void begin(bool cut);
  void frame(std::uint64_t line, std::string_view file, std::string_view function, const FrameIndex& index);
  /// The line after a frame: what it was doing.
  void source(std::string_view text);
  [[nodiscard]] bool open() const { return open_; }
  [[nodiscard]] bool wants_source() const { return pending_ && source_.empty(); }
  /// The traceback so far. It stays, for the second line of an error, until another begins.
  [[nodiscard]] const Trace& close(const FrameIndex& index);

 private:
  void settle(const FrameIndex& index);

  Trace trace_;
  bool open_ = false, pending_ = false;
  std::uint64_t line_ = 0;
  std::string file_, function_, source_;
};

struct Frame {
  std::string_view file, function;
};
/// `File "a.py", line 3, in f`, or the frames of rich: `│ /a.py:3 in f`.
[[nodiscard]] std::optional<Frame> read_frame(std::string_view line);

}  // namespace headroom::oom
