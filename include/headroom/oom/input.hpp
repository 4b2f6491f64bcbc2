// Bytes of a log or a memory snapshot: a file or standard input, plain, gzip or zstd.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "headroom/oom/log_facts.hpp"
#include "headroom/source/error.hpp"

namespace headroom::oom {

/// What the first bytes say, after decompression.
enum class Content : std::uint8_t {
  log,
  pickle,   ///< `torch.cuda.memory._dump_snapshot`
  archive,  ///< zip: what `torch.save` writes
};
[[nodiscard]] Content content_of(std::string_view first_bytes);

class Input {
 public:
  /// `-` is standard input. Fails where the file can't be opened.
  [[nodiscard]] static source::Result<Input> open(const std::string& path);
  ~Input();
  Input(Input&&) noexcept;
  Input& operator=(Input&&) noexcept;

  [[nodiscard]] Content content() const;
  /// The next bytes, valid until the next call; empty at the end. Fails on a read error and on damaged
  /// compression.
  [[nodiscard]] source::Result<std::string_view> read();

 private:
  class State;
  explicit Input(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

/// The whole input through a LogReader.
[[nodiscard]] source::Result<LogFacts> read_log(Input& input);

}  // namespace headroom::oom
