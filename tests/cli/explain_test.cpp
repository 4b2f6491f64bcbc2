// `headroom explain`: the JSON contract, answers, hostile input, and the conversation on a terminal.
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "program.hpp"
#include "session.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::Session;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

namespace {

const std::string log_path = "examples/failed/llama3_8b.log", config_path = "examples/failed/llama3_8b.yaml";

Json explained(std::vector<std::string> args) {
  args.insert(args.begin(), {"explain", "--format", "json"});
  const auto result = run({args});
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  return Json::parse(result.out);
}

/// The conversation that docs/explain.md shows.
std::string conversation(const std::string& saved) {
  Session session({"explain", log_path, "--config", config_path});
  const std::string prompt = "headroom> ";
  session.expect_end("[8] ");
  session.type("16");
  session.expect_end(prompt);
  for (const std::string line :
       {"what-if train.micro_batch_size=1", "diff",
        "what-if model.recompute_granularity=full model.cpu_offloading=true", "fix", "hlep", "why"}) {
    session.type(line);
    session.expect_end(prompt);
  }
  session.type("save " + saved + " 1");
  session.expect_end(prompt);
  session.type("quit");
  CHECK(session.finish() == 0);
  return session.screen();
}

std::string without(std::string text, const std::string& part, const std::string& instead) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + instead.size()))
    text.replace(at, part.size(), instead);
  return text;
}

/// Blanks at ends of lines are the editor's.
std::string trimmed(const std::string& text) {
  std::string out, line;
  for (const char c : text + "\n") {
    if (c != '\n') {
      line += c;
      continue;
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
    line.clear();
  }
  out.erase(out.find_last_not_of('\n') + 1);
  return out + "\n";
}

}  // namespace

TEST_CASE("explain takes settings of the command line, and says what was tried") {
  const auto peak = [](std::vector<std::string> more) {
    more.insert(more.begin(), {log_path, "--config", config_path, "--gpus", "16"});
    return explained(more).at("facts").dump() + explained(more).at("fixes").dump();
  };
  CHECK(peak({}) != peak({"--set", "model.num_layers=4"}));
  CHECK(run({{"explain", log_path, "--config", config_path, "--set", "garbage"}}).status == 2);
  const Json untried = explained({log_path});
  for (const auto& fix : untried.at("fixes")) CHECK_FALSE(fix.at("verified").get<bool>());
}

TEST_CASE("explain --format json has the keys of the contract") {
  const Json j = explained({log_path, "--config", config_path, "--gpus", "16"});
  CHECK(j["schema"] == 1);
  CHECK(j["cause"] == "capacity-activation");
  CHECK(j["confidence"].get<double>() > 0.5);
  CHECK(j["phase"] == "forward");
  CHECK(j["rank"] == 3);
  CHECK(j["stage"] == 0);
  CHECK(j["facts"]["tried_bytes"] == 896LL << 20);
  CHECK(j["facts"]["free_bytes"].get<double>() == Approx(505.12 * 1024 * 1024).margin(2));
  CHECK(j["facts"]["capacity_bytes"].get<double>() == Approx(79.11 * 1024 * 1024 * 1024).margin(2));
  CHECK(j["facts"].contains("allocated_bytes"));
  CHECK(j["facts"].contains("reserved_unallocated_bytes"));
  for (const char* list : {"evidence", "alternatives", "questions", "ask", "notes", "arithmetic", "fixes"})
    CHECK(j[list].is_array());
  REQUIRE_FALSE(j["evidence"].empty());
  CHECK(j["evidence"][0]["line"] == 12);
  CHECK(j["arithmetic"][0]["formula"] ==
        "32768 tokens x 2 x 14336 feed-forward width / 2 tensor ranks x 2 bytes");
  REQUIRE_FALSE(j["fixes"].empty());
  CHECK(j["fixes"][0]["verified"] == true);
  CHECK(j["fixes"][0]["set"].contains("train.micro_batch_size"));
  CHECK(j["expected"]["stage"] == 0);
}

