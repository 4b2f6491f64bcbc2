#include <catch2/catch.hpp>

#include "../lang/fixture.hpp"
#include "headroom/rules/pack.hpp"
#include "temporary_rules.hpp"

namespace headroom {
namespace {

using rules::Severity;
using source::Value;

/// A config over the small schema, its text, and a pack from rule files.
class Bench {
 public:
  Bench() : values_(small.schema) {
    settings.document = nullptr;
    text_ =
        std::make_shared<source::SourceText>("c.yaml", "model:\n  flag: true\n  num_layers: 4\n  name: x\n");
  }
  void rule(const std::string& id, const std::string& front) const {
    files_.add(id + ".md", test::rule_text(front));
  }

  /// Writes a field at a line of the text (2 to 4), as that file would.
  void write(std::string_view name, Value value, std::uint32_t line) {
    values_.with(name, value);
    const auto offset = [&](std::string_view what) {
      return static_cast<std::uint32_t>(text_->text().find(what));
    };
    const std::string_view short_name = name.substr(name.find('.') + 1);
    const auto key = offset(std::string(short_name) + ":");
    dialect::Place place{text_,
                         {key, key + static_cast<std::uint32_t>(short_name.size())},
                         {},
                         dialect::From::file,
                         std::string(name)};
    const auto begin = place.key.end + 2;
    place.value = {begin,
                   begin + static_cast<std::uint32_t>(text_->line(line).size() - short_name.size() - 4)};
    settings.settings.push_back({small.schema.find(name), std::move(value), place});
  }
  void now(std::string_view name, Value value) { values_.now[small.schema.find(name)] = std::move(value); }

  rules::Findings run(const rules::Selection& selection = {}) {
    auto loaded = rules::load_rules(files_.dir(), small.schema);
    if (!loaded) FAIL(loaded.error().front().message);
    pack.emplace(std::move(*loaded));
    const rules::RulePack* packs[] = {&pack->view()};
    return rules::evaluate(config(), settings, packs, selection);
  }
  resolve::EffectiveConfig config() {
    resolve::EffectiveConfig c;
    c.now = values_.now;
    c.raw = values_.raw;
    c.set = values_.set;
    c.origin.resize(c.now.size());
    c.rewrites = rewrites;
    c.schema = &small.schema;
    c.launch.release = release;
    c.layer = layer;
    return c;
  }

  test::SmallSchema small;
  dialect::Settings settings;
  std::optional<rules::LoadedPack> pack;
  std::vector<resolve::Rewrite> rewrites;
  schema::Release release = schema::Release::v0_6_0;
  resolve::Layer layer = resolve::Layer::bridge;

