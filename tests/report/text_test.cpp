#include <catch2/catch.hpp>

#include "headroom/report/terminal.hpp"
#include "sample.hpp"

using namespace headroom;
using namespace headroom::report;

namespace {

FileReport with_text(const std::string& content) {
  FileReport file;
  file.path = "a.yaml";
  file.text = std::make_shared<const source::SourceText>("a.yaml", content);
  return file;
}

rules::Diagnostic finding(rules::Severity severity, std::string message) {
  rules::Diagnostic d;
  d.rule = "area/name";
  d.severity = severity;
  d.message = std::move(message);
  return d;
}

}  // namespace

TEST_CASE("a finding with two marks and two fixes looks like rustc's") {
  CHECK(text(sample_report(), {}) ==
        "error[offload/pipeline-parallel]: cpu_offloading moves whole layers to the\n"
        "    host and cannot follow a pipeline schedule (pipeline_model_parallel_size is\n"
        "    2)\n"
        " --> conf/a.yaml:2:3\n"
        "  |\n"
        "2 |   cpu_offloading: true\n"
        "  |   ^^^^^^^^^^^^^^^^^^^^\n"
        "3 |   num_layers: 32\n"
        "4 |   pipeline_model_parallel_size: 2\n"
        "  |   ------------------------------- model.pipeline_model_parallel_size\n"
        "  |\n"
        "  = help: Offload optimizer state instead of activations\n"
        "          model.cpu_offloading=false optimizer.optimizer_cpu_offload=true\n"
        "          optimizer.optimizer_offload_fraction=0.5\n"
        "  = help: model.pipeline_model_parallel_size=1\n"
        "          ~model.virtual_pipeline_model_parallel_size\n"
        "\n");
}

TEST_CASE("marks far apart are separated, and the gutter fits the largest number") {
  std::string content = "model:\n  a: 1\n";
  for (int i = 0; i < 10; ++i) content += "  x" + std::to_string(i) + ": 0\n";
  content += "  b: 2\n";
  FileReport file = with_text(content);
  auto d = finding(rules::Severity::warning, "a and b clash");
  d.fields = {"model.b", "model.a"};
  d.primary = mark(*file.text, "b: 2", "model.b");
  d.related = {mark(*file.text, "a: 1", "model.a")};
  file.diagnostics = {d};
  CHECK(text(file, {}) ==
        "warning[area/name]: a and b clash\n"
        "  --> a.yaml:13:3\n"
        "   |\n"
        " 2 |   a: 1\n"
        "   |   ---- model.a\n"
        "...\n"
        "13 |   b: 2\n"
        "   |   ^^^^\n"
        "   |\n"
        "\n");
}

TEST_CASE("two marks of one line share a row of strokes") {
  FileReport file = with_text("model: {a: 1, b: 2}\n");
  auto d = finding(rules::Severity::error, "clash");
  d.fields = {"model.b", "model.a"};
  d.primary = mark(*file.text, "b: 2", "model.b");
  d.related = {mark(*file.text, "a: 1", "model.a")};
  d.fails_at = rules::FailsAt::first_step;
  file.diagnostics = {d};
  CHECK(text(file, {}) ==
        "error[area/name]: clash\n"
        " --> a.yaml:1:15\n"
        "  |\n"
        "1 | model: {a: 1, b: 2}\n"
        "  |         ----  ^^^^ model.a\n"
        "  |\n"
        "  = note: fails at: first step\n"
        "\n");
}

TEST_CASE("a finding without a place names its fields") {
  FileReport file = with_text("model: {}\n");
  auto d = finding(rules::Severity::warning, "make sure that NCCL_ALGO is set");
  d.fields = {"env.NCCL_ALGO", "model.deterministic_mode"};
  rules::Fix fix;
  fix.title = "Choose an algorithm";
  fix.env = {{"NCCL_ALGO", "Ring"}, {"OLD ONE", std::nullopt}};
  d.fixes = {fix};
  file.diagnostics = {d};
  CHECK(text(file, {}) ==
        "warning[area/name]: make sure that NCCL_ALGO is set\n"
        "  --> a.yaml\n"
        "   = note: not set in the config: env.NCCL_ALGO, model.deterministic_mode\n"
        "   = help: Choose an algorithm\n"
        "           env NCCL_ALGO=Ring\n"
        "           env -u OLD ONE\n"
        "\n");
}

