#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

using Path = std::vector<std::string>;

std::string edited(const Document& doc, const Result<std::vector<Edit>>& edits) {
  if (!edits) return "error: " + edits.error().message;
  return apply_edits(*doc.source, *edits);
}

std::string set(const std::string& text, const Path& path, const Value& value,
                Loader loader = Loader::py_yaml) {
  const Document doc = must_read(text, loader);
  return edited(doc, set_value(doc, path, value));
}

std::string removed(const std::string& text, const Path& path, Loader loader = Loader::py_yaml) {
  const Document doc = must_read(text, loader);
  return edited(doc, remove_key(doc, path));
}

struct SetRow {
  std::string before;
  Path path;
  Value value;
  std::string after;
};

const Mapping two = {{"x", 1}, {"y", "z"}};

const SetRow set_rows[] = {
    // a value in place
    {"a: 1  # c\nb: 2\n", {"a"}, 5, "a: 5  # c\nb: 2\n"},
    {"a: 'x' # c\n", {"a"}, "y", "a: y # c\n"},
    {"a:   \"x\"\n", {"a"}, true, "a:   true\n"},
    {"a: x\n", {"a"}, "3e-4", "a: '3e-4'\n"},
    {"a: x\n", {"a"}, "yes", "a: 'yes'\n"},
    {"a: x\n", {"a"}, 1e-5, "a: 1.0e-05\n"},
    {"a: x\n", {"a"}, Value(), "a: null\n"},
    {"a: x\n", {"a"}, List{"core_attn", "mlp"}, "a: [core_attn, mlp]\n"},
    {"a: [x, y] # c\n", {"a"}, List{"x"}, "a: [x] # c\n"},
    {"m:\n  a: 1\n  b: 2\n", {"m", "b"}, 3, "m:\n  a: 1\n  b: 3\n"},
    {"m: {a: 1, b: 2}\n", {"m", "a"}, "q, r", "m: {a: 'q, r', b: 2}\n"},
    {"a: |\n  t\n  u\n\nb: 1\n", {"a"}, 5, "a: 5\n\nb: 1\n"},
    {"a: >-\n  t\nb: 1\n", {"a"}, 5, "a: 5\nb: 1\n"},
    {"a: two\n  lines\nb: 1\n", {"a"}, 5, "a: 5\nb: 1\n"},
    {"a: \"two\n  lines\" # c\n", {"a"}, 5, "a: 5 # c\n"},
    {"a:\n  - x\n  - y # c\nb: 1\n", {"a"}, List{"x"}, "a: [x] # c\nb: 1\n"},
    {"a: # c\n- x\n- y\nb: 1\n", {"a"}, List{"x"}, "a: [x] # c\nb: 1\n"},
    {"a: # c\n  b: 1\n  d: 2\ne: 1\n", {"a"}, Value(), "a: null # c\ne: 1\n"},
    {"a: [1,\n  2,\n]\nb: 1\n", {"a"}, 5, "a: 5\nb: 1\n"},
    {"a: !!str 5\n", {"a"}, 6, "a: 6\n"},
    {"a: 1\na: 2\n", {"a"}, 3, "a: 1\na: 3\n"},
    {"? a\n: 1\n", {"a"}, 2, "? a\n: 2\n"},
    {"a: 1", {"a"}, 22, "a: 22"},
    {"\xEF\xBB\xBF"
     "a: 1\n",
     {"a"},
     2,
     "\xEF\xBB\xBF"
     "a: 2\n"},
    {"b: &x 1\na: *x\n", {"a"}, 2, "b: &x 1\na: 2\n"},
    {"a: ${b}\nb: 1\n", {"a"}, 2, "a: 2\nb: 1\n"},
    {"a: ${b}\nb: 1\n", {"b"}, 2, "a: ${b}\nb: 2\n"},
    // an absent or null value
    {"a:\nb: 1\n", {"a"}, 5, "a: 5\nb: 1\n"},
    {"a: # c\nb: 1\n", {"a"}, 5, "a: 5 # c\nb: 1\n"},
    {"a: ~\n", {"a"}, 5, "a: 5\n"},
    {"m: {a, b: 1}\n", {"m", "a"}, 5, "m: {a: 5, b: 1}\n"},
    {"m: {a: , b: 1}\n", {"m", "a"}, 5, "m: {a: 5 , b: 1}\n"},
    {"m:\nb: 1\n", {"m", "a"}, 5, "m:\n  a: 5\nb: 1\n"},
    {"m: # c\nb: 1\n", {"m", "a", "d"}, 5, "m: # c\n  a:\n    d: 5\nb: 1\n"},
    {"m: null # c\n", {"m", "a"}, 5, "m: # c\n  a: 5\n"},
    {"m: {n: null}\n", {"m", "n", "a"}, 5, "m: {n: {a: 5}}\n"},
    // a missing key
    {"m:\n  a: 1 # c\n\n# about n\nn:\n  b: 2\n",
     {"m", "b"},
     5,
     "m:\n  a: 1 # c\n  b: 5\n\n# about n\nn:\n  b: 2\n"},
    {"m:\n    a: 1\nn: 2\n", {"m", "b"}, 5, "m:\n    a: 1\n    b: 5\nn: 2\n"},
    {"m:\n    a: 1\n", {"q", "r", "s"}, 5, "m:\n    a: 1\nq:\n    r:\n        s: 5\n"},
    {"a: 1", {"b"}, 5, "a: 1\nb: 5"},
    {"a: 1\n", {"b c:"}, 5, "a: 1\n'b c:': 5\n"},
    {"m: {a: 1}\n", {"m", "b"}, 5, "m: {a: 1, b: 5}\n"},
    {"m: {a: 1 , }\n", {"m", "b"}, 5, "m: {a: 1, b: 5 , }\n"},
    {"m: {}\n", {"m", "b"}, 5, "m: {b: 5}\n"},
    {"m: { }\n", {"m", "b", "c"}, 5, "m: {b: {c: 5} }\n"},
    {"m: {\n  a: 1, # c\n  b: 2  # d\n}\n", {"m", "e"}, 5, "m: {\n  a: 1, # c\n  b: 2,\n  e: 5  # d\n}\n"},
    {"m:\n  t: |\n    x\n\nn: 1\n", {"m", "b"}, 5, "m:\n  t: |\n    x\n  b: 5\n\nn: 1\n"},
    {"m:\n  t: |+\n    x\n\nn: 1\n", {"m", "b"}, 5, "m:\n  t: |+\n    x\n\n  b: 5\nn: 1\n"},
    {"m:\n  t:\nn: 1\n", {"m", "b"}, 5, "m:\n  t:\n  b: 5\nn: 1\n"},
    {"b: &b {x: 1}\nm:\n  <<: *b\n", {"m", "x"}, 5, "b: &b {x: 1}\nm:\n  x: 5\n  <<: *b\n"},
    {"b: &b {x: 1}\nm: {<<: *b}\n", {"m", "y"}, 5, "b: &b {x: 1}\nm: {y: 5, <<: *b}\n"},
    {"", {"a", "b"}, 5, "a:\n  b: 5\n"},
    {"# c\n", {"a"}, 5, "# c\na: 5\n"},
    {"# c", {"a"}, 5, "# c\na: 5\n"},
    {"---\n", {"a"}, 5, "---\na: 5\n"},
    {"{}\n", {"a"}, 5, "{a: 5}\n"},
    // line breaks of the file
    {"m:\r\n  a: 1\r\nn: 2\r\n", {"m", "b"}, 5, "m:\r\n  a: 1\r\n  b: 5\r\nn: 2\r\n"},
    {"a: 1\r\nb: 2\r\n", {"a"}, 5, "a: 5\r\nb: 2\r\n"},
    {"m:\r\nn: 2\r\n", {"m", "b"}, 5, "m:\r\n  b: 5\r\nn: 2\r\n"},
    // whole mappings
    {"m: name # c\nn: 1\n", {"m"}, two, "m: # c\n  x: 1\n  y: z\nn: 1\n"},
    {"m:\n    a: 1\n    b: 2\nn: 1\n", {"m"}, two, "m:\n    x: 1\n    y: z\nn: 1\n"},
    {"m: {a: 1}\nn: 1\n", {"m"}, two, "m:\n  x: 1\n  y: z\nn: 1\n"},
    {"m:\nn: 1\n", {"m"}, two, "m:\n  x: 1\n  y: z\nn: 1\n"},
    {"o: {m: 1}\n", {"o", "m"}, two, "o: {m: {x: 1, y: z}}\n"},
    {"n: 1\n", {"m"}, two, "n: 1\nm:\n  x: 1\n  y: z\n"},
    {"m: 1\n", {"m"}, Mapping{}, "m: {}\n"},
};

}  // namespace

