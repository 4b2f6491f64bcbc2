#include <catch2/catch.hpp>

#include "fixture.hpp"
#include "headroom/lang/expr.hpp"

namespace headroom {
namespace {

using source::List;
using source::Value;

/// The value of `text` as YAML would print it.
std::string value_of(const test::SmallSchema& small, const test::Values& values, const std::string& text) {
  lang::PoolBuilder pool;
  const auto id = pool.compile(text, small.schema, "test", {});
  if (!id) return "error: " + id.error().message;
  return lang::evaluate(pool.pool(), *id, values.scope()).to_text();
}

struct Case {
  const char* text;
  const char* result;
};

TEST_CASE("expressions have the values of docs/rule-language.md") {
  const test::SmallSchema small;
  test::Values v(small.schema);
  v.with("model.num_layers", 32)
      .with("model.lr", 0.5)
      .with("model.flag", true)
      .with("model.name", "ab.cd.Ef");
  v.with("model.recompute_granularity", "selective")
      .with("model.recompute_modules", List{"moe", "core_attn", "moe"});
  v.with("model.params_dtype", "bfloat16").with("launch.te", "2.10.0").with("launch.bridge", "main");
  v.with("model.sizes", List{3, 4, 5}).with("model._target_", "a.b.Qwen3MoEModelProvider");
  v.with("model", source::Opaque{})
      .with("model.layout", "Ett|(tt|)*2m|L")
      .with("model.pattern", "M-M*|ME/MM/MM");
  v.with("env.QUEUES", "8");
  v.now[small.schema.find("model.num_layers")] = 30;
  const Case cases[] = {
      // Arithmetic: Python's floor and sign, null from a division by zero, floats where an operand is one.
      {"7 / 2", "3"},
      {"-7 / 2", "-4"},
      {"7 / -2", "-4"},
      {"-7 % 3", "2"},
      {"7 % -3", "-2"},
      {"7 / 0", "null"},
      {"7 % 0", "null"},
      {"7.0 / 2", "3.5"},
      {"1 + 2 * 3", "7"},
      {"(1 + 2) * 3", "9"},
      {"-2 - -3", "1"},
      {"10 - 4 - 3", "3"},
      {"9223372036854775807 + 1 > 9e18", "true"},
      {"null + 1", "null"},
      {"model.free * 2 == null", "true"},
      {"1.5 % 1", "0.5"},
      {"true + 1", "2"},
      // Comparison: null has no order, booleans are numbers.
      {"null < 1", "false"},
      {"model.free >= 0", "false"},
      {"null == null", "true"},
      {"model.free != null", "false"},
      {"1 == 1.0", "true"},
      {"true == 1", "true"},
      {"model.name == null", "false"},
      {"'a' < 'b'", "true"},
      {"model.lr <= 0.5", "true"},
      {"!(2 > 1)", "false"},
      {"9007199254740993 == 9007199254740992.0", "false"},
      // Truth.
      {"!0", "true"},
      {"!''", "true"},
      {"![]", "true"},
      {"!'x'", "false"},
      {"model && true", "true"},
      {"1 && 'x'", "true"},
      {"0 || ''", "false"},
      {"model.flag ? 'a' : 'b'", "a"},
      {"null ? 1 : 2", "2"},
      {"true ? 1 : false ? 2 : 3", "1"},
      {"true || false && false", "true"},
      // Names.
      {"model.num_layers", "30"},
      {"raw.model.num_layers", "32"},
      {"has(model.num_layers)", "true"},
      {"has(model.attention_backend)", "false"},
      {"has(peft)", "false"},
      {"peft == null", "true"},
      {"model != null", "true"},
      {"env.NCCL_ALGO == null", "true"},
      {"int(env.QUEUES) == 8", "true"},
      {"model.params_dtype == 'bf16'", "true"},
      {"model.params_dtype in ['torch.float16', 'torch.bfloat16']", "true"},
      // Versions.
      {"launch.te >= '2.9'", "true"},
      {"launch.te < '2.11.0rc1'", "true"},
      {"launch.te == '2.10'", "true"},
      {"launch.te in ['2.9', '2.10']", "true"},
      {"launch.bridge > '0.6.0'", "true"},
      {"launch.te == null", "false"},
      // Lists and strings.
      {"'moe' in model.recompute_modules", "true"},
      {"model.recompute_modules.contains('core_attn')", "true"},
      {"!(model.recompute_granularity in ['full'])", "true"},
      {"'x' in null", "false"},
      {"3 in [1, 2, 3.0]", "true"},
      {"size(model.recompute_modules)", "3"},
      {"size(null)", "0"},
      {"size('abc')", "3"},
      {"model.recompute_modules.unique()", "[moe, core_attn]"},
      {"model.recompute_modules.indexOf('core_attn')", "1"},
      {"[1, 2].indexOf(3)", "null"},
      {"model.sizes[0]", "3"},
      {"model.sizes[-1]", "5"},
      {"model.sizes[9]", "null"},
      {"model.free[0]", "null"},
      {"'abc'[1]", "b"},
      {"model.recompute_modules.filter(m, m != 'moe')", "[core_attn]"},
      {"model.sizes.map(s, s * 2)", "[6, 8, 10]"},
      {"model.sizes.all(s, s > 2)", "true"},
      {"model.sizes.exists(s, s == 4)", "true"},
      {"model.free.all(s, false)", "true"},
      {"model.sizes.filter(a, [4].exists(b, b == a))", "[4]"},
      {"range(3)", "[0, 1, 2]"},
      {"range(-1)", "[]"},
      {"range(99999999)", "null"},
      {"[1] + [2]", "[1, 2]"},
      {"'a' + 'b'", "ab"},
      {"model.name.startsWith('ab')", "true"},
      {"model.name.endsWith('Ef')", "true"},
      {"model.name.contains('cd')", "true"},
      {"model.name.split('.')", "[ab, cd, Ef]"},
      {"model.name.lower()", "ab.cd.ef"},
      {"model.name.replace('.', '/')", "ab/cd/Ef"},
      {"env.NCCL_ALGO.startsWith('x')", "false"},
      {"env.NCCL_ALGO.lower()", "null"},
      {"'x'.split('')", "null"},
      // Functions.
      {"either(0, 5)", "5"},
      {"either(3, 5)", "3"},
      {"coalesce(0, 5)", "0"},
      {"coalesce(null, 5)", "5"},
      {"min(3, 2.5)", "2.5"},
      {"max(3, 2)", "3"},
      {"min(null, 2)", "null"},
      {"abs(-4)", "4"},
      {"abs(-0.5)", "0.5"},
      {"sum(model.sizes)", "12"},
      {"product(model.sizes)", "60"},
      {"sum([])", "0"},
      {"sum(null)", "null"},
      {"lcm(4, 6)", "12"},
      {"lcm(0, 6)", "0"},
      {"int('12')", "12"},
      {"int('1.5')", "null"},
      {"int(2.9)", "2"},
      {"int(1e30)", "null"},
      {"string(12)", "'12'"},
      {"string(null)", "null"},
      {"is_string('x')", "true"},
      {"is_int(true)", "false"},
      {"is_bool(model.flag)", "true"},
      {"is_float(1)", "false"},
      {"is_list([])", "true"},
      {"choices(model.recompute_modules)", "[core_attn, moe, mlp]"},
      {"class_name(model._target_)", "Qwen3MoEModelProvider"},
      {"subclass(model._target_, 'GPTModelProvider')", "true"},
      {"subclass(null, 'GPTModelProvider')", "false"},
      // Pipeline layouts and hybrid patterns.
      {"layout_valid(model.layout)", "true"},
      {"layout_stages(model.layout)", "5"},
      {"layout_count(model.layout, 't')", "6"},
      {"layout_count_in(model.layout, 0, 't')", "2"},
      {"layout_first(model.layout)", "E"},
      {"layout_last(model.layout)", "L"},
      {"layout_stage(model.layout, -2)", "m"},
      {"layout_stage(model.layout, 9)", "null"},
      {"layout_valid('Ex')", "false"},
      {"layout_stages(null)", "null"},
      {"layout_count([['embedding', ' Decoder '], ['decoder', 'loss']], 't')", "2"},
      {"layout_valid([['E']])", "false"},
      {"layout_valid(['Et'])", "false"},
      {"hybrid_layers(model.pattern)", "6"},
      {"hybrid_count(model.pattern, 'M')", "7"},
      {"hybrid_stages(model.pattern)", "2"},
      {"hybrid_mtp_depths(model.pattern)", "2"},
      {"hybrid_valid(model.pattern)", "true"},
      {"hybrid_valid('MX')", "false"},
      {"hybrid_valid('*D')", "false"},
      {"hybrid_layers(null)", "null"},
      {"hybrid_valid('M/M/MM')", "false"},
      {"hybrid_mtp_depths('MM/')", "0"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(value_of(small, v, c.text) == c.result);
  }
}

TEST_CASE("unknown spreads, except where the other side decides") {
  const test::SmallSchema small;
  test::Values v(small.schema);
  v.with("launch.gpus", Value::unknown()).with("env.QUEUES", Value::unknown()).with("model.num_layers", 4);
  const Case cases[] = {
      {"launch.gpus > 8", "unknown"},
      {"known(launch.gpus)", "false"},
      {"known(model.num_layers)", "true"},
      {"known(launch.gpus) && launch.gpus > 8", "false"},
      {"launch.gpus == null", "unknown"},
      {"!launch.gpus", "unknown"},
      {"launch.gpus > 8 && false", "false"},
      {"false && launch.gpus > 8", "false"},
      {"launch.gpus || true", "true"},
      {"launch.gpus && true", "unknown"},
      {"launch.gpus || false", "unknown"},
      {"launch.gpus ? 1 : 1", "unknown"},
      {"true ? 1 : launch.gpus", "1"},
      {"size([launch.gpus])", "unknown"},
      {"4 in [4, launch.gpus]", "true"},
      {"5 in [4, launch.gpus]", "unknown"},
      {"launch.gpus in [4]", "unknown"},
      {"either(1, launch.gpus)", "1"},
      {"either(0, launch.gpus)", "unknown"},
      {"coalesce(launch.gpus, 1)", "unknown"},
      {"env.QUEUES.lower()", "unknown"},
      {"[1, 2].exists(x, x == 2 || launch.gpus > 1)", "true"},
      {"[1, 2].all(x, x == 2 && launch.gpus > 1)", "false"},
      {"[1].exists(x, launch.gpus > x)", "unknown"},
      {"[1].filter(x, launch.gpus > x)", "unknown"},
      {"[].all(x, launch.gpus > 1)", "true"},
      {"has(model.num_layers)", "true"},
      {"launch.gpus % 2", "unknown"},
      {"max(launch.gpus, 2)", "unknown"},
      {"-launch.gpus", "unknown"},
      {"model.sizes[launch.gpus]", "unknown"},
  };
  for (const auto& c : cases) {
    INFO(c.text);
    CHECK(value_of(small, v, c.text) == c.result);
  }
}

TEST_CASE("unknown_causes names only what the result hangs on") {
  const test::SmallSchema small;
  test::Values v(small.schema);
  v.with("launch.gpus", Value::unknown()).with("env.QUEUES", Value::unknown());
  const auto causes = [&](const char* text) {
    lang::PoolBuilder pool;
    const auto id = pool.compile(text, small.schema, "test", {});
    REQUIRE(id);
    std::vector<std::string> names;
    for (const auto f : lang::unknown_causes(pool.pool(), *id, v.scope()))
      names.emplace_back(small.schema.field(f).name);
    std::sort(names.begin(), names.end());
    return names;
  };
  using Names = std::vector<std::string>;
  CHECK(causes("launch.gpus > 1") == Names{"launch.gpus"});
  CHECK(causes("env.QUEUES == '1' || launch.gpus > 1") == Names{"env.QUEUES", "launch.gpus"});
  CHECK(causes("(env.QUEUES == '1' && false) || launch.gpus > 1") == Names{"launch.gpus"});
  CHECK(causes("env.QUEUES == '1' || true").empty());
  CHECK(causes("[1].exists(x, launch.gpus > x)") == Names{"launch.gpus"});
}

TEST_CASE("hybrid symbols depend on the release") {
  const test::SmallSchema small;
  test::Values v(small.schema);
  struct ByRelease {
    schema::Release release;
    const char* pattern;
    bool valid;
  };
  using schema::Release;
  const ByRelease cases[] = {
      {Release::v0_2_2, "M*-", true},  {Release::v0_2_2, "ME", false},  {Release::v0_3_1, "ME", true},
      {Release::v0_3_1, "M|M", false}, {Release::v0_4_2, "M|G", true},  {Release::v0_4_2, "MD", false},
      {Release::v0_5_1, "MD", true},   {Release::v0_5_1, "M+", false},  {Release::v0_6_0, "M+", true},
      {Release::v0_6_0, "M+*", false}, {Release::main, "M/M|M", false},
  };
  for (const auto& c : cases) {
    v.release = c.release;
    INFO(c.pattern << " in " << schema::name(c.release));
    CHECK(value_of(small, v, "hybrid_valid('" + std::string(c.pattern) + "')") ==
          (c.valid ? "true" : "false"));
  }
}

TEST_CASE("hostile values neither hang nor exhaust memory") {
  const test::SmallSchema small;
  test::Values v(small.schema);
  v.with("model.layout", "(t)*999999999999999999999");
  CHECK(value_of(small, v, "layout_valid(model.layout)") == "false");
  v.with("model.layout", std::string("((((((((") + std::string(20000, '(') + ")*2");
  CHECK(value_of(small, v, "layout_valid(model.layout)") == "false");
  CHECK(value_of(small, v, "range(60000).all(a, range(60000).all(b, a + b >= 0))") == "unknown");
  v.with("model.layout", List{List{List{}}});
  CHECK(value_of(small, v, "layout_valid(model.layout)") == "false");
}

}  // namespace
}  // namespace headroom
