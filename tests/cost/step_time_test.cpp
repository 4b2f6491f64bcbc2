// What must hold of step time whatever the constants are.
#include <fmt/format.h>

#include <catch2/catch.hpp>

#include "../lint/support.hpp"
#include "headroom/cost/step_time.hpp"

using namespace headroom;
using cost::Part;
using cost::StepTime;

namespace {

StepTime step(const std::string& model, const std::vector<std::string>& changes = {}, int gpus = 64,
              const std::string& gpu = "h100") {
  auto words = changes;
  words.insert(words.begin(),
               {"model.seq_length=4096", "train.micro_batch_size=1", "train.global_batch_size=256",
                "mixed_precision=bf16_mixed", "ddp.use_distributed_optimizer=true",
                "optimizer.use_distributed_optimizer=true"});
  const auto outcome = test::lint_text(
      fmt::format("headroom: {{model: {}, gpus: {}, gpu: {}, env: {{}}}}\n", model, gpus, gpu), words);
  REQUIRE_FALSE(outcome.unreadable);
  const auto shape = memory::read_shape(outcome.config);
  REQUIRE(shape);
  return cost::step_time(shape->shape, cost::read_job(outcome.config));
}

const std::string llama = "llama3-70b", qwen = "qwen3-30b-a3b";

std::vector<std::string> layout(int tp, int pp, int vpp = 0) {
  std::vector<std::string> out{fmt::format("model.tensor_model_parallel_size={}", tp),
                               fmt::format("model.sequence_parallel={}", tp > 1 ? "true" : "false"),
                               fmt::format("model.pipeline_model_parallel_size={}", pp)};
  if (pp > 1) out.push_back("model.pipeline_dtype=torch.bfloat16");
  if (vpp > 1) out.push_back(fmt::format("model.virtual_pipeline_model_parallel_size={}", vpp));
  return out;
}

std::vector<std::string> operator+(std::vector<std::string> a, const std::vector<std::string>& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

}  // namespace

TEST_CASE("the parts of a step add up") {
  const StepTime t = step(llama, layout(4, 4, 5));
  double sum = 0;
  for (const double part : t.parts) {
    CHECK(part >= 0);
    sum += part;
  }
  CHECK(sum == Approx(t.total));
  CHECK(t.total > 1);
  CHECK(t.total < 20);
}

TEST_CASE("a config against itself is 1 without doubt, and ratios are reciprocal") {
  const StepTime a = step(llama, layout(4, 4, 5)), b = step(llama, layout(8, 4, 5));
  const auto same = cost::ratio(a, a);
  CHECK(same.value == 1);
  CHECK(same.low == 1);
  CHECK(same.high == 1);
  CHECK(cost::ratio(a, b).value == Approx(1 / cost::ratio(b, a).value));
  CHECK(cost::ratio(a, b).low < cost::ratio(a, b).value);
}

TEST_CASE("recompute costs what it replays") {
  const auto at = layout(4, 4, 5);
  const double none = step(llama, at).total;
  const double mlp = step(llama, at + std::vector<std::string>{"model.recompute_granularity=selective",
                                                               "model.recompute_modules=[mlp]"})
                         .total;
  const double full = step(llama, at + std::vector<std::string>{"model.recompute_granularity=full",
                                                                "model.recompute_method=uniform",
                                                                "model.recompute_num_layers=1"})
                          .total;
  CHECK(none < mlp);
  CHECK(mlp < full);
  CHECK(full / none > 1.2);
  CHECK(full / none < 1.45);
  const double some = step(llama, at + std::vector<std::string>{"model.recompute_granularity=full",
                                                                "model.recompute_method=block",
                                                                "model.recompute_num_layers=1"})
                          .total;
  CHECK(none < some);
  CHECK(some < full);
}

TEST_CASE("virtual stages shrink the bubble, more micro-batches its share") {
  const StepTime one = step(llama, layout(4, 4)), five = step(llama, layout(4, 4, 5));
  CHECK(five.of(Part::bubble) < 0.5 * one.of(Part::bubble));
  const StepTime large = step(llama, layout(4, 4) + std::vector<std::string>{"train.global_batch_size=1024"});
  CHECK(large.of(Part::bubble) / large.total < one.of(Part::bubble) / one.total);
}

TEST_CASE("more ranks do the same batch sooner, other formats sooner still") {
  CHECK(step(llama, layout(4, 4), 128).total < 0.65 * step(llama, layout(4, 4), 64).total);
  const auto fp8 =
      layout(4, 4) + std::vector<std::string>{"mixed_precision=bf16_with_fp8_current_scaling_mixed"};
  CHECK(step(llama, fp8).total < 0.9 * step(llama, layout(4, 4)).total);
  CHECK(step(llama, layout(4, 4), 64, "gb200").total < 0.7 * step(llama, layout(4, 4)).total);
}

TEST_CASE("tensor parallelism over the network is slow") {
  CHECK(step(llama, layout(16, 4)).of(Part::tensor) > 2 * step(llama, layout(8, 4)).of(Part::tensor));
}

TEST_CASE("the exchange of experts leaves the node, hides, and comes once per rank with a fused dispatcher") {
  const auto experts = [](int ep, std::vector<std::string> more = {}) {
    more.insert(more.end(), {fmt::format("model.expert_model_parallel_size={}", ep),
                             "model.moe_grouped_gemm=true", "model.moe_permute_fusion=true"});
    return step(qwen, more);
  };
  const std::vector<std::string> all{"model.moe_token_dispatcher_type=alltoall"},
      flex{"model.moe_token_dispatcher_type=flex"},
      hidden{"model.moe_token_dispatcher_type=alltoall", "model.overlap_moe_expert_parallel_comm=true"};
  CHECK(experts(16, all).of(Part::exchange) > 2 * experts(8, all).of(Part::exchange));
  CHECK(experts(16, flex).of(Part::exchange) < experts(16, all).of(Part::exchange));
  CHECK(experts(16, hidden).total < experts(16, all).total);
}

TEST_CASE("graphs take the host out of the way; offload brings it in") {
  const std::vector<std::string> at{"model.expert_model_parallel_size=8", "model.moe_grouped_gemm=true",
                                    "model.moe_token_dispatcher_type=alltoall"};
  const double eager = step(qwen, at).total;
  CHECK(step(qwen, at + std::vector<std::string>{"model.cuda_graph_impl=transformer_engine",
                                                 "model.cuda_graph_modules=[attn]"})
            .total < eager);
  CHECK(step(qwen, at + std::vector<std::string>{"optimizer.optimizer_cpu_offload=true",
                                                 "optimizer.optimizer_offload_fraction=0.5"})
            .of(Part::optimizer) > 2 * step(qwen, at).of(Part::optimizer));
  const auto moved =
      step(llama, layout(8, 1) + std::vector<std::string>{"model.cpu_offloading=true",
                                                          "model.cpu_offloading_num_layers=40"});
  CHECK(moved.total >= step(llama, layout(8, 1)).total);
}

TEST_CASE("activations of few layers travel beside all layers") {
  const auto offloaded = [](const std::string& layers, const std::string& gpu) {
    const auto at = layout(1, 1) + std::vector<std::string>{"model.cpu_offloading=true",
                                                            "model.cpu_offloading_num_layers=" + layers};
    return step(llama, at, 64, gpu);
  };
  // A quarter of the layers over NVLink-C2C is done long before the last layer is; over PCIe nothing hides
  // all.
  CHECK(offloaded("20", "gb200").of(Part::host) == 0);
  CHECK(offloaded("79", "b200").of(Part::host) > 0.2 * offloaded("79", "b200").total);
  CHECK(offloaded("79", "gb200").of(Part::host) < 0.5 * offloaded("79", "b200").of(Part::host));
}

TEST_CASE("what is gathered for a quantised product is quantised before, what is reduced is not") {
  const auto exchanged = [](const std::string& precision) {
    return step(llama, layout(4, 1) + std::vector<std::string>{"mixed_precision=" + precision}, 64, "gb200")
        .of(Part::tensor);
  };
  const double bf16 = exchanged("bf16_mixed"), fp8 = exchanged("bf16_with_mxfp8_mixed"),
               fp4 = exchanged("bf16_with_nvfp4_mixed");
  CHECK(fp8 < bf16);
  CHECK(fp4 < fp8);
  CHECK(fp4 > 0.5 * bf16);
}