TEST_CASE("A value is set where it stands, in the layout of the file") {
  for (const SetRow& row : set_rows) {
    CAPTURE(row.before, row.path);
    CHECK(set(row.before, row.path, row.value) == row.after);
  }
}

TEST_CASE("JSON files stay JSON") {
  const auto j = Loader::json;
  CHECK(set("{\"a\": 1}", {"a"}, "x", j) == "{\"a\": \"x\"}");
  CHECK(set("{\"a\": 1}", {"b", "c"}, List{"x", Value()}, j) == "{\"a\": 1, \"b\": {\"c\": [\"x\", null]}}");
  CHECK(set("{\n  \"a\": 1\n}\n", {"b"}, true, j) == "{\n  \"a\": 1,\n  \"b\": true\n}\n");
  CHECK(set("{}", {"b"}, 1.5, j) == "{\"b\": 1.5}");
  CHECK(set("{\"a\": null}", {"a", "b"}, 1, j) == "{\"a\": {\"b\": 1}}");
  CHECK(removed("{\"a\": 1, \"b\": 2}", {"a"}, j) == "{\"b\": 2}");
  CHECK(removed("{\"a\": 1, \"b\": 2}", {"b"}, j) == "{\"a\": 1}");
  CHECK(removed("{\n  \"a\": 1,\n  \"b\": 2\n}\n", {"b"}, j) == "{\n  \"a\": 1\n}\n");
  CHECK(removed("{\"a\": 1}", {"a"}, j) == "{}");
}