TEST_CASE("answers and options say the same") {
  const Json option = explained({log_path, "--config", config_path, "--gpus", "16"});
  const Json answer = explained({log_path, "--config", config_path, "--answer", "gpus=16"});
  CHECK(option == answer);
  const Json both = explained({log_path, "--answer", "config=" + config_path, "--answer", "gpus=16"});
  CHECK(option["fixes"] == both["fixes"]);
  const auto wrong = run({{"explain", log_path, "--answer", "gpsu=16"}});
  CHECK(wrong.status == 2);
  CHECK_THAT(wrong.err, Catch::Contains("gpus"));
  CHECK(run({{"explain", log_path, "--answer", "gpus"}}).status == 2);
  CHECK(run({{"explain", log_path, "--answer", "gpus=many"}}).status == 2);
  CHECK(run({{"explain", log_path, "--answer", "phase=lunch"}}).status == 2);
}

TEST_CASE("what is set is not advised, and what helps nothing is not") {
  const Json j = explained({log_path, "--config", config_path, "--gpus", "16", "--env",
                            "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True"});
  for (const auto& fix : j["fixes"]) {
    CHECK_FALSE(fix["env"].contains("PYTORCH_CUDA_ALLOC_CONF"));
    CHECK_FALSE(fix["set"].contains("ddp.use_distributed_optimizer"));
    if (fix["set"].contains("model.sequence_parallel")) CHECK(fix["set"]["model.sequence_parallel"] == true);
  }
}

TEST_CASE("a log from standard input, and one that is not there") {
  const auto result = run({.args = {"explain"}, .input = read(HEADROOM_SOURCE_DIR "/" + log_path)});
  CHECK(result.status == 0);
  CHECK_THAT(result.out, Catch::Contains("capacity-activation") && Catch::Contains("--answer"));
  CHECK(run({{"explain", "/no/such.log"}}).status == 2);
  CHECK(run({{"explain", "/tmp"}}).status == 2);
  CHECK(run({{"explain", log_path, "--config", "/no/such.yaml"}}).status == 2);
  CHECK(run({{"explain", log_path, "another.log"}}).status == 2);
}

TEST_CASE("a config without a log: the estimate alone") {
  const Json j = explained({"--config", config_path, "--gpus", "16"});
  CHECK(j["cause"] == "capacity-activation");
  CHECK_THAT(j["why"].get<std::string>(), Catch::Contains("estimate"));
  CHECK_FALSE(j["fixes"].empty());
}

