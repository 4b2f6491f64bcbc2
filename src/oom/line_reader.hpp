// One line at a time: those that the scanner stopped at, and those that follow what is unfinished.
#pragma once
#include <string>
#include <vector>

#include "frames.hpp"
#include "prefix.hpp"
#include "run_lines.hpp"
#include "scanner.hpp"

namespace headroom::oom {

class LineReader {
 public:
  explicit LineReader(const schema::LogTable& table);
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  [[nodiscard]] const Scanner& scanner() const { return scanner_; }
  /// Whether the next line is wanted whatever it holds.
  [[nodiscard]] bool wants_next() const { return wanted_ > 0; }
  void read(std::uint64_t number, std::string_view line);
  [[nodiscard]] LogFacts finish();

 private:
  /// What one process is saying. Slots are shared by hash: what is lost where two meet is a traceback, not a
  /// failure.
  struct Stream {
    std::uint64_t key = 0;
    TraceReader trace;
    std::size_t open_failure = SIZE_MAX;  ///< of `facts_.failures`: its message may go on
    std::uint32_t open_lines = 0;
    std::string open_text;  ///< its lines joined by blanks
    std::string open_cut;   ///< the same for lines that were cut anywhere
  };

  static std::vector<std::string_view> needles_of(const schema::LogTable& table);
  void read_wanted(std::uint64_t number, std::string_view line, const NeedleSet& present);
  Stream& stream_of(const Prefix& prefix);
  bool traceback(std::uint64_t number, const Prefix& prefix, Stream& stream);
  bool failure(std::uint64_t number, const Prefix& prefix, Stream& stream, const NeedleSet& present);
  void keep(Failure failure, Stream& stream);
  bool exception(std::uint64_t number, const Prefix& prefix, Stream& stream);
  bool continues(const Prefix& prefix, Stream& stream);
  void settle(Stream& stream);
  void note_rank(const Failure& failure);
  const schema::LinePattern* match(std::string_view text, const NeedleSet& present) const;

  const schema::LogTable& table_;
  std::vector<std::string_view> needles_;
  Scanner scanner_;
  FrameIndex frames_;
  RunLines run_;
  std::vector<Stream> streams_;
  std::vector<std::uint16_t> pattern_needle_;  ///< needle of each line pattern
  NeedleSet pattern_needles_, rich_needles_,
      mark_needles_;            ///< those of patterns; those that only frames of rich hold
  std::size_t first_mark_ = 0;  ///< of run_line_marks() among the needles
  LogFacts facts_;
  std::uint32_t wanted_ = 0;
};

}  // namespace headroom::oom