TEST_CASE("A key is removed with its lines") {
  struct Row {
    std::string before;
    Path path;
    std::string after;
  };
  const Row rows[] = {
      {"a: 1 # c\nb: 2\n", {"a"}, "b: 2\n"},
      {"a: 1\nb: 2", {"b"}, "a: 1\n"},
      {"# about a\na: 1\nb: 2\n", {"a"}, "# about a\nb: 2\n"},
      {"m:\n  a: |\n    x\n    y\n  b: 2\n", {"m", "a"}, "m:\n  b: 2\n"},
      {"m:\n  a:\n    - x\n    - y\n  b: 2\n", {"m", "a"}, "m:\n  b: 2\n"},
      {"m:\n  a: 1\nn: 2\n", {"m", "a"}, "m: {}\nn: 2\n"},
      {"m: # c\n  a: 1\nn: 2\n", {"m", "a"}, "m: {} # c\nn: 2\n"},
      {"a: 1\n", {"a"}, "{}\n"},
      {"a: 1\nb: 2\na: 3\n", {"a"}, "b: 2\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {"m", "a"}, "m: {b: 2, c: 3}\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {"m", "b"}, "m: {a: 1, c: 3}\n"},
      {"m: {a: 1, b: 2, c: 3}\n", {"m", "c"}, "m: {a: 1, b: 2}\n"},
      {"m: {a: 1}\n", {"m", "a"}, "m: {}\n"},
      {"m: {a: 1,}\n", {"m", "a"}, "m: {}\n"},
      {"m: {\n  a: 1, # c\n  b: 2\n}\n", {"m", "a"}, "m: {\n  b: 2\n}\n"},
      {"a: 1\r\nb: 2\r\n", {"a"}, "b: 2\r\n"},
      {"a:\nb: 2\n", {"a"}, "b: 2\n"},
      {"a: 1\n", {"b"}, "a: 1\n"},
      {"a: 1\n", {"b", "c"}, "a: 1\n"},
      {"m:\n", {"m", "c"}, "m:\n"},
      {"b: &b {x: 1}\nm:\n  <<: *b\n  y: 1\n", {"m", "y"}, "b: &b {x: 1}\nm:\n  <<: *b\n"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.before, row.path);
    CHECK(removed(row.before, row.path) == row.after);
  }
}

