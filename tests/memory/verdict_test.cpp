// Whether a run fits, in the same words everywhere.
#include <catch2/catch.hpp>

#include "../lint/support.hpp"
#include "headroom/memory/ledger.hpp"

using namespace headroom;
using memory::Verdict;

TEST_CASE("what is said of a run follows its band and its allocator") {
  const auto outcome = test::lint_text(
      "headroom: {gpus: 8, gpu: h100, model: llama3-8b, env: {}}\n"
      "model: {seq_length: 8192, tensor_model_parallel_size: 2, sequence_parallel: true}\n"
      "train: {micro_batch_size: 1, global_batch_size: 8}\n"
      "ddp: {use_distributed_optimizer: true}\n"
      "mixed_precision: bf16_mixed\n");
  auto run = memory::read_shape(outcome.config);
  REQUIRE(run);
  memory::Shape& shape = run->shape;
  const auto on = [&](double capacity) {
    shape.capacity = capacity;
    return memory::name_of(memory::verdict(shape, memory::peaks(shape)));
  };
  constexpr double gib = 1024.0 * 1024 * 1024;
  const memory::Peaks now = memory::peaks(shape);
  shape.expandable_segments = true;
  const double tight = memory::peaks(shape).used;
  CHECK(on(now.used_high() + gib) == "fits");
  CHECK(on(tight - gib) == "does not fit");
  shape.expandable_segments = false;
  REQUIRE(now.used_high() > now.used + 0.3 * gib);
  REQUIRE(tight < now.used);
  CHECK(on(now.used_high() + gib) == "fits");
  CHECK(on(now.used + 0.1 * gib) == "may not fit");
  CHECK(on((now.used + tight) / 2) == "fits only with expandable segments");
  CHECK(on(tight - gib) == "does not fit");
  CHECK(on(0) == "unknown");
}