TEST_CASE("bytes that are no log") {
  const TemporaryFolder folder;
  std::string bytes;
  for (unsigned i = 0; i < 300'000; ++i) bytes += static_cast<char>((i * 7919 + i / 251) % 256);
  const auto result = run({{"explain", folder.file("noise", bytes), "--format", "json"}});
  CHECK(result.status == 0);
  CHECK(Json::parse(result.out).contains("cause"));
  const auto empty = run({{"explain", folder.file("empty", ""), "--format", "json"}});
  CHECK(empty.status == 0);
  CHECK(Json::parse(empty.out)["cause"] == "unknown");
}

TEST_CASE("a refusal of the framework names the rule") {
  const TemporaryFolder folder;
  const std::string log =
      folder.file("run.log",
                  "Traceback (most recent call last):\n  File "
                  "\"/x/megatron/core/transformer/transformer_config.py\", line 1, in __post_init__\n"
                  "    raise ValueError(\nValueError: Currently there is no support for Pipeline parallelism "
                  "with CPU offloading "
                  "(cpu_offloading, pipeline_model_parallel_size)\n");
  const Json alone = explained({log});
  CHECK(alone["cause"] == "config-conflict");
  REQUIRE_FALSE(alone["rules"].empty());
  CHECK(alone["rules"][0] == "offload/pipeline-parallel");
  const std::string config = folder.file(
      "c.yaml",
      "model: {num_layers: 4, hidden_size: 64, num_attention_heads: 4, cpu_offloading: true, "
      "cpu_offloading_num_layers: 1,\n"
      "  pipeline_model_parallel_size: 2, pipeline_dtype: torch.bfloat16}\nheadroom: {gpus: 2}\n");
  const Json with = explained({log, "--config", config});
  CHECK(with["rules"][0] == "offload/pipeline-parallel");
  REQUIRE_FALSE(with["fixes"].empty());
  CHECK(with["fixes"][0]["verified"] == true);
}

TEST_CASE("a log of another run than that of the config says so") {
  const TemporaryFolder folder;
  const std::string failure = read(HEADROOM_SOURCE_DIR "/" + log_path);
  const auto note = [&](const std::string& log, std::vector<std::string> more) {
    more.insert(more.begin(), {folder.file("run.log", log), "--config", config_path});
    const Json j = explained(more);
    return std::pair(j["notes"].empty() ? "" : j["notes"][0].get<std::string>(), j);
  };
  SECTION("the same run") {
    const auto [text, j] = note(
        "using world size: 16, data-parallel size: 8, context-parallel size: 1, "
        "tensor-model-parallel size: 2, pipeline-model-parallel size: 1\n" +
            failure,
        {});
    CHECK_THAT(text, !Catch::Contains("contradicts"));
    CHECK(j.contains("expected"));
  }
  SECTION("another spread") {
    const auto [text, j] = note(
        "using world size: 8, data-parallel size: 1, context-parallel size: 1, "
        "tensor-model-parallel size: 4, pipeline-model-parallel size: 2\n" +
            failure,
        {"--gpus", "16"});
    CHECK_THAT(text, Catch::Contains("8 ranks in the log, 16 GPUs given") &&
                         Catch::Contains("tensor_model_parallel_size is 4 in the log, 2 in the config") &&
                         Catch::Contains("pipeline_model_parallel_size is 2 in the log, 1 in the config"));
    CHECK_FALSE(j.contains("expected"));
  }
  SECTION("another model") {
    const std::string arguments =
        "  hidden_size ..................................... 8192\n"
        "  num_layers ...................................... 80\n"
        "  seq_length ...................................... 8192\n";
    const auto [text, j] = note(arguments + failure, {"--gpus", "16"});
    CHECK_THAT(text, Catch::Contains("hidden_size is 8192 in the log, 4096 in the config") &&
                         Catch::Contains("num_layers is 80 in the log, 32 in the config"));
  }
  SECTION("a rank that the run does not have, a GPU of another kind") {
    const auto [text, j] = note(failure, {"--gpus", "2", "--gpu", "b200"});
    CHECK_THAT(text, Catch::Contains("rank 3 in the log, 2 GPUs given"));
    CHECK_THAT(text, Catch::Contains("the GPU of the log has 79.11 GiB"));
  }
  SECTION("more than the config could hold") {
    const auto [text, j] =
        note(without(failure, "allocate 896.00 MiB", "allocate 400.00 GiB"), {"--gpus", "16"});
    CHECK_THAT(text, Catch::Contains("400.00 GiB were asked for at once"));
  }
  SECTION("experts of a dense model") {
    const auto [text, j] =
        note(without(failure, "transformer/mlp.py", "transformer/moe/experts.py"), {"--gpus", "16"});
    CHECK_THAT(text, Catch::Contains("the traceback is in experts, the model of the config has none"));
  }
}

TEST_CASE("no request of a dense model is one of experts") {
  const TemporaryFolder folder;
  // 32768 tokens x 2 (the default of moe_router_topk) x 4096 hidden x 2 bytes
  const std::string log = without(read(HEADROOM_SOURCE_DIR "/" + log_path), "896.00 MiB", "512.00 MiB");
  const Json j = explained({folder.file("run.log", log), "--config", config_path, "--gpus", "16"});
  for (const auto& fit : j.at("arithmetic"))
    CHECK_THAT(fit["what"].get<std::string>(), !Catch::Contains("expert"));
}

TEST_CASE("the conversation in docs/explain.md is what a terminal shows") {
  const TemporaryFolder folder;
  const std::string saved = folder.path() + "/new.yaml";
  std::string shown = conversation(saved);
  shown = trimmed(without(shown, saved, "new.yaml"));
  shown = "$ headroom explain " + log_path + " --config " + config_path + "\n" + shown;
  CHECK_THAT(read(saved), Catch::Contains("micro_batch_size: 1"));

  const std::string page_path = HEADROOM_SOURCE_DIR "/docs/explain.md";
  const std::string page = read(page_path);
  const std::string mark = "<!-- session -->\n```console\n";
  const auto begin = page.find(mark) + mark.size();
  const auto end = page.find("```", begin);
  REQUIRE(page.find(mark) != std::string::npos);
  REQUIRE(end != std::string::npos);
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr)
    std::ofstream(page_path, std::ios::binary) << page.substr(0, begin) << shown << page.substr(end);
  else
    CHECK(page.substr(begin, end - begin) == shown);
}