 private:
  test::TemporaryRules files_;
  test::Values values_;
  std::shared_ptr<const source::SourceText> text_;
};

std::string ids(const rules::Findings& findings) {
  std::string out;
  for (const auto& d : findings.diagnostics) out += (out.empty() ? "" : " ") + d.rule;
  return out;
}

TEST_CASE("a true condition is a finding with its places") {
  Bench b;
  b.rule("a/r",
         "severity: error\nwhen: model.flag && model.num_layers > 3\nat: [model.lr, model.num_layers, "
         "model.flag]\n"
         "message: \"{model.num_layers} layers, lr {model.lr}\"\n");
  b.write("model.flag", true, 2);
  b.write("model.num_layers", 4, 3);
  const auto found = b.run();
  REQUIRE(found.diagnostics.size() == 1);
  const auto& d = found.diagnostics[0];
  CHECK(d.rule == "a/r");
  CHECK(d.message == "4 layers, lr null");
  CHECK(d.fields == std::vector<std::string>{"model.lr", "model.num_layers", "model.flag"});
  REQUIRE(d.primary);
  CHECK(d.primary->field == "model.num_layers");
  CHECK(d.primary->location.start.line == 3);
  CHECK(d.primary->location.start.column == 3);
  CHECK(d.primary->location.end.line == 3);
  CHECK(d.primary->location.end.column == 16);
  REQUIRE(d.related.size() == 1);
  CHECK(d.related[0].field == "model.flag");
}

TEST_CASE("release, layer and selection decide whether a rule is asked") {
  Bench b;
  b.rule("a/new", "severity: error\nreleases: main\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  b.rule("a/core",
         "severity: error\napplies_to: [megatron-core]\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  b.rule("b/all", "severity: error\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  CHECK(ids(b.run()) == "b/all");
  CHECK(ids(b.run({{"a"}, {}})).empty());
  b.layer = resolve::Layer::megatron_core;
  b.release = schema::Release::main;
  CHECK(ids(b.run()) == "a/core a/new b/all");
  CHECK(ids(b.run({{}, {"a/new"}})) == "a/core b/all");
}

TEST_CASE("order: severity, then place, then id; what is written nowhere last") {
  Bench b;
  b.rule("a/warning", "severity: warning\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  b.rule("b/late", "severity: error\nwhen: \"true\"\nat: [model.name]\nmessage: m\n");
  b.rule("c/early", "severity: error\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  b.rule("d/nowhere", "severity: error\nwhen: \"true\"\nat: [model.lr]\nmessage: m\n");
  b.write("model.flag", true, 2);
  b.write("model.name", "x", 4);
  CHECK(ids(b.run()) == "c/early b/late d/nowhere a/warning");
}

TEST_CASE("severity ignored needs the first field written") {
  Bench b;
  b.rule("a/r", "severity: ignored\nwhen: \"true\"\nat: [model.flag]\nmessage: m\n");
  CHECK(ids(b.run()).empty());
  b.write("model.flag", false, 2);
  CHECK(ids(b.run()) == "a/r");
}

TEST_CASE("what needs the number of GPUs is left out and said") {
  Bench b;
  b.rule("a/gpus", "severity: error\nwhen: launch.gpus > 8\nat: [model.flag]\nmessage: m\n");
  b.rule("b/derived", "severity: error\nwhen: derived.dp > 8\nat: [model.flag]\nmessage: m\n");
  b.rule("c/slow", "severity: slow\nwhen: launch.gpus > 8\nat: [model.flag]\nmessage: m\n");
  b.now("launch.gpus", Value::unknown());
  b.now("derived.dp", Value::unknown());
  const auto found = b.run();
  CHECK(found.diagnostics.empty());
  REQUIRE(found.skipped.size() == 2);
  CHECK(found.skipped[0].rule == "a/gpus");
  for (const auto& s : found.skipped) {
    REQUIRE(s.unknown.size() == 1);
    CHECK(b.small.schema.field(s.unknown[0]).name == "launch.gpus");
  }
}

TEST_CASE("one open variable keeps its rule, several make one finding") {
  Bench b;
  b.rule("a/one",
         "severity: error\nwhen: model.flag && env.QUEUES != '1'\nat: [model.flag]\nmessage: one\n"
         "fixes: [{env: {QUEUES: \"1\"}}]\n");
  b.now("env.QUEUES", Value::unknown());
  b.now("env.NCCL_ALGO", Value::unknown());
  b.write("model.flag", true, 2);
  auto found = b.run();
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].rule == "a/one");
  CHECK(found.diagnostics[0].severity == Severity::warning);
  CHECK_THAT(found.diagnostics[0].message, Catch::StartsWith("make sure that QUEUES=1 is set"));
  CHECK(found.diagnostics[0].fields == std::vector<std::string>{"model.flag", "env.QUEUES"});

