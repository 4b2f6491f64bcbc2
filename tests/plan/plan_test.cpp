#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <random>

#include "../../src/plan/ranking.hpp"
#include "support.hpp"

using namespace headroom;
using test::PlanInput;

namespace {

constexpr const char* dense = R"(
headroom: {gpus: 32, gpu: h100, env: {}}
model: {num_layers: 32, hidden_size: 4096, ffn_hidden_size: 14336, num_attention_heads: 32, num_query_groups: 8,
  gated_linear_unit: true, add_bias_linear: false, normalization: RMSNorm, vocab_size: 128256, seq_length: 8192,
  tensor_model_parallel_size: 2, sequence_parallel: true, share_embeddings_and_output_weights: false,
  position_embedding_type: rope}
train: {micro_batch_size: 1, global_batch_size: 128, train_iters: 100}
ddp: {use_distributed_optimizer: true}
optimizer: {optimizer: adam, use_distributed_optimizer: true}
mixed_precision: bf16_mixed
)";

constexpr const char* moe = R"(
headroom: {gpus: 64, gpu: h100, env: {}}
model: {num_layers: 27, hidden_size: 2048, ffn_hidden_size: 11264, num_attention_heads: 16, vocab_size: 163840,
  seq_length: 4096, num_moe_experts: 64, moe_router_topk: 6, moe_ffn_hidden_size: 1408, gated_linear_unit: true,
  add_bias_linear: false, normalization: RMSNorm, moe_token_dispatcher_type: alltoall, moe_grouped_gemm: true,
  moe_router_load_balancing_type: aux_loss, expert_model_parallel_size: 8, expert_tensor_parallel_size: 1,
  multi_latent_attention: true, _target_: megatron.bridge.models.mla_provider.MLAModelProvider,
  share_embeddings_and_output_weights: false, position_embedding_type: rope}
train: {micro_batch_size: 1, global_batch_size: 512, train_iters: 100}
ddp: {use_distributed_optimizer: true}
optimizer: {optimizer: adam, use_distributed_optimizer: true}
mixed_precision: bf16_mixed
)";

/// Everything that a sweep makes, for looking at single candidates.
struct Swept {
  PlanInput input;
  plan::Space space;
  plan::Policies policies;
  std::unique_ptr<plan::Graph> graph;
  std::unique_ptr<plan::Shapes> shapes;
  plan::SweepInput sweep;

  explicit Swept(const std::string& text)
      : input(test::lint_text(text)), space(plan::make_space(input.request)) {
    policies = plan::make_policies(space);
    std::vector<plan::GraphAxis> axes;
    for (const auto& axis : space.layout) {
      axes.emplace_back();
      for (const auto& c : axis.choices) axes.back().push_back(&c.entries);
    }
    axes.emplace_back();
    for (const auto& e : policies.entries) axes.back().push_back(&e);
    graph = std::make_unique<plan::Graph>(input.request, space.before, std::move(axes));
    shapes = std::make_unique<plan::Shapes>(input.request, space, policies.activations, policies.states,
                                            policies.allocator);
    sweep = {&input.request, &space, &policies, graph.get(), shapes.get(), shapes->given().shape.capacity};
  }
};

}  // namespace

TEST_CASE("the graph of rules gives the verdict of the rules") {
  for (const char* text : {dense, moe}) {
    Swept s(text);
    plan::Legality legality(*s.graph);
    plan::Found none;
    const plan::Ranking ranking(s.sweep, none);
    std::mt19937 random(7);
    std::size_t legal = 0, illegal = 0;
    for (int n = 0; n < 300; ++n) {
      const rules::Rule* broken = nullptr;
      std::uint32_t layout = 0;
      for (std::size_t a = 0; a < s.space.layout.size(); ++a) {
        const auto count = static_cast<std::uint32_t>(s.space.layout[a].choices.size());
        // Half of the time as given: otherwise hardly any layout is legal.
        const std::uint32_t c = random() % 2 == 0 ? 0 : static_cast<std::uint32_t>(random() % count);
        layout = layout * count + c;
        if (const auto* rule = legality.choose(a, c); rule != nullptr && broken == nullptr) broken = rule;
      }
      const auto policy = static_cast<std::uint32_t>(random() % s.policies.parts.size());
      const bool allowed = broken == nullptr && legality.policies(nullptr).contains(policy);
      const rules::Fix change = ranking.change_of({0, 0, 0, layout, policy});
      const auto full = plan::check_in_full(change, s.input.request.bench);
      if (!full) continue;
      std::string words;
      for (const auto& [field, value] : change.set) words += field + "=" + value.to_text() + " ";
      INFO(words << fmt::format("{}", fmt::join(full->errors, ", "))
                 << (broken ? std::string(broken->id) : ""));
      CHECK(allowed == full->legal);
      ++(full->legal ? legal : illegal);
    }
    CHECK(legal > 20);
    CHECK(illegal > 20);
  }
}

