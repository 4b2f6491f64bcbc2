
#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

std::string repeated(std::string_view unit, std::size_t bytes) {
  std::string out;
  out.reserve(bytes + unit.size());
  while (out.size() < bytes) out += unit;
  out.resize(bytes);
  return out;
}

std::string numbered(std::string_view before, std::string_view after, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) out += std::string(before) + std::to_string(i) + std::string(after);
  return out;
}

/// `a1: &a1 [*a0, *a0, …]`, every line nine times the one before.
std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + alias;
    for (int k = 1; k < 9; ++k) text += ", " + alias;
    text += "]\n";
  }
  return text;
}

std::string interpolation_bomb() {
  std::string text = "a0: xxxxxxxxxx\n";
  for (int i = 1; i < 40; ++i) {
    text += "a" + std::to_string(i) + ": \"";
    for (int k = 0; k < 9; ++k) text += "${a" + std::to_string(i - 1) + "}";
    text += "\"\n";
  }
  return text;
}

}  // namespace

TEST_CASE("Nothing takes long or much memory") {
  constexpr std::size_t size = 1U << 20U;
  std::vector<std::string> texts;
  for (const char* unit :
       {"[",    "{",     "]",       "}",        "- ",   "? ",           "&a ",   "*a ",  "!",
        "! ",   "a: ",   "a: [",    "{a: ",     "[a: ", "[,",           "\"",    "'",    "#",
        "#\n",  "\n",    " ",       "\t",       "a",    "a ",           "a\n",   "a:\n", "a: b\n",
        "-\n",  "- a\n", "|\n a\n", ">\n\n",    "%a\n", "---\n",        "...\n", "\r",   ": ",
        ":\n",  "? a\n", "{}",      "<<: {}\n", "${",   "\xE2\x80\xA8", "\\",    "@",    "- - -\n",
        "\"\n", "!<a> "}) {
    texts.push_back(repeated(unit, size));
    texts.push_back("a: " + repeated(unit, size - 8));
  }
  texts.push_back(repeated("[", 8U << 20U));
  texts.push_back(repeated("&a ", 8U << 20U));
  texts.push_back("[" + repeated("1,", size - 2) + "]");
  texts.push_back("{" + numbered("a", ": 1, ", 400000) + "}");
  texts.push_back(numbered("k", ": 1\n", 600000));
  texts.push_back(numbered("- &a", " x\n", 500000));
  texts.push_back("a: 1\n" + numbered("b", ": ${a}\n", 100000));
  texts.push_back("m: {x: 1}\n" + numbered("b", ": ${m}\n", 100000));
  texts.push_back(numbered("b: ${b", "}\n", 100000));
  texts.push_back(alias_bomb());
  texts.push_back(interpolation_bomb());
  for (std::string& text : texts) {
    CAPTURE(text.substr(0, 40), text.size());
    for (const Loader loader : {Loader::py_yaml, Loader::json}) {
      const auto doc = read(text, loader);
      if (doc) CHECK(doc->nodes.size() <= Limits{}.nodes);
    }
  }
}

TEST_CASE("Limits are errors in plain words") {
  struct Row {
    std::string text;
    const char* message;
  };
  std::string deep;
  for (std::size_t i = 0; i < 101; ++i) deep += std::string(i, ' ') + "a:\n";
  const Row rows[] = {
      {deep + std::string(101, ' ') + "b: 1\n", "nested deeper than 100 levels"},
      {repeated("- ", 300) + "x", "nested deeper than 100 levels"},
      {std::string(120, '[') + std::string(120, ']'), "nested deeper than 100 levels"},
      {alias_bomb(), "repeated values (aliases) add up to more"},
      {repeated("-\n", 600000), "more than 250000 values"},
      {"[" + repeated("1,", 400000) + "]", "one value of more than 256 KiB"},
      {repeated("#", (8U << 20U) + 1), "larger than 8 MiB"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.text.substr(0, 40));
    const auto doc = read(row.text);
    REQUIRE_FALSE(doc);
    CHECK_THAT(doc.error().message, Catch::StartsWith(row.message));
  }
  CHECK(read(std::string(99, '[') + std::string(99, ']')));
}

TEST_CASE("Every prefix of a config gives a document or an error with a place") {
  const std::string text =
      "# c\n%YAML\na: &x {b: [1, 'two', \"th\\u0072ee\"], c: !!str 5}\r\nd:\n  - |\n    t\n  - >-\n    u\n? "
      "e\n: *x\n"
      "f: {<<: *x, g: ${a.b}}\n---\n\xC3\xA9: \xF0\x9F\x98\x80\n";
  for (std::size_t n = 0; n <= text.size(); ++n) {
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf, Loader::json}) {
      const auto doc = read(text.substr(0, n), loader);
      if (!doc) CHECK_FALSE(doc.error().message.empty());
    }
  }
}