TEST_CASE("a setting of the command line is named, not drawn") {
  FileReport file = with_text("model: {a: 1}\n");
  auto d = finding(rules::Severity::error, "clash");
  d.fields = {"model.b"};
  d.primary = rules::Mark{"model.b", "model.b", "--set", {}};
  file.diagnostics = {d};
  CHECK(text(file, {}) ==
        "error[area/name]: clash\n"
        "  --> a.yaml\n"
        "   = note: model.b given by --set\n"
        "\n");
}

TEST_CASE("a fix of several findings is written out once") {
  FileReport file = sample_report();
  auto second = finding(rules::Severity::error, "the same trouble");
  second.fixes = {file.diagnostics.front().fixes.front()};
  file.diagnostics.push_back(second);
  const std::string out = text(file, {});
  CHECK(out.find("= help: same fix as above: Offload optimizer state") != std::string::npos);
  CHECK(out.find("optimizer_offload_fraction") == out.rfind("optimizer_offload_fraction"));
}

TEST_CASE("fixes speak the file's language and survive a shell") {
  FileReport file = with_text("model: {}\n");
  file.written_names = {{"model.num_layers", "model.transformer.num_layers"}};
  rules::Fix fix;
  fix.set = {{"model.num_layers", 8},
             {"model.recompute_modules", source::List{"core_attn", "mlp"}},
             {"model.fp8", source::Value()}};
  CHECK(fix_words(fix, file) == std::vector<std::string>{"model.transformer.num_layers=8",
                                                         "'model.recompute_modules=[core_attn,mlp]'",
                                                         "model.fp8=null"});
}

TEST_CASE("only so many fixes are printed") {
  FileReport file = with_text("model: {}\n");
  auto d = finding(rules::Severity::slow, "slow");
  for (int i = 0; i < 5; ++i) {
    rules::Fix fix;
    fix.set = {{"model.num_layers", i}};
    d.fixes.push_back(fix);
  }
  file.diagnostics = {d};
  const std::string out = text(file, {});
  CHECK(out.find("num_layers=2") != std::string::npos);
  CHECK(out.find("num_layers=3") == std::string::npos);
  CHECK(out.find("2 more in --format json") != std::string::npos);
}

TEST_CASE("a fix that changes results says so") {
  FileReport file = with_text("model: {}\n");
  auto d = finding(rules::Severity::error, "bad");
  rules::Fix fix;
  fix.title = "Use bf16";
  fix.set = {{"mixed_precision", "bf16_mixed"}};
  fix.safety = rules::Safety::training;
  d.fixes = {fix};
  file.diagnostics = {d};
  CHECK(text(file, {}).find("Use bf16 (changes results)") != std::string::npos);
}

TEST_CASE("colours only when on, and text is the same without them") {
  const FileReport file = sample_report();
  const std::string plain = text(file, {});
  TextOptions options;
  options.color = true;
  std::string colored = text(file, options);
  CHECK(plain.find('\033') == std::string::npos);
  CHECK(colored.find("\033[1;31merror[offload/pipeline-parallel]\033[0m") != std::string::npos);
  for (std::size_t at = 0; (at = colored.find('\033', at)) != std::string::npos;) {
    colored.erase(at, colored.find('m', at) - at + 1);
  }
  CHECK(colored == plain);
}

TEST_CASE("an input cannot steer the terminal") {
  FileReport file = with_text("model: {a: \"\033[2J\xff\tz\"}\n");
  auto d = finding(rules::Severity::error, "value \033[31m is bad");
  d.fields = {"model.a"};
  d.primary = mark(*file.text, "z", "model.a");
  file.diagnostics = {d};
  const std::string out = text(file, {});
  CHECK(out.find('\033') == std::string::npos);
  CHECK(out.find("\xEF\xBF\xBD[2J\xEF\xBF\xBD z") != std::string::npos);
}

