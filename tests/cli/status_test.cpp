// Exit statuses, usage errors, streams.
#include <catch2/catch.hpp>

#include "program.hpp"

using headroom::cli::run;
using headroom::cli::Run;
using headroom::cli::TemporaryFolder;

namespace {

constexpr const char* good =
    "mixed_precision: bf16_mixed\nmodel: {num_layers: 4, hidden_size: 64, num_attention_heads: 4}\n";
constexpr const char* bad =
    "headroom: {env: {}}\n"
    "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: true, "
    "cpu_offloading_num_layers: 1,\n"
    "        pipeline_model_parallel_size: 2}\n";

}  // namespace

TEST_CASE("exit statuses") {
  const TemporaryFolder folder;
  const std::string ok = folder.file("good.yaml", good);
  const std::string errors = folder.file("bad.yaml", bad);
  const std::string broken = folder.file("broken.yaml", "a: [1\n");
  struct Row {
    std::vector<std::string> args;
    int status;
    std::string in_err;  ///< part of standard error
  };
  const std::vector<Row> rows{
      {{"check", ok}, 0, "no findings"},
      {{"check", errors}, 1, "error"},
      {{"check", ok, errors}, 1, "in 2 files"},
      {{"check", errors, "--fail-on", "never"}, 0, "error"},
      {{"check", errors, "--format", "json"}, 1, ""},
      {{"check", errors, "-q"}, 1, ""},
      {{"check", broken}, 2, "broken.yaml:"},
      {{"check", broken, errors}, 2, "1 file unreadable"},
      {{"check", folder.path() + "/none.yaml"}, 2, "none.yaml"},
      {{"check"}, 2, "CONFIG"},
      {{}, 2, "usage"},
      {{"--colour", "always"}, 2, "Try `headroom --help`"},
      {{"chekc", ok}, 2, "did you mean 'check'?"},
      {{"check", ok, "--gpsu", "8"}, 2, "did you mean '--gpus'?"},
      {{"check", ok, "--gpus", "many"}, 2, "--gpus: 'many'"},
      {{"check", ok, "--gpus", "0"}, 2, "--gpus"},
      {{"check", ok, "--model", "\x1b[2J"}, 2, "model '\uFFFD[2J' is not known"},
      {{"check", ok, "--\x1b[2J"}, 2, "--\uFFFD[2J"},
      {{"check", ok, "--gpu", "h10"}, 2, "--gpu"},
      {{"check", ok, "--bridge", "blue"}, 2, "--bridge"},
      {{"check", ok, "--te", "x"}, 2, "--te"},
      {{"check", ok, "--model", "llama3-7b"}, 2, "--model"},
      {{"check", ok, "--gpu-memory", "80 bananas"}, 2, "--gpu-memory"},
      {{"check", ok, "--env", "=1"}, 2, "--env"},
      {{"check", ok, "--env-file", folder.path() + "/none"}, 2, "--env-file"},
      {{"check", ok, "--format", "jsno"}, 2, "did you mean 'json'?"},
      {{"check", ok, "--color", "sometimes"}, 2, "--color"},
      {{"check", ok, "--loader", "magic"}, 2, "--loader"},
      {{"check", ok, "--fail-on", "sometimes"}, 2, "--fail-on"},
      {{"check", ok, "--jobs", "0"}, 2, "--jobs"},
      {{"check", ok, "--set", "=3"}, 2, "error"},
      {{"check", ok, "--fix", "--diff"}, 2, "--diff"},
      {{"check", "-", "--fix"}, 2, "standard input"},
      {{"check", ok, "--rules", folder.path() + "/none"}, 2, "none"},
      {{"check", "--quiet", "--", ok}, 0, ""},
      {{"check", "--", "--no-such-file"}, 2, "--no-such-file"},
      {{"effective", ok}, 0, ""},
      {{"effective", ok, "model.num_layer"}, 2, "did you mean"},
      {{"effective", broken}, 2, "broken.yaml:"},
      {{"effective"}, 2, "CONFIG"},
      {{"rule"}, 0, ""},
      {{"rule", "offload/pipeline-parallel"}, 0, ""},
      {{"rule", "offload/*"}, 0, ""},
      {{"rule", "offload/pipeline-paralel"}, 2, "did you mean 'offload/pipeline-parallel'?"},
      {{"test-rules"}, 2, "folder"},
      {{"test-rules", folder.path() + "/none"}, 2, "none"},
      {{"--help"}, 0, ""},
      {{"check", "--help"}, 0, ""},
      {{"--version"}, 0, ""},
  };
  for (const auto& row : rows) {
    CAPTURE(row.args);
    const auto result = run({row.args});
    CHECK(result.status == row.status);
    CHECK_THAT(result.err, Catch::Contains(row.in_err));
    if (row.status == 2) CHECK(!result.err.empty());
  }
}

TEST_CASE("--fail-on chooses the least severity that counts") {
  const TemporaryFolder folder;
  const std::string config = folder.file(
      "a.yaml", "mixed_precision: bf16_mixed\nmodel: {num_layer: 4}\n");  // ignored: an unknown key
  CHECK(run({{"check", config}}).status == 0);
  CHECK(run({{"check", config, "--fail-on", "warning"}}).status == 0);
  CHECK(run({{"check", config, "--fail-on", "ignored"}}).status == 1);
  CHECK(run({{"check", config, "--fail-on", "advice"}}).status == 1);
}

TEST_CASE("findings on standard output, the summary on standard error") {
  const TemporaryFolder folder;
  const std::string config = folder.file("bad.yaml", bad);
  const auto text = run({{"check", config}});
  CHECK_THAT(text.out, Catch::StartsWith("error["));
  CHECK_THAT(text.err, Catch::Contains("1 file"));
  const auto json = run({{"check", config, "--format", "json"}});
  CHECK_THAT(json.out, Catch::StartsWith("{"));
  CHECK(json.err.empty());
  CHECK(run({{"check", config, "--quiet"}}).err.empty());
}

TEST_CASE("a reader that goes away, and a disk that is full") {
  const TemporaryFolder folder;
  const std::string config = folder.file("bad.yaml", bad);
  Run closed{{"check", config}};
  closed.closed_pipe = true;
  CHECK(run(closed).status == 1);
  CHECK(run(closed).err.find("cannot write") == std::string::npos);
  for (const auto& args : std::vector<std::vector<std::string>>{{"check", config},
                                                                {"check", config, "--format", "json"},
                                                                {"effective", config},
                                                                {"rule"},
                                                                {"--help"},
                                                                {"--version"}}) {
    CAPTURE(args);
    Run full{args};
    full.stdout_path = "/dev/full";
    const auto result = run(full);
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains("cannot write output: No space left on device"));
  }
}

TEST_CASE("many files give the same output with any number of jobs") {
  const TemporaryFolder folder;
  for (int i = 0; i < 20; ++i) {
    folder.file("d" + std::to_string(i % 3) + "/" + std::to_string(i) + ".yaml", i % 2 == 0 ? bad : good);
  }
  folder.file("d0/.hidden.yaml", "a: [\n");
  folder.file("d0/notes.txt", "a: [\n");
  const auto one = run({{"check", folder.path(), "--jobs", "1"}});
  CHECK(one.status == 1);
  CHECK_THAT(one.err, Catch::Contains("in 20 files"));
  for (const char* jobs : {"2", "7"}) CHECK(run({{"check", folder.path(), "--jobs", jobs}}).out == one.out);
  const TemporaryFolder empty;
  CHECK(run({{"check", empty.path()}}).status == 2);
}
