// `headroom calibrate`: what a cluster's logs say, kept in its repository.
#include <catch2/catch.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <tuple>

#include "program.hpp"

using headroom::cli::read;
using headroom::cli::run;
using headroom::cli::TemporaryFolder;
using Json = nlohmann::json;

namespace {

constexpr const char* config =
    "model: {num_layers: 8, hidden_size: 1024, num_attention_heads: 16, vocab_size: 32000, seq_length: "
    "2048}\n"
    "train: {micro_batch_size: 1, global_batch_size: 8}\n"
    "headroom: {gpus: 8, gpu: h100}\n";

Json estimate(const std::string& path) {
  return Json::parse(run({{"estimate", path, "--format", "json"}}).out);
}

/// A line as Megatron-LM prints it: MiB under the name MB.
std::string report(int rank, double allocated, double peak, double reserved) {
  std::ostringstream out;
  out << std::fixed << "[Rank " << rank
      << "] (after 2 iterations) memory (MB) | allocated: " << allocated / 1048576
      << " | max allocated: " << peak / 1048576 << " | reserved: " << reserved / 1048576
      << " | max reserved: " << reserved / 1048576 << "\n";
  return out.str();
}

}  // namespace

TEST_CASE("calibrate writes nothing that check would refuse") {
  const TemporaryFolder folder;
  const std::string path = folder.file("repo/run.yaml", config);
  const std::string log = folder.file("run.log", report(0, 1e9, 1e60, 1e60));
  const auto result = run({{"calibrate", log, path}});
  CHECK(result.status == 2);
  CHECK(result.err.find("no GPU has") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/repo/.headroom.yaml"));
}

TEST_CASE("calibrate learns nothing from lines that contradict themselves or belong to another run") {
  const TemporaryFolder folder;
  const std::string path = folder.file("repo/run.yaml", config);
  for (const auto& [allocated, peak, reserved] :
       {std::tuple{1e17, 1e8, 1e17}, std::tuple{8e10, 9e10, 8e10}, std::tuple{0.0, 0.0, 0.0},
        std::tuple{1e6, 1e6 + 1, 5e17}}) {
    const std::string log = folder.file("run.log", report(0, allocated, peak, reserved));
    CHECK(run({{"calibrate", log, path}}).status == 2);
    CHECK_FALSE(std::filesystem::exists(folder.path() + "/repo/.headroom.yaml"));
  }
}

TEST_CASE("calibrate keeps what it learns beside what the repository says already") {
  const TemporaryFolder folder;
  const std::string path = folder.file("repo/conf/run.yaml", config);
  const std::string kept = folder.file("repo/.headroom.yaml", "# our cluster\ngpu: h100  # all of them\n");
  const Json before = estimate(path);
  const double still = before["stages"][0]["static_bytes"], peak = before["peak_bytes"];
  const double now = still + 500e6, then = now + 1.2 * (peak - still);
  const std::string log = folder.file(
      "run.log", "noise\n" + report(0, now, then, then + 400e6) + report(7, now, then, then + 400e6));
  const auto shown = run({{"calibrate", log, path, "--diff"}});
  CHECK(shown.status == 0);
  CHECK(shown.out.find("+calibration:") != std::string::npos);
  CHECK(read(kept).find("calibration") == std::string::npos);

  const auto learned = run({{"calibrate", log, path, "--format", "json"}});
  INFO(learned.err);
  REQUIRE(learned.status == 0);
  const Json j = Json::parse(learned.out);
  CHECK(j["reports"] == 2);
  CHECK(j["calibration"]["static_bytes"].get<double>() == Approx(500e6).epsilon(0.01));
  CHECK(j["calibration"]["moving_ratio"].get<double>() == Approx(1.2).epsilon(0.01));
  CHECK(read(kept).starts_with("# our cluster\ngpu: h100  # all of them\ncalibration:\n"));
  CHECK(estimate(path)["peak_bytes"].get<double>() == Approx(then).epsilon(0.002));
  // Learning again starts from the ledger, not from what was learned before.
  REQUIRE(run({{"calibrate", log, path}}).status == 0);
  CHECK(estimate(path)["peak_bytes"].get<double>() == Approx(then).epsilon(0.002));
}

TEST_CASE("calibrate makes the file where there is none, beside .git") {
  const TemporaryFolder folder;
  const std::string path = folder.file("repo/conf/run.yaml", config);
  folder.file("repo/.git/HEAD", "");
  const double still = estimate(path)["stages"][0]["static_bytes"];
  const std::string log = folder.file("run.log", report(0, still + 1e9, still + 30e9, still + 31e9));
  const auto learned = run({{"calibrate", log, path}});
  INFO(learned.err);
  REQUIRE(learned.status == 0);
  CHECK(learned.out.find("learned from 1 memory report:") != std::string::npos);
  CHECK(read(folder.path() + "/repo/.headroom.yaml").starts_with("calibration:\n  static_bytes: "));
}

TEST_CASE("calibrate says what it lacks") {
  const TemporaryFolder folder;
  const std::string path = folder.file("run.yaml", config);
  const std::string log = folder.file("empty.log", "iteration 1/10 | loss 3\n");
  CHECK(run({{"calibrate", path}}).status == 2);
  const auto none = run({{"calibrate", log, path}});
  CHECK(none.status == 2);
  CHECK(none.err.find("no memory line") != std::string::npos);
  CHECK(run({{"calibrate", folder.path() + "/absent.log", path}}).status == 2);
  folder.file(".headroom.yaml", "calibration: {moving_ratio: none}\n");
  const auto wrong = run({{"estimate", path}});
  CHECK(wrong.status == 2);
  CHECK(wrong.err.find(".headroom.yaml:1:29") != std::string::npos);
}
