// Bad input: a message with a place and status 2, whatever the bytes are.
#include <sys/stat.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "program.hpp"

using headroom::cli::run;
using headroom::cli::Run;
using headroom::cli::TemporaryFolder;

namespace {

std::string nested(std::size_t depth) {
  return "model: " + std::string(depth, '[') + std::string(depth, ']') + "\n";
}

std::string alias_bomb() {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 12; ++i) {
    const std::string last = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + last;
    for (int n = 0; n < 8; ++n) text += ", " + last;
    text += "]\n";
  }
  return text;
}

}  // namespace

TEST_CASE("hostile bytes") {
  struct Row {
    std::string name, text, in_err;
  };
  const std::vector<Row> rows{
      {"nul", std::string("model: {a: \0}\n", 14), ":1:12"},
      {"invalid UTF-8", "model:\n  a: \xff\n", ":2:6"},
      {"cut UTF-8", "model: {a: \xe6\x97", ":1:12"},
      {"binary",
       std::string("\x7f"
                   "ELF\x02\x01\x01\0\0\0",
                   10),
       ":1:"},
      {"unclosed", "model: {a: 1\n", ":"},
      {"tabs", "model:\n\ta: 1\n", ":2:"},
      {"nesting bomb", nested(5000), ":1:"},
      {"deep mapping",
       [] {
         std::string s;
         for (int i = 0; i < 3000; ++i) s += std::string(static_cast<std::size_t>(i), ' ') + "a:\n";
         return s;
       }(),
       ":"},
      {"alias bomb", alias_bomb(), ":"},
      {"list", "- 1\n- 2\n", ":1:1"},
      {"scalar", "just a sentence\n", ":1:1"},
      {"self alias", "a: &a [*a]\n", ":1:"},
  };
  for (const auto& row : rows) {
    CAPTURE(row.name);
    const TemporaryFolder folder;
    const std::string path = folder.file("c.yaml", row.text);
    const auto result = run({{"check", path}});
    CHECK(result.status == 2);
    CHECK(result.out.empty());
    CHECK_THAT(result.err, Catch::Contains("c.yaml" + row.in_err));
    const auto json = run({{"check", path, "--format", "json"}});
    CHECK(json.status == 2);
    CHECK_THAT(json.out, Catch::Contains("\"verdict\": \"unreadable\"") && Catch::Contains("\"message\""));
    const auto input = run({{"check", "-"}, row.text});
    CHECK(input.status == 2);
  }
}

TEST_CASE("empty inputs are configs without settings") {
  for (const char* text : {"", "\n", "# nothing\n", "---\n", "{}\n"}) {
    CAPTURE(text);
    CHECK(run({{"check", "-"}, text}).status == 0);
  }
}

TEST_CASE("things that are no file") {
  const TemporaryFolder folder;
  const std::string secret = folder.file("secret.yaml", "a: 1\n");
  CHECK(run({{"effective", folder.path()}}).status == 2);
  CHECK(run({{"check", "/dev/zero"}}).status == 2);
  if (geteuid() != 0) {
    REQUIRE(chmod(secret.c_str(), 0) == 0);
    const auto result = run({{"check", secret}});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains("Permission denied"));
  }
}

TEST_CASE("a huge file is refused, not read") {
  const TemporaryFolder folder;
  const std::string path = folder.file("huge.yaml", "");
  std::filesystem::resize_file(path, 100U << 20U);
  const auto result = run({{"check", path}});
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Catch::Contains(" MiB: no config"));
}

TEST_CASE("nothing of an input reaches the terminal as a command") {
  const auto result = run({{"check", "-", "--color", "always"}, "model: {\"evil\\e[2J\": 1}\n"});
  CHECK(result.status == 0);
  CHECK(result.out.find("\033[2J") == std::string::npos);
}

TEST_CASE("a broken .headroom.yaml is an error with a place") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", "model: {}\n");
  struct Row {
    const char* text;
    const char* in_err;
  };
  for (const Row& row : std::vector<Row>{{"gpsu: 8\n", ":1:1"},
                                         {"bridge: 0.6.0\ngpus: many\n", ":2:7"},
                                         {"- 1\n", ":1:1"},
                                         {"env: [a]\n", ":1:6"},
                                         {"a: [\n", ".headroom.yaml:"},
                                         {"fail_on: sometimes\n", ":1:10"},
                                         {"env_file: none.env\n", "env_file"},
                                         {"rules: [none]\n", "none"}}) {
    CAPTURE(row.text);
    folder.file(".headroom.yaml", row.text);
    const auto result = run({{"check", config}});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains(row.in_err));
  }
}

