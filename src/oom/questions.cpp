#include "questions.hpp"

namespace headroom::oom {
namespace {

constexpr std::size_t most = 5;

bool about_settings(Cause cause) {
  return cause != Cause::not_memory && cause != Cause::other_process && cause != Cause::memory_cap &&
         cause != Cause::unknown;
}

}  // namespace

void ask(Diagnosis& d, const RunContext& run) {
  const auto add = [&](std::string key, std::string text, std::string otherwise, bool assumed = false) {
    if (d.questions.size() < most)
      d.questions.push_back({std::move(key), std::move(text), std::move(otherwise), assumed});
  };
  if (d.cause == Cause::not_memory) return;
  const bool memory = d.cause != Cause::unknown;
  if (!memory) add("log", "Where is the log of the rank that failed first?", "none");
  if (memory && d.phase == LogPhase::unknown && d.kind == "allocator")
    add("phase",
        "In which part of the run did it fail: model-build, forward, backward, optimizer-init, "
        "checkpoint-save?",
        "unknown");
  if (!about_settings(d.cause)) return;
  if (run.config == nullptr) {
    add("config", "Which config did it run with?", "none");
    return;
  }
  if (!run.config->launch.gpus) add("gpus", "How many GPUs did the run use?", "8", true);
  if (run.config->launch.gpu == nullptr && !run.config->launch.gpu_memory_bytes)
    add("gpu", "Which GPU kind was it?", "h100", true);
  if (!run.config->launch.env_complete && d.cause == Cause::fragmentation)
    add("env.PYTORCH_CUDA_ALLOC_CONF", "What was PYTORCH_CUDA_ALLOC_CONF set to?", "unset");
  if (d.cause == Cause::host_memory) add("host_memory", "How much memory does a node have?", "unknown");
}

}  // namespace headroom::oom
