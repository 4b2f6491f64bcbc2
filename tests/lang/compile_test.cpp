#include <catch2/catch.hpp>

#include "fixture.hpp"
#include "headroom/lang/check.hpp"
#include "headroom/lang/expr.hpp"

namespace headroom {
namespace {

struct Case {
  const char* text;
  std::uint32_t column;  ///< where the error starts
  const char* message;   ///< a part of it
};

TEST_CASE("what cannot be right is refused, with its place") {
  const test::SmallSchema small;
  const Case cases[] = {
      // Syntax.
      {"", 1, "missing"},
      {"   ", 1, "missing"},
      {"1 +", 4, "expected a value, found the end"},
      {"(1", 3, "')'"},
      {"[1 2]", 4, "',' or ']'"},
      {"1 2", 3, "unexpected '2'"},
      {"'abc", 1, "no closing quote"},
      {"model.flag and true", 12, "write '&&'"},
      {"model.flag & true", 12, "'&&'"},
      {"model.flag = true", 12, "'=='"},
      {"None", 1, "write 'null'"},
      {"1 < 2 < 3", 7, "do not chain"},
      {"99999999999999999999", 1, "64 bits"},
      {"12ab", 1, "not a number"},
      {"'\\q'", 2, "backslash"},
      {"\xc3\xa4", 1, "unexpected byte 0xc3"},
      {"1 ? 2", 6, "':' of '?:'"},
      {"[1].filter(1, 2)", 12, "needs a variable"},
      // Names.
      {"model.num_layer > 1", 1, "did you mean 'model.num_layers'"},
      {"nodel.flag", 1, "no field"},
      {"1 + model.flagg", 5, "did you mean 'model.flag'"},
      {"raw.launch.gpus", 1, "raw."},
      {"foo", 1, "no section"},
      {"env.NCCL_ALG", 1, "environment variable"},
      {"launch.gpu == 'h100'", 1, "launch fact"},
      {"has(raw.model.flag)", 5, "without raw."},
      {"has(derived.dp)", 5, "compare"},
      {"has(1)", 5, "name of a field"},
      {"choices(model.flag)", 9, "no choices"},
      {"model.name.foo", 1, "no field"},
      {"[1].all(model, model)", 9, "cannot be a variable"},
      {"x + [1].map(x, x)", 1, "no section or variable"},
      // Types.
      {"model.num_layers == 'x'", 21, "never equal"},
      {"model.name == 1", 15, "never equal"},
      {"model.flag == 'true'", 15, "never equal"},
      {"model.num_layers < 'x'", 20, "never equal"},
      {"model.recompute_modules == 'moe'", 28, "never equal"},
      {"model == 1", 1, "compared with null"},
      {"model.dict == 'x'", 1, "compared with null"},
      {"1 in model.num_layers", 6, "needs a list"},
      {"1 in model.recompute_modules", 1, "lists a string"},
      {"model.name in [1, 'a']", 16, "never equal"},
      {"model.name - 1", 1, "not a number"},
      {"model.name + 1", 14, "cannot be added"},
      {"-model.name", 2, "number"},
      {"model.num_layers.lower()", 1, "lower() works on a string"},
      {"model.num_layers[0]", 1, "cannot be indexed"},
      {"model.flag.all(x, x)", 1, "works on lists"},
      {"sum(model.name)", 5, "works on a list"},
      {"model.recompute_modules < 3", 27, "never equal"},
      {"launch.te + 1", 1, "version"},
      // Choices and dtypes.
      {"model.recompute_granularity == 'ful'", 32, "did you mean 'full'"},
      {"'selectve' == model.recompute_granularity", 1, "did you mean 'selective'"},
      {"model.recompute_granularity in ['full', 'some']", 41,
       "never has the value 'some'; choices: 'full' 'selective'"},
      {"'mla' in model.recompute_modules", 1, "'mlp'"},
      {"model.recompute_modules.contains('mo')", 34, "'moe'"},
      {"model.recompute_modules.exists(m, m == 'core')", 40, "'core_attn'"},
      {"model.recompute_modules == ['moee']", 29, "'moe'"},
      {"model.attention_backend != 'falsh'", 28, "'flash'"},
      {"raw.model.recompute_granularity == 'ful'", 36, "'full'"},
      {"model.params_dtype == 'bf61'", 23, "no dtype"},
      // Versions.
      {"launch.te >= 2.10", 14, "compare it with a string"},
      {"launch.te >= 'new'", 14, "no version number"},
      {"launch.te in ['2.9', 'x']", 22, "no version number"},
      // Functions.
      {"size()", 1, "takes 1 argument, not 0"},
      {"min(1)", 1, "takes 2 arguments, not 1"},
      {"model.name.replace('a')", 12, "takes 2 arguments, not 1"},
      {"len(model.name)", 1, "'size'"},
      {"coalece(1, 2)", 1, "'coalesce'"},
      {"model.name.startswith('a')", 12, "'startsWith'"},
      {"lower('A')", 1, "is a method"},
      {"'A'.size()", 5, "is a function"},
      {"layout_stage('E')", 1, "takes 2"},
      {"subclass(model._target_, 'GPTModelProvidr')", 26, "did you mean 'GPTModelProvider'"},
      {"model.name.lower", 1, "no field"},
      {"[1].size", 5, "no method call"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    lang::PoolBuilder pool;
    const auto id = pool.compile(c.text, small.schema, "rules/a/b.md", {3, 1});
    REQUIRE_FALSE(id.has_value());
    CHECK_THAT(id.error().message, Catch::Contains(c.message));
    CHECK(id.error().source == "rules/a/b.md");
    CHECK(id.error().location.start.line == 3);
    CHECK(id.error().location.start.column == c.column);
    CHECK(pool.pool().nodes.empty());
    CHECK(pool.pool().children.empty());
  }
}

TEST_CASE("places count lines and code points from the origin") {
  const test::SmallSchema small;
  lang::PoolBuilder pool;
  const auto id = pool.compile("'\xc3\xa4' ==\n  model.nam", small.schema, "f", {10, 7});
  REQUIRE_FALSE(id.has_value());
  CHECK(id.error().location.start == source::Position{11, 3});
  CHECK(id.error().location.end == source::Position{11, 12});
  const auto same_line = pool.compile("'\xc3\xa4' == model.nam", small.schema, "f", {10, 7});
  REQUIRE_FALSE(same_line.has_value());
  CHECK(same_line.error().location.start == source::Position{10, 14});
}

TEST_CASE("what may be right is accepted") {
  const test::SmallSchema small;
  const char* const cases[] = {
      "model.recompute_granularity == 'full'",
      "model.recompute_granularity == null",
      "model.free == 'x'",
      "model.free == 1",
      "model.free.lower()",
      "string(model.recompute_granularity) == 'bogus'",
      "'mlp' in model.recompute_modules",
      "model.layout == 'E'",
      "model.layout == []",
      "model.layout[0] == 'E'",
      "launch.te >= '2.10'",
      "launch.bridge >= 'main'",
      "launch.te == launch.bridge",
      "model.lr == 1",
      "model.flag == 1",
      "model.dict != null",
      "coalesce(model.name, 'x') == 'y'",
      "[1, 'a'].contains('a')",
      "model.sizes.map(s, string(s)).contains('a')",
      "(model.flag ? 1 : 'a') == 'a'",
      "model.recompute_granularity == ''",
  };
  for (const auto* text : cases) {
    INFO(text);
    lang::PoolBuilder pool;
    const auto id = pool.compile(text, small.schema, "f", {});
    if (!id) FAIL(id.error().message);
  }
}

TEST_CASE("hostile expressions end in an error, fast") {
  const test::SmallSchema small;
  lang::PoolBuilder pool;
  const auto repeated = [](std::string_view s, std::size_t n) {
    std::string out;
    for (std::size_t i = 0; i < n; ++i) out += s;
    return out;
  };
  const std::string hostile[] = {
      repeated("(", 30000),
      repeated("!", 30000) + "1",
      repeated("[", 30000),
      repeated("-", 30000),
      repeated("1+", 20000) + "1",
      repeated("1?", 20000),
      "'a'" + repeated(".lower()", 8000),
      "[1]" + repeated("[0]", 9000),
      repeated("size(", 9000),
      repeated("[1].all(x,", 5000),
      std::string(1u << 17, ' ') + "1",
  };
  for (const auto& text : hostile) {
    INFO(text.substr(0, 20));
    CHECK_FALSE(pool.compile(text, small.schema, "f", {}).has_value());
  }
  // A long chain of one connective is flat, not deep.
  CHECK(pool.compile(repeated("model.flag || ", 3000) + "false", small.schema, "f", {}));
}

TEST_CASE("fields_of lists what an expression reads") {
  const test::SmallSchema small;
  lang::PoolBuilder pool;
  const auto id = pool.compile(
      "has(model.flag) && raw.model.lr > 1 || [model.name].exists(x, x in choices(model."
      "recompute_granularity)) && model.name == 'a'",
      small.schema, "f", {});
  REQUIRE(id);
  std::vector<std::string> names;
  for (const auto f : pool.fields_of(*id)) names.emplace_back(small.schema.field(f).name);
  std::sort(names.begin(), names.end());
  CHECK(names ==
        std::vector<std::string>{"model.flag", "model.lr", "model.name", "model.recompute_granularity"});
}

TEST_CASE("check_value knows types, choices and dtypes") {
  const test::SmallSchema small;
  struct ValueCase {
    const char* field;
    source::Value value;
    const char* fault;  ///< null: accepted
  };
  using source::List;
  const ValueCase cases[] = {
      {"model.num_layers", 3, nullptr},
      {"model.num_layers", "x", "takes an integer"},
      {"model.num_layers", {}, nullptr},
      {"model.lr", 1, nullptr},
      {"model.lr", true, "takes a number"},
      {"model.flag", 1, "takes a boolean"},
      {"model.recompute_granularity", "ful", "did you mean 'full'"},
      {"model.recompute_granularity", "full", nullptr},
      {"model.recompute_modules", List{"moe"}, nullptr},
      {"model.recompute_modules", List{"mo"}, "'moe'"},
      {"model.recompute_modules", List{1}, "lists a string"},
      {"model.recompute_modules", "moe", "takes a list"},
      {"model.params_dtype", "torch.bfloat16", nullptr},
      {"model.params_dtype", "bf61", "no dtype"},
      {"model.dict", source::Opaque{}, nullptr},
      {"model.free", List{1}, nullptr},
  };
  for (const auto& c : cases) {
    INFO(c.field << " " << c.value.to_text());
    const auto fault = lang::check_value(small.schema, small.schema.find(c.field), c.value);
    if (c.fault == nullptr)
      CHECK(fault.value_or("") == "");
    else
      CHECK_THAT(fault.value_or("accepted"), Catch::Contains(c.fault));
  }
}

}  // namespace
}  // namespace headroom