TEST_CASE("the conversation ends with its input, and never writes over a file") {
  const TemporaryFolder folder;
  const std::string there = folder.file("there.yaml", "mine\n");
  Session session({"explain", log_path, "--config", config_path, "--gpus", "16"});
  session.expect_end("headroom> ");
  for (const std::string& line :
       {std::string("save " + there), std::string("diff 99"), std::string("save"), std::string("what-if"),
        std::string("what-if =3"), std::string("plan"), std::string("help")}) {
    session.type(line);
    session.expect_end("headroom> ");
  }
  CHECK(read(there) == "mine\n");
  session.type("\x04");
  CHECK(session.finish() == 0);
  CHECK_THAT(session.screen(), Catch::Contains("cannot write") && Catch::Contains("there is no such fix"));
}

TEST_CASE("words of the conversation are taken as they are meant, or refused") {
  Session session({"explain", log_path, "--config", config_path, "--gpus", "16"});
  session.expect_end("headroom> ");
  const auto answer = [&](const std::string& line) {
    const std::size_t before = session.screen().size();
    session.type(line);
    session.expect_end("headroom> ");
    return session.screen().substr(before);
  };
  CHECK_THAT(answer("what-if foo.bar=1"), Catch::Contains("foo.bar") && !Catch::Contains("peak"));
  CHECK_THAT(answer("what-if train.micro_batch_size=few"), !Catch::Contains("peak "));
  CHECK_THAT(answer("what-if train.micro_batch_size=1"), Catch::Contains("peak 148"));
  CHECK_THAT(answer("fix 2"), Catch::Contains("2. Recompute every layer") && !Catch::Contains("1. Take"));
  CHECK_THAT(answer("fix 99"), Catch::Contains("there is no such fix"));
  CHECK_THAT(answer("fix 1x"), Catch::Contains("there is no such fix"));
  CHECK_THAT(answer("why 2"), Catch::Contains("stands alone"));
  const std::string hint = answer("hlep");
  CHECK_THAT(hint, Catch::Contains("did you mean 'help'?") && !Catch::Contains("lists them"));
  CHECK_THAT(answer("zzzzzzzz"), Catch::Contains("`help` lists them"));
  session.type("quit");
  CHECK(session.finish() == 0);
}

TEST_CASE("--no-ask talks to nobody") {
  const auto result = run({.args = {"explain", log_path, "--no-ask"}, .terminal = true});
  CHECK(result.status == 0);
  CHECK_THAT(result.out, !Catch::Contains("headroom> "));
}

TEST_CASE("answers name another log and the memory of a node") {
  const TemporaryFolder folder;
  const Json other = explained({folder.file("empty.log", ""), "--answer", "log=" + log_path});
  CHECK(other["cause"] == "capacity-activation");
  CHECK(run({{"explain", log_path, "--answer", "log=" + folder.path() + "/none.log"}}).status == 2);
  CHECK(run({{"explain", log_path, "--answer", "host_memory=much"}}).status == 2);
  CHECK(run({{"explain", log_path, "--answer", "host_memory=1TB", "--no-ask"}}).status == 0);
}