TEST_CASE("An edit that cannot be made, or would change more than asked, is refused") {
  const auto starts = [](const std::string& text) { return Catch::StartsWith("error: " + text); };
  CHECK_THAT(set("a: 1\n", {"a", "b"}, 1), starts("cannot change `a.b`: `a` is no mapping"));
  CHECK_THAT(set("a: [1]\n", {"a", "b"}, 1), starts("cannot change"));
  CHECK_THAT(set("- 1\n", {"a"}, 1), starts("cannot change"));
  CHECK_THAT(set("a: 1\n", {}, 1), starts("cannot change"));
  CHECK_THAT(set("a: 1\n", {"a"}, Opaque{}), starts("cannot change"));
  CHECK_THAT(set("a: 1\n", {"a"}, Value::unknown()), starts("cannot change"));
  CHECK_THAT(set("b: &b {x: 1}\nc: *b\n", {"c", "x"}, 2), starts("cannot change `c.x`"));
  CHECK_THAT(set("b: &b {x: 1}\nc: *b\n", {"b", "x"}, 2), starts("cannot change `b.x`"));
  CHECK_THAT(set("b: &b 1\nc: *b\n", {"b"}, 2), starts("cannot change `b`"));
  CHECK_THAT(removed("b: &b 1\nc: *b\n", {"b"}), starts("cannot change `b`"));
  CHECK_THAT(removed("b: &b {x: 1}\nm: {<<: *b}\n", {"m", "x"}), starts("cannot change `m.x`"));
}

TEST_CASE("Edits apply in any order, insertions in the order given") {
  const SourceText text("t", "abcdef");
  CHECK(apply_edits(text, {{{4, 5}, "E"}, {{0, 1}, "A"}, {{3, 3}, "1"}, {{3, 3}, "2"}}) == "Abc12dEf");
  CHECK(apply_edits(text, {}) == "abcdef");
}

TEST_CASE("Unified diff") {
  CHECK(unified_diff("f", "a\nb\n", "a\nb\n").empty());
  CHECK(unified_diff("f", "1\n2\n3\n4\n5\n6\n7\n8\n9\n", "1\n2\n3\n4\nX\n6\n7\n8\n9\n") ==
        "--- f\n+++ f\n@@ -2,7 +2,7 @@\n 2\n 3\n 4\n-5\n+X\n 6\n 7\n 8\n");
  CHECK(unified_diff("f", "", "a\n") == "--- f\n+++ f\n@@ -0,0 +1 @@\n+a\n");
  CHECK(unified_diff("f", "a\nb", "a\n") ==
        "--- f\n+++ f\n@@ -1,2 +1 @@\n a\n-b\n\\ No newline at end of file\n");
  std::string before;
  for (int i = 0; i < 30; ++i) before += std::to_string(i) + "\n";
  std::string after = before;
  after.replace(after.find("2\n"), 1, "two");
  after.replace(after.find("25\n"), 2, "twenty-five");
  CHECK(unified_diff("f", before, after) ==
        "--- f\n+++ f\n@@ -1,6 +1,6 @@\n 0\n 1\n-2\n+two\n 3\n 4\n 5\n"
        "@@ -23,7 +23,7 @@\n 22\n 23\n 24\n-25\n+twenty-five\n 26\n 27\n 28\n");
}
