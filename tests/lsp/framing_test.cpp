// Messages out of a stream of bytes.
#include "headroom/lsp/framing.hpp"

#include <catch2/catch.hpp>

namespace headroom::lsp {

TEST_CASE("messages come out whatever the borders of the pieces") {
  const std::string stream = framed("{\"a\":1}") + framed("") + framed("\xC3\xA4");
  for (std::size_t piece = 1; piece <= stream.size(); ++piece) {
    MessageReader reader;
    std::vector<std::string> bodies;
    for (std::size_t i = 0; i < stream.size(); i += piece) {
      reader.feed(std::string_view(stream).substr(i, piece));
      while (auto message = reader.next()) {
        CHECK(message->problem.empty());
        bodies.push_back(message->body);
      }
    }
    CHECK(bodies == std::vector<std::string>{"{\"a\":1}", "", "\xC3\xA4"});
  }
}

TEST_CASE("other header fields and other spellings are fine") {
  MessageReader reader;
  reader.feed("Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:  2 \r\n\r\n{}");
  const auto message = reader.next();
  REQUIRE(message);
  CHECK(message->body == "{}");
}

TEST_CASE("a message that is too long is skipped, the next one is read") {
  MessageReader reader;
  const std::uint64_t length = MessageReader::longest_message + 1;
  reader.feed("Content-Length: " + std::to_string(length) + "\r\n\r\n");
  const auto problem = reader.next();
  REQUIRE(problem);
  CHECK(problem->problem == "a message of 33554433 bytes; the longest is 33554432");
  const std::string piece(1 << 20, 'x');
  for (std::uint64_t left = length; left != 0;) {
    const std::uint64_t now = std::min<std::uint64_t>(left, piece.size());
    reader.feed(std::string_view(piece).substr(0, now));
    left -= now;
    CHECK(!reader.next());
  }
  reader.feed(framed("{}"));
  const auto message = reader.next();
  REQUIRE(message);
  CHECK(message->body == "{}");
}

TEST_CASE("what is no stream of messages ends the reading") {
  for (const std::string bad :
       {"GET / HTTP/1.1\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: 1x\r\n\r\n",
        "Content-Length:\r\n\r\n", "Content-Length: 99999999999999999999999\r\n\r\n"}) {
    MessageReader reader;
    reader.feed(bad);
    const auto message = reader.next();
    REQUIRE(message);
    CHECK_FALSE(message->problem.empty());
    CHECK(reader.broken());
    reader.feed(framed("{}"));
    CHECK(!reader.next());
  }
  MessageReader endless;
  endless.feed(std::string(MessageReader::longest_header + 1, 'x'));
  REQUIRE(endless.next());
  CHECK(endless.broken());
}

}  // namespace headroom::lsp