TEST_CASE("standard input is read once for all releases") {
  const std::string text =
      "headroom: {env: {}}\nmodel: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: "
      "true, cpu_offloading_num_layers: 1, pipeline_model_parallel_size: 2}\n";
  const TemporaryFolder folder;
  const auto file = run({{"check", folder.file("c.yaml", text), "--bridge", "all", "--format", "json"}});
  const auto input = run({{"check", "-", "--bridge", "all", "--format", "json"}, text});
  CHECK(file.status == 1);
  CHECK(input.status == 1);
  const auto verdicts = [](const std::string& out) {
    std::size_t n = 0;
    const std::string wanted = "\"verdict\": \"error\"";
    for (std::size_t at = out.find(wanted); at != std::string::npos; at = out.find(wanted, at + 1)) ++n;
    return n;
  };
  CHECK(verdicts(input.out) > 1);
  CHECK(verdicts(input.out) == verdicts(file.out));
}

TEST_CASE("thousands of findings and a layout of a million stages take no minutes") {
  std::string unknown = "model:\n";
  for (int i = 0; i < 4000; ++i) unknown += "  k" + std::to_string(i) + ": 1\n";
  const std::string layout =
      "model: {num_layers: 8, pipeline_model_parallel_size: 4, pipeline_model_parallel_layout: "
      "'(|)*1000000'}\n";
  for (const std::string& text : {unknown, layout}) {
    CHECK(run({{"check", "-", "--format", "json"}, text}).status <= 1);
  }
}

TEST_CASE("a pipe called .headroom.yaml is not waited for") {
  const TemporaryFolder folder;
  const std::string config = folder.file("a.yaml", "model: {}\n");
  REQUIRE(mkfifo((folder.path() + "/.headroom.yaml").c_str(), 0600) == 0);
  const auto result = run({{"check", config}});
  CHECK(result.status == 2);
  CHECK_THAT(result.err, Catch::Contains("is a pipe"));
}

TEST_CASE("a device without an end is no log") {
  for (const char* device : {"/dev/zero", "/dev/urandom"}) {
    const auto result = run({{"explain", device, "--no-ask"}});
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains("a device"));
  }
  CHECK(run({{"explain", "/dev/null", "--no-ask"}}).status == 0);
}

TEST_CASE("an option with an empty value is an error, whatever the option") {
  for (const char* option : {"--gpus", "--gpu", "--bridge", "--loader", "--select", "--baseline", "--jobs"}) {
    const auto result = run({{"check", "examples/qwen3_8b_lora.yaml", option, ""}});
    CAPTURE(option);
    CHECK(result.status == 2);
    CHECK_THAT(result.err, Catch::Contains("the value is empty") && Catch::Contains(option));
  }
}

TEST_CASE("what a config holds cannot steer the terminal that shows it changed; a pipe gets it as it is") {
  const TemporaryFolder folder;
  const std::string script = folder.file(
      "launch.sh",
      "# \x1b[31mred \xe2\x80\xae\ntorchrun --nproc_per_node 8 pretrain_gpt.py --num-layers 4 --hidden-size "
      "64 "
      "--num-attention-heads 4 --seq-length 128 --max-position-embeddings 128 --micro-batch-size 1 "
      "--cross-entropy-loss-fusion --cross-entropy-fusion-impl te --tokenizer-model '\x1b]0;title\x07'\n");
  const std::vector<std::string> diff{"check", "--diff", script};
  const auto shown = run({.args = diff, .terminal = true}).out;
  CHECK_THAT(shown, Catch::Contains("\\x1b[31mred \\u202e") && Catch::Contains("\\x1b]0;title\\x07"));
  CHECK_THAT(shown, !Catch::Contains("\x1b[31mred") && !Catch::Contains("\x1b]0") &&
                        !Catch::Contains("\xe2\x80\xae"));
  CHECK_THAT(run({diff}).out, Catch::Contains("# \x1b[31mred") && Catch::Contains("\x1b]0;title\x07"));
  const auto converted = run({.args = {"convert", "--to", "megatron-lm", script}, .terminal = true}).out;
  CHECK_THAT(converted, Catch::Contains("\\x1b]0;title\\x07") && !Catch::Contains("\x1b]0"));
}

TEST_CASE("--fix repairs all of many findings") {
  const TemporaryFolder folder;
  std::string text = "model:\n  num_layers: 4\n";
  for (int i = 0; i < 600; ++i) text += "  zqzqzq_" + std::to_string(i) + ": 1\n";
  const std::string config = folder.file("c.yaml", text);
  CHECK(run({{"check", "--fix", config}}).status == 0);
  CHECK(headroom::cli::read(config) == "model:\n  num_layers: 4\n");
}