TEST_CASE("a long line is cut around its mark") {
  FileReport file = with_text("{" + std::string(3000, 'x') + "bad" + std::string(3000, 'y') + "}\n");
  auto d = finding(rules::Severity::error, "bad");
  d.fields = {"model.a"};
  d.primary = mark(*file.text, "bad", "model.a");
  file.diagnostics = {d};
  const std::string out = text(file, {});
  CHECK(out.find("xbadyy") != std::string::npos);
  const std::size_t line = out.find("1 | ");
  const std::size_t stroke = out.find("^^^");
  const std::string row = out.substr(line, out.find('\n', line) - line);
  const std::string strokes = out.substr(out.rfind('\n', stroke) + 1, stroke - out.rfind('\n', stroke) - 1);
  CHECK(display_width(row) <= 80);
  CHECK(display_width(row.substr(0, row.find("bad"))) == display_width(strokes));
}

TEST_CASE("wide characters keep underlines in place") {
  FileReport file = with_text("name: \"日本\" # x\nb: 1\n");
  auto d = finding(rules::Severity::warning, "odd");
  d.fields = {"name"};
  d.primary = mark(*file.text, "# x", "name");
  file.diagnostics = {d};
  CHECK(text(file, {}).find("1 | name: \"日本\" # x\n  |              ^^^\n") != std::string::npos);
}

TEST_CASE("an unreadable file shows the place") {
  FileReport file = with_text("foo: bar: baz\n");
  file.unreadable = source::Error{"mapping values are not allowed here", "a.yaml", {{1, 9}, {1, 10}}, true};
  CHECK(text(file, {}) ==
        "error: mapping values are not allowed here\n"
        " --> a.yaml:1:9\n"
        "  |\n"
        "1 | foo: bar: baz\n"
        "  |         ^\n"
        "  |\n"
        "\n");
  file.unreadable = source::Error{"no such file", "a.yaml", {}, false};
  CHECK(text(file, {}) == "error: no such file\n  --> a.yaml\n\n");
}

TEST_CASE("places past the end of a text are drawn, not followed") {
  FileReport file = with_text("a: 1\n");
  file.unreadable = source::Error{"unexpected end", "a.yaml", {{9, 7}, {9, 8}}, true};
  CHECK(text(file, {}).find("9 |\n") != std::string::npos);
  file.unreadable = source::Error{"unexpected end", "a.yaml", {{1, 900}, {2, 1}}, true};
  CHECK(text(file, {}).find("1 | a: 1\n  |     ^\n") != std::string::npos);
}

TEST_CASE("every line of prose keeps to the width") {
  TextOptions options;
  for (const unsigned width : {60U, 80U, 120U}) {
    options.width = width;
    const std::string out = text(sample_report(), options);
    for (std::size_t begin = 0; begin < out.size();) {
      const std::size_t end = out.find('\n', begin);
      const std::string line = out.substr(begin, end - begin);
      begin = end + 1;
      const bool single_word = line.find_last_of(' ') == line.find_first_not_of(' ') - 1;
      const bool drawn = line.find('|') != std::string::npos;
      if (!single_word && !drawn) CHECK(display_width(line) <= width);
    }
  }
}

TEST_CASE("excerpts of long lines end between words, and a long label stands below") {
  std::string value = "command: run";
  while (value.size() < 200) value += " something";
  FileReport file = with_text(value + "\n");
  file.unreadable = source::Error{"bad", "a.yaml", {{1, 1}, {1, 8}}, true};
  const std::string out = text(file, {});
  CHECK_THAT(out, Catch::Contains(" something…\n"));
  CHECK_THAT(out, !Catch::Contains("somethin…") && !Catch::Contains(" s…"));
}

TEST_CASE("tables align and cut") {
  CHECK(report::table({{"id", "title"}, {"a/b", "short"}, {"c", "a very long title indeed"}}, 20, false) ==
        "id   title\n"
        "a/b  short\n"
        "c    a very long ti…\n");
}
