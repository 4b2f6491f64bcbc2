// The log reader on what no program prints: bounds, noise, and where lines are.
#include <catch2/catch.hpp>
#include <random>

#include "headroom/oom/diagnosis.hpp"
#include "headroom/oom/log_reader.hpp"

namespace headroom::oom {
namespace {

const std::string message =
    "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 512.00 MiB. GPU 0 has a total capacity of "
    "79.15 GiB of "
    "which 301.88 MiB is free. Including non-PyTorch memory, this process has 78.84 GiB memory in use. Of "
    "the allocated "
    "memory 76.90 GiB is allocated by PyTorch, and 904.33 MiB is reserved by PyTorch but unallocated.";

LogFacts facts_of(std::string_view text) {
  LogReader reader;
  reader.feed(text);
  return reader.finish();
}

}  // namespace

TEST_CASE("an empty log says nothing") {
  const LogFacts log = facts_of("");
  CHECK(log.lines == 0);
  const Diagnosis d = diagnose(log, {});
  CHECK(d.cause == Cause::unknown);
  CHECK_FALSE(d.questions.empty());
}

TEST_CASE("lines are counted, also the last one without an end") {
  const LogFacts log = facts_of("a\n\nb\n" + message);
  CHECK(log.lines == 4);
  REQUIRE(log.failures.size() == 1);
  CHECK(log.failures.front().where.line == 4);
  CHECK(log.bytes == 5 + message.size());
}

TEST_CASE("a million ranks stay within bounds") {
  LogReader reader;
  for (int rank = 0; rank < 1'000'000; rank += 37) {
    const std::string p = "[rank" + std::to_string(rank) + "]: ";
    reader.feed(p + "Traceback (most recent call last):\n" + p +
                "  File \"/x/mlp.py\", line 1, in forward\n" + p + message + "\n");
  }
  const LogFacts log = reader.finish();
  CHECK(log.failures.size() <= 64);
  CHECK(log.ranks.size() <= 4096);
  CHECK(log.failed_ranks >= 27'000);
  CHECK(log.counts.at(LineKind::allocator) == 27'028);
}

TEST_CASE("a rank out of every proportion is none") {
  const LogFacts log = facts_of("[rank99999999999999999999]: " + message + "\n");
  REQUIRE(log.failures.size() == 1);
  CHECK_FALSE(log.failures.front().rank.has_value());
}

TEST_CASE("an endless line is read in pieces") {
  const std::string noise(3'000'000, 'x');
  const LogFacts log = facts_of(noise + "\n" + message + "\n" + noise + message);
  CHECK(log.lines == 3);
  REQUIRE_FALSE(log.failures.empty());
  CHECK(log.failures.front().where.line == 2);
  for (const Failure& f : log.failures) CHECK(f.where.text.size() <= 2000);
}

TEST_CASE("zero bytes, broken UTF-8 and escape sequences do no harm") {
  std::string text("\0\0 Error \xff\xfe\xc3 \x1b[", 14);
  text += "\n\x1b]0;title\a" + message + "\xe2\x82\n\x1b";
  const LogFacts log = facts_of(text);
  REQUIRE(log.failures.size() == 1);
  CHECK(log.failures.front().figures.tried == 512.0 * 1024 * 1024);
  for (const char c : log.failures.front().where.text) CHECK(static_cast<unsigned char>(c) >= 0x20);
}

TEST_CASE("random bytes and random words never fail") {
  std::mt19937 random(11);
  const std::vector<std::string> words{"CUDA out of memory. ",
                                       "Tried to allocate ",
                                       "9e999 GiB",
                                       "-1 MiB",
                                       "\n",
                                       "[rank1]: ",
                                       "Error",
                                       ": ",
                                       "  File \"",
                                       "\", line 1, in f",
                                       "Traceback (most recent call last):",
                                       "iteration ",
                                       "1/2 |",
                                       "\r",
                                       "memory (MB) | allocated: ",
                                       "nan",
                                       "1e308",
                                       "(GPU ",
                                       "99999999999; ",
                                       "total capacity",
                                       "\x1b[31m",
                                       "using world size: ",
                                       "exitcode  : -9",
                                       "Root Cause (first observed failure):",
                                       " ........ 5",
                                       "Process 1 has "};
  for (int round = 0; round < 400; ++round) {
    std::string text;
    for (int i = 0; i < 200; ++i) {
      if (random() % 4 == 0)
        text += static_cast<char>(random() % 256);
      else
        text += words[random() % words.size()];
    }
    LogReader reader;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t n = 1 + random() % 97;
      reader.feed(std::string_view(text).substr(at, n));
      at += n;
    }
    const Diagnosis d = diagnose(reader.finish(), {});
    CHECK(d.confidence >= 0);
    CHECK(d.confidence <= 1);
  }
}

TEST_CASE("the first failure counts, not those that follow from it") {
  const LogFacts log =
      facts_of("[rank2]: " + message +
               "\n[rank0]: torch.distributed.DistBackendError: NCCL communicator was aborted on rank 0.\n");
  const Diagnosis d = diagnose(log, {});
  CHECK(d.rank == 2);
  CHECK(d.kind == "allocator");
}

TEST_CASE("units of memory reports: MiB under the name MB, decimal GB") {
  const LogFacts log = facts_of(
      "[Rank 4] (after 2 iterations) memory (MB) | allocated: 1024.0 | max allocated: 2048.0 | reserved: "
      "3072.0 | max reserved: 4096.0\n"
      "[Rank 0] (after 2 iterations) memory (GB) | mem-allocated-gigabytes: 1.5 | "
      "mem-max-allocated-gigabytes: 2.5 | mem-max-reserved-gigabytes: 3.5 | mem-alloc-retires: 4\n");
  REQUIRE(log.reports.size() == 2);
  CHECK(log.reports[0].rank == 0);
  CHECK(log.reports[0].max_allocated == 2.5e9);
  CHECK(log.reports[0].retries == 4);
  CHECK(log.reports[1].max_allocated == 2048.0 * 1024 * 1024);
  CHECK(log.reports[1].iteration == 2);
}

TEST_CASE("sizes that a run prints at its start") {
  const LogFacts log = facts_of(
      "using world size: 16, data-parallel size: 2, context-parallel size: 1, hierarchical context-parallel "
      "sizes: None, tensor-model-parallel size: 2, pipeline-model-parallel size: 4\n"
      " > number of parameters on (tensor, pipeline) model parallel rank (0, 3): 1889968128\n"
      " > number of parameters on (tensor, gtp_weight_remat, pipeline) model parallel rank (0, 0, 1): "
      "99968128\n"
      "Theoretical memory footprints: weight and optimizer=1000.00 MB, activation=2000.00 MB, total=3000.00 "
      "MB\n"
      "  hidden_size ..................................... 4096\n");
  CHECK(log.layout.world == 16);
  CHECK(log.layout.data == 2);
  CHECK(log.layout.context == 1);
  CHECK(log.layout.pipeline == 4);
  CHECK(log.layout.parameters.at(3) == 1889968128.0);
  CHECK(log.layout.parameters.at(1) == 99968128.0);
  CHECK(log.layout.footprint_states == 1000.0 * 1024 * 1024);
  CHECK(log.layout.arguments.at("hidden_size") == "4096");
}

}  // namespace headroom::oom
