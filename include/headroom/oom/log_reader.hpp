// Reads logs as a stream: any bytes, in pieces of any size, in constant memory.
#pragma once
#include <memory>
#include <string_view>

#include "headroom/oom/log_facts.hpp"

namespace headroom::oom {

/// Feed the bytes of a log in order, then ask for what was found. Lines of thousands of ranks may be mixed:
/// each is told apart by its prefix. What is kept is bounded (log_facts.hpp), whatever the log holds.
class LogReader {
 public:
  LogReader();
  explicit LogReader(const schema::LogTable& table);
  ~LogReader();
  LogReader(LogReader&&) noexcept;
  LogReader& operator=(LogReader&&) noexcept;

  void feed(std::string_view bytes);
  /// Ends the last line. The reader can't be fed any more.
  [[nodiscard]] LogFacts finish();

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace headroom::oom