  b.rule("b/two",
         "severity: error\nwhen: env.NCCL_ALGO != null\nat: [env.NCCL_ALGO]\nmessage: two\n"
         "fixes: [{env: {NCCL_ALGO: null}}]\n");
  b.rule("c/mild", "severity: warning\nwhen: env.NCCL_ALGO != null\nat: [env.NCCL_ALGO]\nmessage: three\n");
  found = b.run();
  REQUIRE(found.diagnostics.size() == 1);
  const auto& d = found.diagnostics[0];
  CHECK(d.rule == "resolve-check/environment");
  CHECK(d.severity == Severity::warning);
  CHECK_THAT(d.message, Catch::Contains("QUEUES=1 is set and NCCL_ALGO is unset") &&
                            Catch::Contains("a/one") && Catch::Contains("b/two"));
  CHECK(d.fields == std::vector<std::string>{"model.flag", "env.QUEUES", "env.NCCL_ALGO"});
  REQUIRE(d.fixes.size() == 1);
  CHECK(d.fixes[0].env.size() == 2);
  CHECK(found.skipped.empty());
}

TEST_CASE("rewrites of what the user wrote are findings, unless another rule blames the field") {
  Bench b;
  b.rule("a/quiet", "severity: advice\nwhen: \"false\"\nat: [model.flag]\nmessage: m\n");
  b.write("model.num_layers", 4, 3);
  b.now("model.num_layers", 8);
  b.rewrites.push_back({b.small.schema.find("model.num_layers"), 4, "step", "SomeConfig", false});
  b.rewrites.push_back({b.small.schema.find("model.name"), "x", "step", "SomeConfig", true});
  auto found = b.run();
  REQUIRE(found.diagnostics.size() == 1);
  CHECK(found.diagnostics[0].rule == "resolve-check/overwritten");
  CHECK(found.diagnostics[0].severity == Severity::ignored);
  CHECK(found.diagnostics[0].message == "you set model.num_layers to 4; SomeConfig sets it to 8 at start-up");
  b.rule("a/loud", "severity: error\nwhen: \"true\"\nat: [model.num_layers]\nmessage: m\n");
  CHECK(ids(b.run()) == "a/loud");
}

TEST_CASE("problems of the text take the severity of their page") {
  Bench b;
  b.rule("schema-check/unknown-field", "severity: ignored\nnative: true\n");
  b.write("model.flag", true, 2);
  const auto place = b.settings.settings[0].place;
  b.settings.problems.push_back(
      {"schema-check/unknown-field", "model.flg", "unknown", place, {{"model.flag", true}}, {}});
  b.settings.problems.push_back({"schema-check/unknown-field", "model.flg", "unknown", place, {}, {}});
  b.settings.problems.push_back({"schema-check/other", "", "x", place, {}, {}});
  const auto found = b.run();
  REQUIRE(ids(found) == "schema-check/other schema-check/unknown-field");
  CHECK(found.diagnostics[0].severity == Severity::warning);
  CHECK(found.diagnostics[1].severity == Severity::ignored);
  REQUIRE(found.diagnostics[1].fixes.size() == 1);
  CHECK(ids(b.run({{}, {"schema-check"}})).empty());
}

TEST_CASE("candidate fixes are evaluated and leave out what changes nothing") {
  Bench b;
  b.rule("a/r",
         "severity: error\nwhen: \"true\"\nat: [model.flag]\nmessage: m\nfixes:\n"
         "  - set: {model.num_layers: \"=model.num_layers * 2\", model.flag: true}\n    unset: [model.name, "
         "model.lr]\n"
         "  - when: model.lr != null\n    set: {model.lr: 1}\n"
         "  - set: {model.flag: true}\n"
         "  - set: {model.num_layers: \"=launch.gpus\"}\n"
         "  - env: {QUEUES: 8}\n");
  b.write("model.flag", true, 2);
  b.write("model.num_layers", 4, 3);
  b.write("model.name", "x", 4);
  b.now("launch.gpus", Value::unknown());
  static_cast<void>(b.run());
  const auto& pack = b.pack->view();
  const auto fixes = rules::candidate_fixes(pack.rules[0], pack.pool, b.config());
  REQUIRE(fixes.size() == 2);
  REQUIRE(fixes[0].set.size() == 1);
  CHECK(fixes[0].set[0].second == Value(8));
  CHECK(fixes[0].unset == std::vector<std::string>{"model.name"});
  CHECK(fixes[0].title == "Set model.num_layers to 8, remove model.name");
  CHECK(fixes[1].env[0].second == std::optional<std::string>("8"));
}

}  // namespace
}  // namespace headroom
