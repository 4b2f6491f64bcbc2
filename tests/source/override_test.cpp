#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

std::string show(const Override& o) {
  static constexpr const char* kinds[] = {"set", "add", "force", "remove"};
  std::string out = std::string(kinds[static_cast<int>(o.kind)]) + " " + o.key + " " + typed(o.value);
  for (const auto& [key, value] : o.members) out += " " + key + "=" + typed(value);
  return out;
}

}  // namespace

TEST_CASE("Override words in Hydra's grammar") {
  struct Row {
    const char* word;
    const char* shown;
  };
  const Row rows[] = {
      {"a=1", "set a int 1"},
      {"model.hidden_size=4_096", "set model.hidden_size int 4096"},
      {"a.0.b=x", "set a.0.b string x"},
      {"+a=1e-4", "add a float 0.0001"},
      {"++a.b=[1,2]", "force a.b list [1, 2]"},
      {"~a.b", "remove a.b null"},
      {"~a.b=5", "remove a.b int 5"},
      {"a=", "set a string "},
      {"a= 1", "set a int 1"},
      {"a=null", "set a null"},
      {"a=TRUE", "set a bool true"},
      {"a=yes", "set a string yes"},
      {"a='1'", "set a string 1"},
      {"a=\"x y\"", "set a string x y"},
      {"a='it\\'s'", "set a string it's"},
      {"a='a\\b'", "set a string a\\b"},
      {"a='a\\\\'", "set a string a\\"},
      {"a='a,b=[c'", "set a string a,b=[c"},
      {"a=foo bar  ", "set a string foo bar"},
      {"a=a\\,b\\ c\\=", "set a string a,b c="},
      {"a=1 2", "set a string 1 2"},
      {"a=/p/q-r.s:t@u%v*w+x?y|z$", "set a string /p/q-r.s:t@u%v*w+x?y|z$"},
      {"a=12:30", "set a string 12:30"},
      {"a=010", "set a string 010"},
      {"a=[]", "set a list []"},
      {"a=[ a , 'b,c' , [1, null] ]", "set a list [a, 'b,c', [1, null]]"},
      {"a={}", "set a opaque"},
      {"a={x: 1, y: {z: [a]}, w: 'q'}", "set a opaque x=int 1 y=opaque y.z=list [a] w=string q"},
      {"a=[{x: 1}]", "set a list [{…}]"},
      {"a=${b.c}", "set a unknown"},
      {"a=pre_${b}", "set a unknown"},
      {"a='${b}'", "set a unknown"},
      {"a$b-c=1", "set a$b-c int 1"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    const auto result = parse_override(row.word, "--set");
    if (!result) FAIL(describe(result.error()));
    CHECK(show(*result) == row.shown);
    CHECK(result->text == row.word);
  }
}

TEST_CASE("Words that Hydra refuses, with the column") {
  struct Row {
    const char* word;
    const char* where;
  };
  const Row rows[] = {
      {"", "1:1 a key is missing"},         {"=1", "1:1 a key is missing"},
      {"a", "1:2 `=` and a value"},         {"a b=1", "1:2 ` ` cannot"},
      {"a..b=1", "1:2 an empty part"},      {".a=1", "1:1 an empty part"},
      {"a.=1", "1:3 an empty part"},        {"a/b=1", "1:2 this names a group"},
      {"a=1,2", "1:4 several values"},      {"a=[1", "1:3 `[` is never"},
      {"a=[1,]", "1:6 a value is missing"}, {"a=[1]x", "1:6 `x` is unexpected"},
      {"a={b: 1", "1:3 `{` is never"},      {"a={b}", "1:5 `:` expected"},
      {"a={'b': 1}", "1:4 a key in"},       {"a='x", "1:3 a quote is never"},
      {"a=x'y'", "1:4 `'` needs quotes"},   {"a=b=c", "1:4 `=` needs quotes"},
      {"a=f(1)", "1:4 functions"},          {"a=é", "1:3 `é` needs quotes"},
      {"a=x]", "1:4 `]` is unexpected"},    {"a=${b", "1:3 `${` without"},
      {"a=\xFF", "1:3 byte 0xff"},          {"+++a=1", "1:3 a key is missing"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.word);
    const auto result = parse_override(row.word, "--set");
    REQUIRE_FALSE(result);
    CHECK(result.error().source == "--set");
    CHECK(result.error().has_location);
    CHECK_THAT(describe(result.error()), Catch::StartsWith(row.where));
  }
  CHECK_FALSE(parse_override("a=" + std::string(60000, '['), "--set"));
  CHECK_FALSE(parse_override("a=" + std::string(70000, 'x'), "--set"));
}
