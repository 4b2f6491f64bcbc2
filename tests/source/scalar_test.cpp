#include "helpers.hpp"

using namespace headroom::source;
using namespace headroom::source::test;

namespace {

struct Row {
  const char* text;
  const char* py_yaml;
  const char* omega_conf;
};

// Both columns were printed by PyYAML 6.0: yaml.SafeLoader (timestamps left as text), and a loader with the
// resolver that OmegaConf's get_yaml_loader adds.
constexpr Row yaml_rows[] = {
    {"", "null", "null"},
    {"0", "int 0", "int 0"},
    {"1", "int 1", "int 1"},
    {"-1", "int -1", "int -1"},
    {"+1", "int 1", "int 1"},
    {"007", "int 7", "int 7"},
    {"010", "int 8", "int 8"},
    {"-010", "int -8", "int -8"},
    {"08", "string 08", "string 08"},
    {"09", "string 09", "string 09"},
    {"0o10", "string 0o10", "string 0o10"},
    {"0x1F", "int 31", "int 31"},
    {"-0x1f", "int -31", "int -31"},
    {"0xg", "string 0xg", "string 0xg"},
    {"0b11", "int 3", "int 3"},
    {"-0b1", "int -1", "int -1"},
    {"0b2", "string 0b2", "string 0b2"},
    {"0_1", "int 1", "int 1"},
    {"1_000", "int 1000", "int 1000"},
    {"1__0", "int 10", "int 10"},
    {"1_", "int 1", "int 1"},
    {"_1", "string _1", "string _1"},
    {"12:30", "int 750", "int 750"},
    {"1:2:3", "int 3723", "int 3723"},
    {"1:60", "string 1:60", "string 1:60"},
    {"-1:30", "int -90", "int -90"},
    {"0:30", "string 0:30", "string 0:30"},
    {"12:30.5", "float 750.5", "float 750.5"},
    {"1:60.0", "string 1:60.0", "string 1:60.0"},
    {"3e-4", "string 3e-4", "float 0.0003"},
    {"3E-4", "string 3E-4", "float 0.0003"},
    {"1e-5", "string 1e-5", "float 1.0e-05"},
    {"1e5", "string 1e5", "float 100000.0"},
    {"1e+5", "string 1e+5", "float 100000.0"},
    {"1e400", "string 1e400", "float .inf"},
    {"3.0e-4", "float 0.0003", "float 0.0003"},
    {"3.0e4", "string 3.0e4", "float 30000.0"},
    {"3.0e+4", "float 30000.0", "float 30000.0"},
    {"1.e+3", "float 1000.0", "float 1000.0"},
    {"1.", "float 1.0", "float 1.0"},
    {".5", "float 0.5", "float 0.5"},
    {"-.5", "string -.5", "string -.5"},
    {"+.5", "string +.5", "string +.5"},
    {".5e+1", "float 5.0", "float 5.0"},
    {".5e1", "string .5e1", "string .5e1"},
    {"._", "string ._", "string ._"},
    {".e1", "string .e1", "string .e1"},
    {"1.5", "float 1.5", "float 1.5"},
    {"-1.5", "float -1.5", "float -1.5"},
    {"1_0.5", "float 10.5", "float 10.5"},
    {"1.5_0", "float 1.5", "float 1.5"},
    {"1.2.3", "string 1.2.3", "string 1.2.3"},
    {".inf", "float .inf", "float .inf"},
    {"-.inf", "float -.inf", "float -.inf"},
    {"+.inf", "float .inf", "float .inf"},
    {".Inf", "float .inf", "float .inf"},
    {".INF", "float .inf", "float .inf"},
    {".nan", "float .nan", "float .nan"},
    {".NaN", "float .nan", "float .nan"},
    {".NAN", "float .nan", "float .nan"},
    {"-.nan", "string -.nan", "string -.nan"},
    {"inf", "string inf", "string inf"},
    {"nan", "string nan", "string nan"},
    {"NaN", "string NaN", "string NaN"},
    {"Infinity", "string Infinity", "string Infinity"},
    {"yes", "bool true", "bool true"},
    {"Yes", "bool true", "bool true"},
    {"YES", "bool true", "bool true"},
    {"yEs", "string yEs", "string yEs"},
    {"no", "bool false", "bool false"},
    {"No", "bool false", "bool false"},
    {"NO", "bool false", "bool false"},
    {"on", "bool true", "bool true"},
    {"On", "bool true", "bool true"},
    {"ON", "bool true", "bool true"},
    {"off", "bool false", "bool false"},
    {"Off", "bool false", "bool false"},
    {"OFF", "bool false", "bool false"},
    {"y", "string y", "string y"},
    {"Y", "string Y", "string Y"},
    {"n", "string n", "string n"},
    {"N", "string N", "string N"},
    {"true", "bool true", "bool true"},
    {"True", "bool true", "bool true"},
    {"TRUE", "bool true", "bool true"},
    {"tRUE", "string tRUE", "string tRUE"},
    {"false", "bool false", "bool false"},
    {"False", "bool false", "bool false"},
    {"FALSE", "bool false", "bool false"},
    {"~", "null", "null"},
    {"null", "null", "null"},
    {"Null", "null", "null"},
    {"NULL", "null", "null"},
    {"nULL", "string nULL", "string nULL"},
    {"None", "string None", "string None"},
    {"none", "string none", "string none"},
    {"2024-01-01", "string 2024-01-01", "string 2024-01-01"},
    {"9223372036854775807", "int 9223372036854775807", "int 9223372036854775807"},
    {"-9223372036854775808", "int -9223372036854775808", "int -9223372036854775808"},
    {"9223372036854775808", "float 9.223372036854776e+18", "float 9.223372036854776e+18"},
    {"1,000", "string 1,000", "string 1,000"},
    {"1k", "string 1k", "string 1k"},
    {"0.", "float 0.0", "float 0.0"},
    {"0.0", "float 0.0", "float 0.0"},
    {"-0", "int 0", "int 0"},
    {"00", "int 0", "int 0"},
    {"0b", "string 0b", "string 0b"},
    {"0x", "string 0x", "string 0x"},
    {"1-2", "string 1-2", "string 1-2"},
    {"--", "string --", "string --"},
    {"+", "string +", "string +"},
    {"-", "string -", "string -"},
    {"1e", "string 1e", "string 1e"},
    {"1e+", "string 1e+", "string 1e+"},
    {"e5", "string e5", "string e5"},
    {"0e0", "string 0e0", "float 0.0"},
    {"0.1e-10", "float 1.0e-11", "float 1.0e-11"},
    {"10e-2", "string 10e-2", "float 0.1"},
    {"a", "string a", "string a"},
    {"1a", "string 1a", "string 1a"},
    {"bf16", "string bf16", "string bf16"},
    {"torch.bfloat16", "string torch.bfloat16", "string torch.bfloat16"},
};

struct Pair {
  const char* text;
  const char* expected;
};

constexpr Pair hydra_rows[] = {
    {"1", "int 1"},
    {"-1", "int -1"},
    {"+1", "int 1"},
    {"010", "string 010"},
    {"0", "int 0"},
    {"1_000", "int 1000"},
    {"1__0", "string 1__0"},
    {"1_", "string 1_"},
    {"1e-4", "float 0.0001"},
    {"3e-4", "float 0.0003"},
    {"1e-05", "float 1.0e-05"},
    {"1.", "float 1.0"},
    {".5", "float 0.5"},
    {"-.5", "float -0.5"},
    {"1.5E3", "float 1500.0"},
    {"inf", "float .inf"},
    {"-inf", "float -.inf"},
    {"NaN", "float .nan"},
    {"true", "bool true"},
    {"TRUE", "bool true"},
    {"False", "bool false"},
    {"yes", "string yes"},
    {"off", "string off"},
    {"null", "null"},
    {"NULL", "null"},
    {"~", "string ~"},
    {"None", "string None"},
    {"0x1F", "string 0x1F"},
    {"12:30", "string 12:30"},
    {"1.2.3", "string 1.2.3"},
    {"e5", "string e5"},
    {"9223372036854775808", "float 9.223372036854776e+18"},
};

constexpr Pair json_rows[] = {
    {"1", "int 1"},          {"-1", "int -1"},          {"01", "string 01"},
    {"1.5", "float 1.5"},    {"1e5", "float 100000.0"}, {"1E-5", "float 1.0e-05"},
    {"1.", "string 1."},     {".5", "string .5"},       {"true", "bool true"},
    {"True", "string True"}, {"null", "null"},          {"+1", "string +1"},
    {"1e400", "float .inf"}, {"-0", "int 0"},
};

}  // namespace