TEST_CASE("a candidate's memory and time are those of its config") {
  for (const char* text : {dense, moe}) {
    Swept s(text);
    plan::Found found = plan::sweep(s.sweep);
    REQUIRE(found.candidates.size() > 100);
    const plan::Ranking ranking(s.sweep, found);
    std::mt19937 random(11);
    for (int n = 0; n < 100; ++n) {
      const plan::Candidate& c = found.candidates[random() % found.candidates.size()];
      const rules::Fix change = ranking.change_of(c);
      const auto full = plan::check_in_full(change, s.input.request.bench);
      REQUIRE(full);
      std::string words;
      for (const auto& [field, value] : change.set) words += field + "=" + value.to_text() + " ";
      INFO(words);
      CHECK(full->legal);
      CHECK(c.used == Approx(full->memory.used).epsilon(1e-6));
      CHECK(c.peak == Approx(full->memory.peak().peak).epsilon(1e-6));
      CHECK(c.time == Approx(full->time.total).epsilon(0.02));
    }
  }
}

TEST_CASE("threads change nothing") {
  Swept s(moe);
  const plan::Found one = plan::sweep(s.sweep);
  s.input.request.threads = 2;
  const plan::Found two = plan::sweep(s.sweep);
  CHECK(one.searched == two.searched);
  CHECK(one.legal == two.legal);
  CHECK(one.broken == two.broken);
  REQUIRE(one.candidates.size() == two.candidates.size());
  for (std::size_t i = 0; i < one.candidates.size(); ++i) {
    CHECK(one.candidates[i].time == two.candidates[i].time);
    CHECK(one.candidates[i].layout == two.candidates[i].layout);
    CHECK(one.candidates[i].policy == two.candidates[i].policy);
  }
}

TEST_CASE("plans pass the checks, fit, and are ordered") {
  PlanInput input(test::lint_text(dense));
  const auto result = plan::search(input.request);
  REQUIRE(result);
  REQUIRE_FALSE(result->plans.empty());
  CHECK(result->searched >= result->legal);
  CHECK(result->legal >= result->fitting);
  CHECK(result->given.legal);
  double last = 0;
  for (const auto& p : result->plans) {
    const auto full = plan::check_in_full(p.change, input.request.bench);
    REQUIRE(full);
    CHECK(full->legal);
    CHECK(full->memory.used <= result->capacity);
    CHECK(p.time.value >= last * 0.99);
    last = p.time.value;
    // The job is the same.
    for (const auto& [field, value] : p.change.set) {
      CHECK(field != "train.global_batch_size");
      CHECK(field != "model.seq_length");
      CHECK(field != "mixed_precision");
    }
  }
  for (std::size_t i = 1; i < result->pareto.size(); ++i) {
    CHECK(result->pareto[i].used < result->pareto[i - 1].used);
    CHECK(result->pareto[i].time.value >= result->pareto[i - 1].time.value * 0.99);
  }
}

TEST_CASE("the smallest change that fits, in the order of the advice") {
  SECTION("expandable segments where only gaps are in the way") {
    PlanInput input(test::lint_text(dense));
    const auto free = plan::search(input.request);
    REQUIRE(free);
    // The device holds the run with expandable segments only.
    const auto full = plan::check_in_full({}, input.request.bench);
    memory::Shape shape = full->run.shape;
    shape.expandable_segments = true;
    const double with = memory::peaks(shape).used, without = full->memory.used;
    REQUIRE(with < without);
    input.outcome.config.launch.gpu_memory_bytes = static_cast<std::uint64_t>((with + without) / 2);
    input.request.fit = true;
    const auto result = plan::search(input.request);
    REQUIRE(result);
    REQUIRE_FALSE(result->plans.empty());
    CHECK_FALSE(result->given.fits);
    CHECK(result->plans.front().change.set.empty());
    REQUIRE_FALSE(result->plans.front().change.env.empty());
    CHECK(result->plans.front().change.env.front().first == "PYTORCH_CUDA_ALLOC_CONF");
  }
  SECTION("virtual stages are no way to save memory, and tensor parallelism comes last") {
    PlanInput input(test::lint_text(dense));
    const auto full = plan::check_in_full({}, input.request.bench);
    input.outcome.config.launch.gpu_memory_bytes = static_cast<std::uint64_t>(0.8 * full->memory.used);
    input.request.fit = true;
    input.request.top = 40;
    const auto result = plan::search(input.request);
    REQUIRE(result);
    REQUIRE(result->plans.size() > 3);
    bool tensor = false;
    unsigned changes = 0;
    for (const auto& p : result->plans) {
      bool virtual_size = false, stages = false, own_tensor = false;
      for (const auto& [field, value] : p.change.set) {
        virtual_size |= field == "model.virtual_pipeline_model_parallel_size" && !value.is_null();
        stages |= field == "model.pipeline_model_parallel_size";
        own_tensor |= field == "model.tensor_model_parallel_size";
      }
      CHECK((!virtual_size || stages));
      const auto now = static_cast<unsigned>(p.choices.size()) + (own_tensor ? 1 : 0) + (stages ? 1 : 0);
      if (now == changes && tensor) CHECK(own_tensor);
      tensor = now == changes ? own_tensor : false;
      changes = now;
    }
  }
}

