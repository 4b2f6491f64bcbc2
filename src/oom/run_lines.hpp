// Lines in which a run tells of itself: memory reports, iterations, sizes at the start, torchrun's summary.
#pragma once
#include <string_view>

#include "headroom/oom/log_facts.hpp"
#include "prefix.hpp"

namespace headroom::oom {

class RunLines {
 public:
  /// Whether `text` is such a line. `prefix` is that of the line; `marks` says which of run_line_marks() it
  /// holds.
  bool read(std::uint64_t line, std::string_view text, const Prefix& prefix, std::uint32_t marks);
  void finish(LogFacts& out);

 private:
  bool memory_report(std::uint64_t line, std::string_view text, const Prefix& prefix);
  bool iteration(std::uint64_t line, std::string_view text);
  bool parameters(std::string_view text);
  bool footprint(std::string_view text);
  bool world(std::string_view text);
  bool argument(std::string_view text);
  bool summary(std::uint64_t line, std::string_view text);

  struct Counted {
    std::uint64_t line = 0;
    std::int64_t number = -1, of = 0;
    std::string text;
  };
  static Iteration read_rest(const Counted& counted);

  Layout layout_;
  std::map<std::int64_t, MemoryReport> reports_;
  Counted first_, last_;
  bool in_root_ = false;
  std::optional<std::int64_t> root_rank_, root_exit_;
  std::uint64_t root_line_ = 0;
};

/// The texts that such lines hold, for the search; bit i of `marks` stands for text i.
[[nodiscard]] std::span<const std::string_view> run_line_marks();

}  // namespace headroom::oom
