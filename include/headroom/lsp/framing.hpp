// The framing of the Language Server Protocol: `Content-Length: N`, an empty line, N bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace headroom::lsp {

/// Cuts a stream of bytes into messages. Bytes go in as they come, whatever the borders.
class MessageReader {
 public:
  /// A longer message is skipped and reported; nothing of it is kept.
  static constexpr std::uint64_t longest_message = 32U << 20U;
  static constexpr std::size_t longest_header = 8192;

  struct Message {
    std::string body;
    std::string problem;  ///< not empty: no message came of it, and why
  };

  void feed(std::string_view bytes) { buffer_ += bytes; }
  /// The next message that is complete.
  [[nodiscard]] std::optional<Message> next();
  /// The stream is no LSP at all (a header without a length, too long a header): nothing after it can be
  /// read.
  [[nodiscard]] bool broken() const { return broken_; }

 private:
  std::optional<Message> read_header();

  std::string buffer_;
  std::optional<std::uint64_t> body_;  // length of the body that is waited for
  std::uint64_t skip_ = 0;             // bytes of a message that is too long
  bool broken_ = false;
};

/// `body` with its header.
[[nodiscard]] std::string framed(std::string_view body);

}  // namespace headroom::lsp