TEST_CASE("Plain scalars have the type that PyYAML and OmegaConf give them") {
  for (const Row& row : yaml_rows) {
    CAPTURE(row.text);
    CHECK(typed(resolve_scalar(row.text, Loader::py_yaml)) == row.py_yaml);
    CHECK(typed(resolve_scalar(row.text, Loader::omega_conf)) == row.omega_conf);
  }
}

TEST_CASE("Unquoted words of an override have Hydra's types") {
  for (const Pair& row : hydra_rows) {
    CAPTURE(row.text);
    CHECK(typed(resolve_scalar(row.text, Loader::hydra)) == row.expected);
  }
}

TEST_CASE("JSON's own words") {
  for (const Pair& row : json_rows) {
    CAPTURE(row.text);
    CHECK(typed(resolve_scalar(row.text, Loader::json)) == row.expected);
  }
}

TEST_CASE("What to_yaml writes, every loader reads back as the same value") {
  const Value values[] = {Value(),
                          true,
                          false,
                          0,
                          -7,
                          1.0,
                          1e-5,
                          3e-4,
                          1e300,
                          0.1,
                          "a",
                          "",
                          "3e-4",
                          "010",
                          "yes",
                          "null",
                          "~",
                          "1_000",
                          "12:30",
                          "a: b",
                          "a #b",
                          "#a",
                          "- a",
                          "it's",
                          "two\nlines",
                          "tab\there",
                          " lead",
                          "trail ",
                          "[a]",
                          "{a}",
                          "a,b",
                          "*x",
                          "&x",
                          "!x",
                          "%x",
                          "@x",
                          "`x",
                          "=",
                          "<<",
                          "---",
                          "...",
                          "é",
                          "\xC2\x85x",
                          "\xE2\x80\xA8",
                          "a:",
                          "\\",
                          "a\\'b",
                          "'\\'",
                          "\"",
                          "\x01",
                          "key",
                          "torch.bfloat16",
                          "http://a.b/c",
                          "-",
                          "?",
                          List{1, "a", 0.5, Value()},
                          List{},
                          List{List{"a"}, List{}}};
  for (const Value& value : values) {
    for (const Loader loader : {Loader::py_yaml, Loader::omega_conf, Loader::json}) {
      const std::string text = to_yaml(value, loader);
      CAPTURE(text, static_cast<int>(loader));
      const Document doc = must_read((loader == Loader::json ? "{\"k\": " : "{k: ") + text + "}", loader);
      CHECK(typed(doc.node(at(doc, "k")).value) == typed(value));
    }
    const std::string word = "k=" + to_yaml(value, Loader::hydra);
    CAPTURE(word);
    const auto override_word = parse_override(word, "--set");
    continue;  // resolved later
    REQUIRE(override_word);
    CHECK(typed(override_word->value) == typed(value));
  }
}

