// Whose memory it is: real snapshots, and stacks of other kinds.
#include <catch2/catch.hpp>

#include "headroom/snapshot/story.hpp"
#include "support.hpp"

namespace headroom::snapshot::test {
namespace {

const schema::LogTable& frames() {
  return schema::embedded_log_table();
}
const schema::OwnerTable& table() {
  return schema::embedded_owner_table();
}

std::uint64_t bytes(const DeviceStory& story, MemoryUse use) {
  return story.uses[static_cast<std::size_t>(use)];
}

/// A snapshot with one block for each stack; frames innermost first.
struct Stacks {
  Snapshot snapshot;
  void add(std::uint64_t size,
           const std::vector<std::tuple<std::string, std::uint32_t, std::string>>& stack) {
    for (const auto& [file, line, function] : stack) {
      snapshot.frames.push_back({text(file), text(function), line});
      snapshot.stack_frames.push_back(static_cast<std::uint32_t>(snapshot.frames.size() - 1));
    }
    snapshot.stack_ends.push_back(snapshot.stack_frames.size());
    Segment segment;
    segment.bytes = size;
    segment.address = snapshot.segments.size() << 30U;
    segment.first_block = static_cast<std::uint32_t>(snapshot.blocks.size());
    segment.block_count = 1;
    snapshot.segments.push_back(segment);
    snapshot.blocks.push_back({segment.address, size, size, static_cast<StackId>(snapshot.stack_count() - 1),
                               BlockState::allocated});
  }
  TextId text(const std::string& text) {
    for (TextId id = 0; id + 1 < snapshot.text_ends.size(); ++id)
      if (snapshot.text(id) == text) return id;
    snapshot.characters += text;
    snapshot.text_ends.push_back(snapshot.characters.size());
    return static_cast<TextId>(snapshot.text_ends.size() - 2);
  }
  [[nodiscard]] Owner first() const {
    const Story story = tell(snapshot, frames(), table());
    return story.main()->owners.front();
  }
};

const std::string mcore = "/opt/mcore/megatron/core/";
const std::string site = "/usr/lib/python3/dist-packages/";

}  // namespace

TEST_CASE("a healthy run at its peak") {
  const auto read = snapshot::read(file("snap-good.pickle"), "x");
  REQUIRE(read);
  const Story story = tell(*read, frames(), table());
  REQUIRE(story.main() != nullptr);
  const DeviceStory& device = *story.main();
  CHECK(device.moment == Moment::peak);
  CHECK_FALSE(device.failure);
  CHECK(device.live == device.history.peak);
  // 93.7 million parameters: weights in 2 bytes, gradients and main parameters in 4, moments in 8.
  CHECK(bytes(device, MemoryUse::weights) == Approx(187.4e6).epsilon(0.01));
  CHECK(bytes(device, MemoryUse::gradients) == Approx(375e6).epsilon(0.01));
  CHECK(bytes(device, MemoryUse::optimizer) == Approx(1125e6).epsilon(0.01));
  CHECK(bytes(device, MemoryUse::unknown) < 1000);
  const Places places(*read, frames(), table(), device.groups);
  const Owner& largest = device.owners.front();
  CHECK(largest.place.phase == LogPhase::optimizer_init);
  CHECK(largest.place.module == "moments");
  CHECK(largest.count == 78);
  CHECK(places.short_path(*largest.place.frame) == "torch/optim/adam.py");
}

TEST_CASE("failures name what lived, and where the request came from") {
  const auto optimizer = snapshot::read(file("snap-oom-optimizer.pickle"), "x");
  REQUIRE(optimizer);
  const Story first = tell(*optimizer, frames(), table());
  CHECK(first.main()->moment == Moment::failure);
  CHECK(first.main()->failure->tried == 262144000);
  CHECK(first.main()->failed_at.module == "logits");
  CHECK(first.main()->failed_at.phase == LogPhase::forward);
  CHECK(bytes(*first.main(), MemoryUse::weights) == Approx(309e6).epsilon(0.01));
  CHECK(bytes(*first.main(), MemoryUse::gradients) == Approx(618e6).epsilon(0.01));
  CHECK(bytes(*first.main(), MemoryUse::logits) == Approx(131e6).epsilon(0.05));

  const auto unfused = snapshot::read(file("snap-oom-unfused.pickle"), "x");
  REQUIRE(unfused);
  const Story second = tell(*unfused, frames(), table());
  CHECK(second.main()->failed_at.module == "attention-scores");
  CHECK(bytes(*second.main(), MemoryUse::activations) > 1100000000);
}

TEST_CASE("lines of one function are told apart by their order") {
  Stacks both;
  const std::string buffer = mcore + "distributed/param_and_grad_buffer.py";
  const std::string ddp = mcore + "distributed/distributed_data_parallel.py";
  both.add(1, {{buffer, 1144, "__init__"}, {ddp, 1, "__init__"}});
  both.add(200, {{buffer, 1176, "__init__"}, {ddp, 1, "__init__"}});
  both.add(400, {{buffer, 1182, "__init__"}, {ddp, 1, "__init__"}});
  const Story story = tell(both.snapshot, frames(), table());
  CHECK(bytes(*story.main(), MemoryUse::weights) == 200);
  CHECK(bytes(*story.main(), MemoryUse::gradients) == 401);
  Stacks one;  // without a distributed optimizer there is no parameter buffer
  one.add(400, {{buffer, 1182, "__init__"}, {ddp, 1, "__init__"}});
  CHECK(one.first().place.use == MemoryUse::gradients);
}

TEST_CASE("stacks of other kinds") {
  struct Row {
    std::vector<std::tuple<std::string, std::uint32_t, std::string>> stack;
    MemoryUse use;
    LogPhase phase;
    std::string owner;
  };
  const std::string te = site + "transformer_engine/pytorch/";
  const std::vector<Row> rows{
      {{}, MemoryUse::unknown, LogPhase::unknown, ""},
      {{{mcore + "tensor_parallel/layers.py", 5, "forward"},
        {mcore + "models/gpt/gpt_model.py", 6, "forward"},
        {mcore + "pipeline_parallel/schedules.py", 7, "forward_step"}},
       MemoryUse::logits,
       LogPhase::forward,
       "megatron/core/tensor_parallel/layers.py"},
      {{{mcore + "tensor_parallel/layers.py", 5, "forward"},
        {mcore + "models/common/embeddings/language_model_embedding.py", 6, "forward"}},
       MemoryUse::activations,
       LogPhase::forward,
       "megatron/core/tensor_parallel/layers.py"},
      {{{te + "optimizers/fused_adam.py", 1, "_initialize_state"},
        {te + "optimizers/fused_adam.py", 2, "step"}},
       MemoryUse::optimizer,
       LogPhase::optimizer_init,
       "transformer_engine/pytorch/optimizers/fused_adam.py"},
      {{{mcore + "pipeline_parallel/p2p_communication.py", 1, "create_tensor_recv_prev"}},
       MemoryUse::communication,
       LogPhase::forward,
       "megatron/core/pipeline_parallel/p2p_communication.py"},
      {{{"??", 0, "at::cuda::getCUDABlasLtWorkspace()"},
        {"aten/src/ATen/cuda/Blas.cpp", 9, "at::addmm"},
        {mcore + "tensor_parallel/layers.py", 5, "forward"}},
       MemoryUse::workspace,
       LogPhase::unknown,
       "megatron/core/tensor_parallel/layers.py"},
      {{{"Engine.cpp", 1, "torch::autograd::Engine::evaluate_function"}, {"??", 0, "clone"}},
       MemoryUse::activations,
       LogPhase::backward,
       "Engine.cpp"},
      {{{"/repo/train.py", 3, "my_function"}}, MemoryUse::unknown, LogPhase::unknown, "/repo/train.py"},
      {{{"/a/b/c/d/train.py", 3, "get_batch"}}, MemoryUse::other, LogPhase::data, "c/d/train.py"},
      {{{site + "torch/nn/modules/module.py", 1, "_apply"}, {"/x/training.py", 2, "get_model"}},
       MemoryUse::weights,
       LogPhase::model_build,
       "/x/training.py"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.owner, row.stack.size());
    Stacks made;
    made.add(100, row.stack);
    const Story story = tell(made.snapshot, frames(), table());
    const Owner& owner = story.main()->owners.front();
    CHECK(owner.place.use == row.use);
    CHECK(owner.place.phase == row.phase);
    const Places places(made.snapshot, frames(), table(), story.main()->groups);
    CHECK((owner.place.frame ? places.short_path(*owner.place.frame) : "") == row.owner);
  }
}

TEST_CASE("memory of a graph's pool is the graph's, that of NCCL's pool what it is for") {
  const std::string buffer = mcore + "distributed/param_and_grad_buffer.py";
  Stacks activation, gradient;
  activation.add(100, {{mcore + "transformer/mlp.py", 5, "forward"}});
  gradient.add(100, {{buffer, 1182, "__init__"}});
  const auto use = [](Stacks& stacks, PoolId pool) {
    stacks.snapshot.segments[0].pool = pool;
    return stacks.first().place.use;
  };
  CHECK(use(activation, {2, 0}) == MemoryUse::graphs);
  CHECK(use(activation, {0, 2}) == MemoryUse::graphs);
  CHECK(use(activation, {0, 0}) == MemoryUse::activations);
  CHECK(use(gradient, {0, 2}) == MemoryUse::gradients);
  CHECK(use(gradient, {2, 0}) == MemoryUse::graphs);
}

TEST_CASE("two snapshots: owners that changed most come first") {
  const auto before = snapshot::read(file("snap-oom-unfused.pickle"), "x");
  const auto after = snapshot::read(file("snap-good.pickle"), "x");
  REQUIRE(before);
  REQUIRE(after);
  const Story then = tell(*before, frames(), table());
  const Story now = tell(*after, frames(), table());
  const auto compared = compare({*before, then}, {*after, now}, frames(), table());
  REQUIRE(compared.size() == 1);
  std::uint64_t sum_before = 0, sum_after = 0;
  for (const Change& change : compared[0].changes) {
    sum_before += change.before;
    sum_after += change.after;
  }
  CHECK(sum_before == then.main()->live);
  CHECK(sum_after == now.main()->live);
  REQUIRE(compared[0].changes.size() > 2);
  CHECK(std::abs(compared[0].changes[0].grown()) >= std::abs(compared[0].changes[1].grown()));
  // The moments are new, the attention scores are gone; both are among the first.
  CHECK(std::any_of(compared[0].changes.begin(), compared[0].changes.begin() + 3, [](const Change& change) {
    return change.place.module == "moments" && change.before == 0 && change.after > 700000000;
  }));
  const auto same = compare({*after, now}, {*after, now}, frames(), table());
  CHECK(same[0].changes[0].grown() == 0);
}

}  // namespace headroom::snapshot::test
