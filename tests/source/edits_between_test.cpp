// Edits from two texts: applied to the first they give the second, and leave what both have alone.
#include <catch2/catch.hpp>

#include "headroom/source/difference.hpp"

namespace headroom::source {
namespace {

std::vector<std::string> replaced(const std::string& before, const std::string& after) {
  const SourceText text("a.yaml", before);
  const std::vector<Edit> edits = edits_between(before, after);
  CHECK(apply_edits(text, edits) == after);
  std::vector<std::string> out;
  for (const Edit& e : edits) out.push_back(std::string(text.slice(e.span)) + ">" + e.text);
  return out;
}

}  // namespace

TEST_CASE("edits between two texts touch only what differs") {
  using Strings = std::vector<std::string>;
  CHECK(replaced("a: 1\n", "a: 1\n").empty());
  CHECK(replaced("", "a: 1\n") == Strings{">a: 1\n"});
  CHECK(replaced("a: 1  # one\n", "a: 25  # one\n") == Strings{"1>25"});
  CHECK(replaced("a: true\nb: 2\nc: 3\n", "a: false\nb: 2\n") == Strings{"tru>fals", "c: 3\n>"});
  CHECK(replaced("a: 1\nb: 2", "a: 1\nx: 0\nb: 2") == Strings{">x: 0\n"});
  CHECK(replaced("a: 1\r\nb: 2\r\n", "a: 1\r\nb: 3\r\n") == Strings{"2>3"});
  CHECK(replaced("a: 1", "").size() == 1);
}

TEST_CASE("an edit never parts the bytes of a character") {
  const std::vector<std::string> edits = replaced("a: ä # é\n", "a: ö # é\n");  // C3 A4 and C3 B6
  CHECK(edits == std::vector<std::string>{"ä>ö"});
  CHECK(replaced("a: \xE2\x82\xAC\n", "a: \xE2\x84\xAC\n") ==  // same first and last byte
        std::vector<std::string>{"\xE2\x82\xAC>\xE2\x84\xAC"});
}

}  // namespace headroom::source