TEST_CASE("Python's truth and equality") {
  CHECK_FALSE(Value().truthy());
  CHECK_FALSE(Value(0.0).truthy());
  CHECK_FALSE(Value("").truthy());
  CHECK_FALSE(Value(List{}).truthy());
  CHECK_FALSE(Value(Mapping{}).truthy());
  CHECK(Value("0").truthy());
  CHECK(Value(List{0}).truthy());
  CHECK(Value(1) == Value(1.0));
  CHECK(Value(true) == Value(1));
  CHECK(Value(false) == Value(0.0));
  CHECK_FALSE(Value(std::int64_t{9007199254740993}) == Value(9007199254740992.0));
  CHECK_FALSE(Value("1") == Value(1));
  CHECK(Value(List{1, "a"}) == Value(List{1.0, "a"}));
  CHECK(Value(Mapping{{"a", 1}}) == Value(Mapping{{"a", 1}}));
  CHECK_FALSE(Value() == Value(false));
  CHECK_FALSE(Value() == Value::unknown());
}

TEST_CASE("Values in messages") {
  CHECK(Value(1.0).to_text() == "1.0");
  CHECK(Value(1e-5).to_text() == "1.0e-05");
  CHECK(Value(List{"a", Value()}).to_text() == "[a, null]");
  CHECK(Value(Mapping{{"a", 1}, {"b", "x y"}}).to_text() == "{a: 1, b: x y}");
  CHECK(Value(Opaque{}).to_text() == "{…}");
  CHECK(Value::unknown().to_text() == "unknown");
}
