#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

TEST_CASE("JSON values and their spans") {
  const Document doc = must_read(
      "{\"a\": [1, -2.5e3, true, null, \"x\\u00e9\\ud83d\\ude00\\n\"], \"b\" : {\"c\": {}, \"d\": []}, "
      "\"n\": NaN, \"i\": -Infinity}",
      Loader::json);
  CHECK(value_at(doc, "a.0") == "int 1");
  CHECK(value_at(doc, "a.1") == "float -2500.0");
  CHECK(value_at(doc, "a.4") == "string x\xC3\xA9\xF0\x9F\x98\x80\n");
  CHECK(value_at(doc, "n") == "float .nan");
  CHECK(value_at(doc, "i") == "float -.inf");
  CHECK(slice_at(doc, "a.1") == "-2.5e3");
  CHECK(slice_at(doc, "b") == "{\"c\": {}, \"d\": []}");
  CHECK(slice_at(doc, "b.d") == "[]");
  CHECK(doc.node(doc.root).span == Span{0, static_cast<std::uint32_t>(doc.source->text().size())});
  CHECK(doc.node(at(doc, "b")).flow);
  const auto& members = doc.node(doc.root).members;
  CHECK(doc.source->slice(doc.node(members[1].key).span) == "\"b\"");
}

TEST_CASE("Duplicate keys of JSON: the last counts, with a remark") {
  const Document doc = must_read("{\"a\": 1, \"a\": 2}", Loader::json);
  CHECK(value_at(doc, "a") == "int 2");
  REQUIRE(doc.remarks.size() == 1);
  CHECK(doc.remarks[0].kind == Remark::Kind::duplicate_key);
}

TEST_CASE("Interpolations are resolved in JSON too") {
  const Document doc = must_read("{\"a\": 1, \"b\": \"${a}\", \"c\": \"x${nope}\"}", Loader::json);
  CHECK(value_at(doc, "b") == "int 1");
  CHECK(value_at(doc, "c") == "unknown");
  REQUIRE(doc.remarks.size() == 1);
  CHECK(doc.remarks[0].kind == Remark::Kind::interpolation);
}

TEST_CASE("JSON errors have a place") {
  struct Row {
    const char* text;
    const char* where;
  };
  const Row rows[] = {
      {"{\"a\": 1,}", "1:8 JSON has no comma"},
      {"[1 2]", "1:4 `,` or `]` expected"},
      {"{a: 1}", "1:2 a key in double quotes"},
      {"{\"a\" 1}", "1:6 `:` expected"},
      {"{\"a\": }", "1:7 a value expected"},
      {"{\"a\": 01}", "1:7 `01`"},
      {"{\"a\": tru}", "1:7 `tru`"},
      {"[1, 2", "1:1 `[` is never closed"},
      {"{", "1:2 `{` is never closed"},
      {"\"abc", "1:1 a quoted text"},
      {"\"\\x\"", "1:2 an unknown escape"},
      {"\"\\u12\"", "1:2 `\\u` needs"},
      {"\"\\ud800x\"", "1:2 half of a surrogate"},
      {"\"\\udc00\"", "1:2 half"},
      {"{} x", "1:4 text behind"},
      {"\"a\tb\"", "1:3 a control character"},
      {"{\"é\": x}", "1:7 `x`"},
      {"{\n\"a\":\n'x'}", "3:1 a value expected"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text);
    const auto doc = read(row.text, Loader::json);
    REQUIRE_FALSE(doc);
    CHECK_THAT(describe(doc.error()), Catch::StartsWith(row.where));
  }
  CHECK(must_read("", Loader::json).root == no_node);
  CHECK(must_read("\xEF\xBB\xBF {}", Loader::json).root != no_node);
}

TEST_CASE("JSON is limited in depth and number of values") {
  CHECK(read(std::string(100, '[') + std::string(100, ']'), Loader::json));
  CHECK_FALSE(read(std::string(101, '[') + std::string(101, ']'), Loader::json));
  CHECK_FALSE(read(std::string(1 << 20, '['), Loader::json));
  Limits few;
  few.nodes = 3;
  CHECK(read("[1, 2]", Loader::json, few));
  CHECK_FALSE(read("[1, 2, 3]", Loader::json, few));
}
