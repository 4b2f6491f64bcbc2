#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "../lang/fixture.hpp"
#include "headroom/rules/pack.hpp"
#include "temporary_rules.hpp"

namespace headroom {
namespace {

using test::rule_text;
using test::TemporaryRules;

const char* const good =
    "severity: error\n"
    "fails_at: model-build\n"
    "releases: \">=0.4.2\"\n"
    "mcore: \">=0.1\"\n"
    "applies_to: [bridge, megatron-core]\n"
    "when: >-\n"
    "  model.flag && model.num_layers >\n"
    "  3\n"
    "at: [model.flag, model.num_layers]\n"
    "message: >-\n"
    "  flag {{with}} {model.num_layers} layers and '{model.name == '}' ? 1 : 2}'\n"
    "fixes:\n"
    "  - title: Fewer\n"
    "    when: model.num_layers < 10\n"
    "    set: {model.num_layers: \"=model.num_layers - 1\", model.recompute_modules: [moe, mlp], model.lr: "
    "3e-4}\n"
    "    unset: [model.name]\n"
    "    env: {NCCL_ALGO: Ring, QUEUES: null}\n"
    "    safety: training\n"
    "    evidence: [some-run]\n"
    "constraints: [a, \"oracle:b\"]\n"
    "sources: [{repo: R, path: p.py, what: w}]\n";

TEST_CASE("a sound rule file becomes a rule") {
  const test::SmallSchema small;
  const TemporaryRules rules;
  rules.add("area/name.md", rule_text(good));
  rules.add("README.md", "not a rule");
  rules.add("area/data.yaml", "x: 1");
  const auto pack = rules::load_rules(rules.dir() + "/", small.schema);
  if (!pack) FAIL(pack.error().front().message);
  REQUIRE(pack->view().rules.size() == 1);
  const auto* rule = rules::find_rule(pack->view(), "area/name");
  REQUIRE(rule != nullptr);
  CHECK(rules::find_rule(pack->view(), "area/nam") == nullptr);
  CHECK(rule->title == "A title");
  CHECK(rule->severity == rules::Severity::error);
  CHECK(rule->fails_at == rules::FailsAt::model_build);
  CHECK(rule->releases == 0x3c);
  CHECK(rule->layers == 3);
  CHECK(rule->when_text == "model.flag && model.num_layers > 3");
  CHECK(rule->file == rules.dir() + "/area/name.md");
  REQUIRE(rule->at.size() == 2);
  CHECK(small.schema.field(rule->at[0]).name == "model.flag");
  REQUIRE(rule->message.size() == 3);
  CHECK(rule->message[0].text == "flag {with} ");
  CHECK(rule->message[2].text == "'");
  REQUIRE(rule->examples.size() == 2);
  CHECK(rule->examples[0].fails);
  CHECK(rule->examples[0].yaml == "model: {flag: true}\n");
  CHECK(rule->examples[0].line == 29);
  CHECK(rule->examples[1].yaml == "{}\n");
  REQUIRE(rule->fixes.size() == 1);
  const auto& fix = rule->fixes[0];
  CHECK(fix.safety == rules::Safety::training);
  REQUIRE(fix.set.size() == 3);
  CHECK(fix.set[0].text == "=model.num_layers - 1");
  test::Values v(small.schema);
  v.with("model.num_layers", 4);
  CHECK(lang::evaluate(pack->view().pool, fix.set[0].value, v.scope()).to_text() == "3");
  CHECK(lang::evaluate(pack->view().pool, fix.set[1].value, v.scope()).to_text() == "[moe, mlp]");
  CHECK(lang::evaluate(pack->view().pool, fix.set[2].value, v.scope()).as_double() == Approx(3e-4));
  REQUIRE(fix.env.size() == 2);
  CHECK(fix.env[0].value == "Ring");
  CHECK(fix.env[1].unset);
  CHECK(rule->constraints.size() == 2);
  REQUIRE(rule->sources.size() == 1);
  CHECK(rule->sources[0].path == "p.py");
}

struct Fault {
  const char* text;
  std::vector<std::string> errors;  ///< "line:column message", in order
};

const char* const rest = "severity: error\nwhen: model.flag\nat: [model.flag]\nmessage: m\n";

TEST_CASE("every fault of a rule file is reported at its place") {
  const test::SmallSchema small;
  const Fault faults[] = {
      {"no front matter\n", {"1:1 a rule file begins with YAML front matter between two lines '---'"}},
      {"---\nseverity: error\n", {"1:1 a rule file begins with YAML front matter between two lines '---'"}},
      {"---\nseverity: eror\nfails_at: later\nreleases: \">>1\"\napplies_to: [brige]\nwhen: model.flg\n"
       "at: [model.nam]\nmessage: \"{model.x}\"\ncolour: red\n---\n",
       {"2:11 'eror' is no severity; did you mean 'error'?",
        "3:11 'later' is no point of failure: startup, launch, model-build or first-step",
        "4:11 '>>1' is no range of releases, such as '>=0.3.1 <0.6.0'",
        "5:14 'brige' is no layer: bridge, megatron-core or megatron-lm; did you mean 'bridge'?",
        "6:7 no field is called 'model.flg'; did you mean 'model.flag'?",
        "7:6 no field is called 'model.nam'", "8:12 no field is called 'model.x'",
        "9:1 'colour' is no key of front matter; it knows", "1:1 fails_at is for severity error only",
        "1:1 the page has no title: a line '# …' after the front matter",
        "1:1 the page has no '## Fails' with a ```yaml block",
        "1:1 the page has no '## Passes' with a ```yaml block"}},
      {rest, {"1:1 a rule file begins"}},
  };
  const TemporaryRules rules;
  for (const auto& f : faults) {
    INFO(f.text);
    rules.add("a/b.md", f.text);
    const auto pack = rules::load_rules(rules.dir(), small.schema);
    REQUIRE_FALSE(pack.has_value());
    std::vector<std::string> errors;
    for (const auto& e : pack.error()) {
      CHECK(e.source == rules.dir() + "/a/b.md");
      errors.push_back(fmt::format("{}:{} {}", e.location.start.line, e.location.start.column, e.message));
    }
    REQUIRE(errors.size() == f.errors.size());
    for (std::size_t i = 0; i < errors.size(); ++i) CHECK_THAT(errors[i], Catch::StartsWith(f.errors[i]));
  }
}

struct OneFault {
  std::string front;
  std::string error;
};

TEST_CASE("faults of single keys") {
  const test::SmallSchema small;
  const std::string base = rest;  // four lines, so a fifth key stands on line 6 of the file
  const OneFault faults[] = {
      {"when: model.flag\nat: [model.flag]\nmessage: m\n", "1:1 severity is missing"},
      {"severity: error\nat: [model.flag]\nmessage: m\n", "1:1 when is missing"},
      {"severity: error\nwhen: model.flag\nmessage: m\n", "1:1 at is missing"},
      {"severity: error\nwhen: model.flag\nat: [model.flag]\n", "1:1 message is missing"},
      {base + "severity: error\n", "6:1"},  // a duplicate key, in the loader's words
      {base + "fixes: {}\n", "6:8 fixes is a list"},
      {base + "fixes:\n  - title: x\n", "7:5 this fix changes nothing"},
      {base + "fixes:\n  - set: {model.num_layers: four}\n",
       "7:29 model.num_layers takes an integer, not four"},
      {base + "fixes:\n  - set: {model.recompute_granularity: ful}\n",
       "7:40 'ful' is no choice of model.recompute_granularity; did you mean 'full'?"},
      {base + "fixes:\n  - set: {model.recompute_modules: [mo]}\n", "7:36 'mo' is no choice"},
      {base + "fixes:\n  - set: {model.layer: 1}\n", "7:11 no field is called 'model.layer'"},
      {base + "fixes:\n  - set: {env.QUEUES: 1}\n", "7:11 env.QUEUES is an environment variable"},
      {base + "fixes:\n  - set: {launch.gpus: 1}\n", "7:11 launch.gpus is no setting"},
      {base + "fixes:\n  - set: {model.num_layers: \"=model.numlayers\"}\n", "7:31 no field is called"},
      {base + "fixes:\n  - sett: {model.num_layers: 1}\n",
       "7:5 'sett' is no key of a fix; did you mean 'set'?"},
      {base + "fixes:\n  - env: {NCCL_ALG: 1}\n",
       "7:11 environment variable 'NCCL_ALG' is not in the schema"},
      {base + "fixes:\n  - env: {QUEUES: [1]}\n",
       "7:19 an environment variable is a single value, not a list"},
      {base + "fixes:\n  - set: {model.num_layers: 1}\n    safety: sure\n", "8:13 'sure' is no safety class"},
      {base + "sources: [{repo: R}]\n", "6:11 a source needs repo and path"},
      {base + "native: true\n", "1:1 a native rule is found by the program"},
      {base + "native: maybe\n", "6:9 native is true or false"},
      {"severity: error\nwhen: model.flag\nat: [derived.dp]\nmessage: m\n", "4:6 derived.dp is no setting"},
      {"severity: error\nwhen: model.flag\nat: [model.flag]\nmessage: 'a {model.flag'\n",
       "5:13 this brace is not closed"},
      {"severity: error\nwhen: model.flag\nat: [model.flag]\nmessage: >-\n  one two\n  three {model.name +\n "
       "   1} four\n",
       "8:5 "},
      {"severity: error\nwhen: >-\n  model.flag &&\n    model.name == 1\nat: [model.flag]\nmessage: m\n",
       "5:19 'model.name'"},
      {"severity: error\nwhen: \"model.name == \\\"a\\\" && model.nam\"\nat: [model.flag]\nmessage: m\n",
       "3:31 no field"},
      {"severity: error\nwhen: 'model.name == ''a'' && model.nam'\nat: [model.flag]\nmessage: m\n",
       "3:31 no field"},
      {"severity: error\nwhen: [model.flag]\nat: [model.flag]\nmessage: m\n",
       "3:7 an expression is a string"},
  };
  for (const auto& f : faults) {
    INFO(f.front);
    const TemporaryRules rules;
    rules.add("a/b.md", rule_text(f.front));
    const auto pack = rules::load_rules(rules.dir(), small.schema);
    REQUIRE_FALSE(pack.has_value());
    const auto& e = pack.error().front();
    CHECK_THAT(fmt::format("{}:{} {}", e.location.start.line, e.location.start.column, e.message),
               Catch::StartsWith(f.error));
  }
}

TEST_CASE("faults of the page") {
  const test::SmallSchema small;
  const std::string front = "---\n" + std::string(rest) + "---\n";
  const OneFault faults[] = {
      {front + "# T\n## Fails\n```yaml\n{}\n", "9:1 this block has no closing ```"},
      {front + "# T\n## Fail\n```yaml\n{}\n```\n## Passes\n```yaml\n{}\n```\n",
       "8:1 heading 'Fail'; did you mean 'Fails'?"},
      {front + "## Fails\n```yaml\n{}\n```\n## Passes\n```yaml\n{}\n```\n", "1:1 the page has no title"},
  };
  for (const auto& f : faults) {
    INFO(f.front);
    const TemporaryRules rules;
    rules.add("a/b.md", f.front);
    const auto pack = rules::load_rules(rules.dir(), small.schema);
    REQUIRE_FALSE(pack.has_value());
    const auto& e = pack.error().front();
    CHECK_THAT(fmt::format("{}:{} {}", e.location.start.line, e.location.start.column, e.message),
               Catch::StartsWith(f.error));
  }
}

TEST_CASE("all files are read, and a missing directory is an error") {
  const test::SmallSchema small;
  const TemporaryRules rules;
  rules.add("a/one.md", "x");
  rules.add("b/two.md", "y");
  rules.add("b/three.md", rule_text(rest));
  const auto pack = rules::load_rules(rules.dir(), small.schema);
  REQUIRE_FALSE(pack.has_value());
  CHECK(pack.error().size() == 2);
  CHECK_FALSE(rules::load_rules(rules.dir() + "/none", small.schema).has_value());
}

TEST_CASE("selections are globs over ids") {
  struct Case {
    std::vector<std::string> select, ignore;
    const char* id;
    bool wanted;
  };
  const Case cases[] = {
      {{}, {}, "offload/x", true},
      {{"offload/*"}, {}, "offload/x", true},
      {{"offload/*"}, {}, "moe/x", false},
      {{"offload"}, {}, "offload/x", true},
      {{"off"}, {}, "offload/x", false},
      {{"*/fp8-*"}, {}, "moe/fp8-x", true},
      {{"*/fp8-*"}, {}, "moe/fp-x", false},
      {{}, {"moe"}, "moe/x", false},
      {{"moe/x"}, {"moe"}, "moe/x", false},
      {{"m?e/x"}, {}, "moe/x", true},
      {{"*"}, {}, "a/b", true},
      {{"offload/x"}, {}, "offload/xy", false},
      {{std::string(2000, '*') + "z"}, {}, "aaaaaaaaaaaaaaaaaaaaaaaaaa/b", false},
  };
  for (const auto& c : cases) {
    const rules::Selection selection{c.select, c.ignore};
    INFO(c.id);
    CHECK(selection.wants(c.id) == c.wanted);
  }
}

}  // namespace
}  // namespace headroom
