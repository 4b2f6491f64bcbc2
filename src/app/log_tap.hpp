// Follows what a command prints, for the case that it has to be explained. Constant memory.
#pragma once
#include <array>
#include <string>
#include <string_view>

#include "headroom/oom/log_reader.hpp"

namespace headroom::app {

/// Two streams that are read as they come would tear each other's lines: each hands over whole lines only.
class LogTap {
 public:
  /// `stream` is 1 or 2.
  void take(int stream, std::string_view bytes) {
    std::string& held = held_.at(static_cast<std::size_t>(stream) - 1);
    const std::size_t end = bytes.rfind('\n');
    if (end == std::string_view::npos) {
      held += bytes;
      if (held.size() > longest_line) flush(held);
      return;
    }
    flush(held);
    reader_.feed(bytes.substr(0, end + 1));
    held = bytes.substr(end + 1);
  }

  [[nodiscard]] oom::LogFacts finish() {
    for (std::string& held : held_) {
      if (!held.empty()) held += '\n';
      flush(held);
    }
    return reader_.finish();
  }

 private:
  static constexpr std::size_t longest_line = 1U << 16U;

  void flush(std::string& held) {
    reader_.feed(held);
    held.clear();
  }

  oom::LogReader reader_;
  std::array<std::string, 2> held_;
};

}  // namespace headroom::app