TEST_CASE("plans keep to the host's memory") {
  PlanInput input(test::lint_text(dense));
  input.request.fit = true;
  input.request.top = 200;
  const auto offloads = [&] {
    const auto result = plan::search(input.request);
    REQUIRE(result);
    return std::any_of(result->plans.begin(), result->plans.end(), [](const auto& p) { return p.host > 0; });
  };
  CHECK(offloads());
  input.outcome.config.launch.host_memory_bytes = 1'000'000;
  CHECK_FALSE(offloads());
}

TEST_CASE("what a plan needs to know is asked for") {
  auto text = std::string(dense);
  text.replace(text.find("gpus: 32, "), 10, "");
  PlanInput no_gpus(test::lint_text(text));
  const auto result = plan::search(no_gpus.request);
  REQUIRE_FALSE(result);
  CHECK(result.error().message.find("--gpus") != std::string::npos);
}

TEST_CASE("an error that no choice repairs is named") {
  auto text = std::string(dense);
  text.replace(text.find("seq_length: 8192"), 16, "seq_length: 8192, num_moe_experts: 4, moe_router_topk: 8");
  PlanInput input(test::lint_text(text));
  const auto result = plan::search(input.request);
  REQUIRE(result);
  CHECK(result->plans.empty());
  CHECK_FALSE(result->errors.empty());
}

TEST_CASE("a plan leaves no setting behind that it made useless") {
  auto text = std::string(moe);
  text.replace(text.find("optimizer: {optimizer: adam"), 27,
               "optimizer: {optimizer: adam, optimizer_cpu_offload: true, optimizer_offload_fraction: 0.5, "
               "overlap_cpu_optimizer_d2h_h2d: true, use_precision_aware_optimizer: true");
  PlanInput input(test::lint_text(text));
  const auto result = plan::search(input.request);
  REQUIRE(result);
  REQUIRE_FALSE(result->plans.empty());
  const auto before = plan::check_in_full({}, input.request.bench);
  REQUIRE(before);
  bool without_offload = false;
  for (const auto* plans : {&result->plans, &result->pareto})
    for (const auto& p : *plans) {
      const auto full = plan::check_in_full(p.change, input.request.bench);
      REQUIRE(full);
      for (const auto& d : full->ignored) UNSCOPED_INFO(d.rule << ": " << d.message);
      CHECK(full->ignored.size() <= before->ignored.size());
      for (const auto& [field, value] : p.change.set)
        without_offload |= field == "optimizer.optimizer_cpu_offload" && !value.truthy();
    }
  CHECK(without_offload);
}

TEST_CASE("no run is planned twice in other words") {
  // Expert tensor ranks that nobody wrote follow the tensor ranks: with one of those they are one.
  auto text = std::string(moe);
  text.replace(text.find("expert_tensor_parallel_size: 1,"), 31, "tensor_model_parallel_size: 2,");
  text.replace(text.find("num_layers: 27"), 14,
               "num_layers: 26, pipeline_model_parallel_size: 2, pipeline_dtype: bf16, "
               "pipeline_model_parallel_layout: 'Et*13|t*13L', sequence_parallel: true");
  PlanInput input(test::lint_text(text));
  input.request.top = 60;
  const auto result = plan::search(input.request);
  REQUIRE(result);
  REQUIRE(result->plans.size() > 20);
  bool one_expert_rank = false;
  for (std::size_t i = 0; i < result->plans.size(); ++i) {
    const plan::Layout& a = result->plans[i].layout;
    one_expert_rank |= a.tp > 1 && a.etp == 1;
    for (std::size_t j = 0; j < i; ++j) {
      const plan::Layout& b = result->plans[j].layout;
      INFO(fmt::format("{} and {}", j + 1, i + 1));
      CHECK_FALSE((a.tp == b.tp && a.pp == b.pp && a.vpp == b.vpp && a.cp == b.cp && a.ep == b.ep &&
                   a.etp == b.etp && a.micro_batch == b.micro_batch &&
                   result->plans[i].used == result->plans[j].used));
    }
  }
  CHECK(one_expert_rank);
}
