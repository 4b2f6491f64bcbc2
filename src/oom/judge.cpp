#include "judge.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::oom {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

std::string size(double bytes) {
  return bytes < gib ? fmt::format("{:.0f} MiB", bytes / (1024 * 1024))
                     : fmt::format("{:.2f} GiB", bytes / gib);
}

/// What the driver keeps for itself, and what a context and communicators of a process take outside of the
/// allocator.
constexpr double driver_share = 1.0 * gib, context_share = 3.0 * gib;
/// Free memory inside the allocator below this share of the device is the rounding of any run.
constexpr double usual_gaps = 0.05, some_gaps = 0.03;

double share(double part, double whole) {
  return whole > 0 ? part / whole : 0;
}

bool expandable(const RunContext& run) {
  return run.shape != nullptr && run.shape->expandable_segments;
}

class Allocator {
 public:
  explicit Allocator(const Case& c)
      : c_(c),
        f_(c.failure.figures),
        limit_(limit_of(f_).value_or(0)),
        gaps_(f_.reserved_unallocated.value_or(0)),
        tried_(f_.tried.value_or(0)),
        allocated_(f_.allocated.value_or(0)) {}

  std::vector<Candidate> run() {
    other_process();
    nesting();
    graph_pool();
    fragmentation();
    by_phase();
    by_states();
    cap();
    return std::move(out_);
  }

 private:
  void say(Cause cause, double confidence, std::string why) {
    out_.push_back({cause, confidence, std::move(why)});
  }

  void other_process() {
    const double others = held_by_others(f_);
    const double device = f_.capacity.value_or(0);
    if (device <= 0 || share(others, device) < 0.02) return;
    const bool enough_without = tried_ <= f_.free.value_or(0) + others;
    const double part = share(others, device);
    const double confidence = !enough_without ? 0.3 : part >= 0.15 ? 0.97 : part >= 0.05 ? 0.9 : 0.3;
    say(Cause::other_process, confidence,
        fmt::format("{} of the {} of the GPU are held by other processes", size(others), size(device)));
  }

  void nesting() {
    const std::uint32_t levels = c_.failure.trace.nested_backward;
    if (levels < 6) return;
    say(Cause::config_conflict, 0.95,
        fmt::format(
            "recomputation calls itself {} levels deep: a checkpointed part returns a tensor that leads back "
            "into another one",
            levels));
  }

  void graph_pool() {
    const double pools = f_.private_pools.value_or(0);
    const double part = share(pools, allocated_);
    const bool capturing = c_.failure.trace.phase == LogPhase::graph_capture;
    if (part >= 0.12)
      say(Cause::cuda_graph_pool, 0.94,
          fmt::format("{} of {} allocated lie in private pools, which captured graphs keep for good",
                      size(pools), size(allocated_)));
    else if (capturing)
      say(Cause::cuda_graph_pool, 0.86, "it failed while CUDA graphs were captured");
    else if (part >= 0.05)
      say(Cause::cuda_graph_pool, 0.35, fmt::format("{} lie in private pools", size(pools)));
  }

  void fragmentation() {
    if (limit_ <= 0 || gaps_ <= 0) return;
    const double beyond = std::max(0.0, is_capped(f_) ? limit_ - allocated_ - gaps_ : f_.free.value_or(0));
    const bool would_fit = tried_ > 0 && gaps_ + beyond >= tried_;
    const double part = share(gaps_, limit_);
    const std::string why = fmt::format(
        "{} are reserved by torch and unused, and the request was {}: it would fit into one piece",
        size(gaps_), size(tried_));
    if (would_fit && part >= usual_gaps)
      say(Cause::fragmentation, std::min(0.96, 0.9 + part / 2), why);
    else if (would_fit && part >= some_gaps)
      say(Cause::fragmentation, 0.35, why);
    else if (part >= 2 * usual_gaps)
      say(Cause::fragmentation, 0.4, fmt::format("{} are reserved by torch and unused", size(gaps_)));
  }

  void by_phase() {
    switch (c_.failure.trace.phase) {
      case LogPhase::optimizer_init:
        return say(Cause::optimizer_init, 0.9,
                   "it failed while the optimizer made its moments in the first step");
      case LogPhase::optimizer_step:
        return optimizer_step();
      case LogPhase::optimizer_build:
        return say(Cause::capacity_states, 0.9,
                   "it failed while the optimizer made its fp32 parameters, before any step");
      case LogPhase::model_build:
        return say(Cause::capacity_states, 0.9,
                   "it failed while parameters or gradient buffers were made, before any step");
      case LogPhase::weight_sync:
      case LogPhase::rollout:
        say(Cause::other_process, 0.3, "a generation engine shares the GPU");
        return say(Cause::capacity_states, 0.6,
                   "it failed while weights and states came back to the GPU beside a generation engine");
      case LogPhase::checkpoint_load:
        return say(Cause::checkpoint, 0.9, "it failed while a checkpoint was loaded");
      case LogPhase::checkpoint_save:
        return say(Cause::checkpoint, 0.9, "it failed while a checkpoint was saved");
      case LogPhase::graph_capture:
        return say(Cause::capacity_activation, 0.3, "activations of the captured layers");
      default:
        return in_a_pass();
    }
  }

  void optimizer_step() {
    if (c_.failure.trace.module == "fp8-weights")
      return say(Cause::fp8_weight_copies, 0.85, "it failed while low-precision copies of weights were made");
    const bool first = c_.iteration <= 1;
    say(Cause::optimizer_init, first ? 0.75 : 0.4, "it failed inside the optimizer step");
    say(Cause::capacity_states, first ? 0.5 : 0.7,
        "weights, gradients and optimizer state leave too little for the step");
  }

  void in_a_pass() {
    const std::string& module = c_.failure.trace.module;
    if (module == "fp8-weights")
      return say(Cause::fp8_weight_copies, 0.87, "it failed while a low-precision copy of a weight was made");
    const bool phase_known =
        c_.failure.trace.phase == LogPhase::forward || c_.failure.trace.phase == LogPhase::backward;
    if (!phase_known && module.empty()) return without_a_trace();
    if (module == "logits") return logits();
    if (module == "experts" || module == "dispatcher" || module == "router" || module == "shared-experts")
      experts();
    say(Cause::capacity_activation, 0.8,
        fmt::format("it failed in the {} pass{}",
                    c_.failure.trace.phase == LogPhase::backward ? "backward" : "forward",
                    module.empty() ? "" : ", in " + module));
  }

  /// The vocabulary's share against that of the layers: a request of logits size that comes last need not be
  /// what filled the memory.
  void logits() {
    const double live = c_.stage == nullptr ? 0 : c_.stage->logits;
    const bool layers_weigh_more = c_.stage != nullptr && c_.stage->activations > live;
    const bool states_weigh_most =
        c_.stage != nullptr && c_.stage->static_bytes > 2.5 * (live + c_.stage->activations);
    const std::string why = "it failed in the loss, whose tensors have one value for each token and word";
    if (states_weigh_most && is_capped(f_)) {
      say(Cause::capacity_states, 0.5,
          "weights, gradients and optimizer state fill most of what the process may have");
      say(Cause::logits, 0.45, why);
      return;
    }
    say(Cause::logits, layers_weigh_more ? 0.4 : 0.85, why);
    say(Cause::capacity_activation, layers_weigh_more ? 0.8 : 0.4,
        layers_weigh_more ? "it failed in the loss, on top of activations of the layers that weigh more"
                          : "activations lie below");
  }

  void experts() {
    double points = 0;
    std::string why = "it failed in the experts";
    const auto& last = c_.log.last_iteration;
    if (last && last->load_balancing_loss && *last->load_balancing_loss > 1.5) {
      points += 0.25;
      why += fmt::format(", the balancing loss is {:.2f} (1 is even)", *last->load_balancing_loss);
    }
    for (const MemoryReport& r : c_.log.reports) {
      if (r.rank == c_.failure.rank || !r.max_allocated || limit_ <= 0) continue;
      if (allocated_ + tried_ - *r.max_allocated < 0.12 * limit_) continue;
      points += 0.25;
      why += fmt::format(", while rank {} never had more than {} allocated", r.rank.value_or(0),
                         size(*r.max_allocated));
      break;
    }
    if (c_.iteration >= 20) {
      points += 0.2;
      why += fmt::format(", after {} iterations that fitted", c_.iteration);
    }
    const auto world = c_.log.layout.world;
    if (world && *world >= 8 && c_.log.failed_ranks * 4 <= static_cast<std::uint64_t>(*world)) points += 0.1;
    if (points >= 0.2) say(Cause::moe_imbalance, std::min(0.95, 0.62 + points), why);
    if (points == 0 && c_.failure.trace.phase == LogPhase::forward)
      say(Cause::moe_imbalance, 0.3, "experts with more tokens than others need more");
  }

  void without_a_trace() {
    if (!c_.tensors.empty() && c_.tensors.front().name == "logits")
      say(Cause::logits, 0.5, "the request has the size of the logits");
    const bool began = c_.iteration >= 1;
    say(Cause::capacity_activation, began ? 0.55 : 0.45, "nothing says in which part of a step it failed");
    say(Cause::capacity_states, began ? 0.2 : 0.35, "nothing says in which part of a step it failed");
  }

  /// A ledger that puts the states alone near the limit outweighs the place where the last tensor was asked
  /// for.
  void by_states() {
    if (c_.stage == nullptr || limit_ <= 0) return;
    const double states = c_.stage->weights + c_.stage->gradients + c_.stage->optimizer;
    if (states < 0.85 * limit_) return;
    say(Cause::capacity_states, c_.failure.trace.phase <= LogPhase::gradient_sync ? 0.88 : 0.6,
        fmt::format("weights, gradients and optimizer state alone need {} of {}", size(states),
                    size(limit_)));
  }

  void cap() {
    if (!is_capped(f_)) return;
    const LogPhase phase = c_.failure.trace.phase;
    const bool clear =
        phase > LogPhase::gradient_sync;  // building a model or an optimizer needs no second reason
    const bool states = !clear && std::any_of(out_.begin(), out_.end(), [](const Candidate& k) {
      return k.cause == Cause::capacity_states && k.why.starts_with("weights, gradients");
    });
    const bool in_the_dark = phase == LogPhase::unknown || (c_.stage == nullptr && !clear);
    const double confidence = states ? 0.92 : in_the_dark ? 0.89 : 0.5;
    say(Cause::memory_cap, confidence,
        fmt::format("the process may have {} and the GPU had {} free: a cap set on the process "
                    "(set_per_process_memory_fraction, per_process_memory_fraction) ended it",
                    size(*f_.allowed), size(f_.free.value_or(0))));
  }

  const Case& c_;
  const AllocatorFigures& f_;
  double limit_, gaps_, tried_, allocated_;
  std::vector<Candidate> out_;
};

void judge_nccl(const Case& c, std::vector<Candidate>& out) {
  double reserved = 0, live = 0;
  for (const MemoryReport& r : c.log.reports) {
    reserved = std::max(reserved, r.max_reserved.value_or(r.reserved.value_or(0)));
    live = std::max(live, r.max_allocated.value_or(0));
  }
  std::string why = "NCCL allocates its buffers outside of torch and found nothing left";
  if (reserved > 0 && live > 0 && reserved - live > 2 * gib)
    why += fmt::format(": torch's cache had grown to {}, of which at most {} were ever in use",
                       size(reserved), size(live));
  out.push_back({Cause::nccl_buffers, 0.85, why});
  if (c.failure.trace.phase == LogPhase::startup || (c.iteration == 0 && c.log.reports.empty()))
    out.push_back({Cause::other_process, 0.4, "so early in a run something else may hold the GPU"});
}

void judge_device(const Case& c, std::vector<Candidate>& out) {
  const LogPhase phase = c.failure.trace.phase;
  if (c.failure.trace.module == "pinned") {
    out.push_back({Cause::host_memory, 0.8,
                   "page-locked host memory was asked for, whose errors look like those of the device"});
    out.push_back({Cause::library_workspace, 0.2, "the driver found no device memory"});
    return;
  }
  const bool early =
      phase == LogPhase::startup || phase == LogPhase::data || c.failure.trace.module == "context";
  if (early) {
    out.push_back(
        {Cause::other_process, 0.8, "the GPU had no memory left when this process had hardly begun"});
    out.push_back({Cause::library_workspace, 0.3, "the CUDA context found no memory"});
    return;
  }
  if (phase == LogPhase::checkpoint_load || phase == LogPhase::checkpoint_save)
    out.push_back({Cause::checkpoint, 0.7, "it failed while a checkpoint was read or written"});
  if (phase == LogPhase::graph_capture)
    out.push_back({Cause::cuda_graph_pool, 0.7, "it failed while CUDA graphs were captured"});
  if (phase == LogPhase::optimizer_init)
    out.push_back({Cause::optimizer_init, 0.7, "it failed while the optimizer made its moments"});
  if (phase == LogPhase::model_build || phase == LogPhase::optimizer_build)
    out.push_back({Cause::capacity_states, 0.65, "it failed before any step"});
  out.push_back({Cause::library_workspace, 0.6,
                 "memory was asked for outside of torch's allocator: kernels, handles, workspaces"});
  out.push_back({Cause::capacity_activation, 0.3, "torch's cache had taken the rest of the GPU"});
  out.push_back({Cause::other_process, 0.25, "something else may hold the GPU"});
}

}  // namespace

std::optional<double> limit_of(const AllocatorFigures& f) {
  if (f.allowed && f.capacity) return std::min(*f.allowed, *f.capacity);
  return f.allowed ? f.allowed : f.capacity;
}

bool is_capped(const AllocatorFigures& f) {
  return f.allowed && f.capacity && *f.allowed < 0.97 * *f.capacity &&
         f.free.value_or(0) >= f.tried.value_or(0);
}

double held_by_others(const AllocatorFigures& f) {
  if (f.others > 0) return f.others;
  if (!f.capacity || !f.free || !f.reserved()) return 0;
  // Containers hide the processes of others: what nobody accounts for.
  const double own = f.in_use ? *f.in_use + driver_share : *f.reserved() + driver_share + context_share;
  const double hidden = *f.capacity - *f.free - own;
  const double noise = f.in_use ? 0.02 * *f.capacity : 0.06 * *f.capacity;
  return hidden > noise ? hidden : 0;
}

std::vector<Candidate> judge_allocator(const Case& c) {
  std::vector<Candidate> out = Allocator(c).run();
  // With expandable segments gaps are rare: then something else keeps them, or the setting has no effect.
  if (expandable(c.run) && !c.log.allocator_warning)
    for (Candidate& k : out)
      if (k.cause == Cause::fragmentation) k.confidence *= 0.95;
  return out;
}

std::vector<Candidate> judge_others(const Case& c) {
  std::vector<Candidate> out;
  const std::string says(c.failure.says);
  switch (c.failure.kind) {
    case LineKind::nccl_memory:
      judge_nccl(c, out);
      break;
    case LineKind::device:
      judge_device(c, out);
      break;
    case LineKind::library:
      out.push_back({Cause::library_workspace, 0.85, says});
      out.push_back({Cause::capacity_activation, 0.3, "torch's cache had taken the rest of the GPU"});
      break;
    case LineKind::triton:
      out.push_back({Cause::library_workspace, 0.75, says});
      out.push_back({Cause::capacity_activation, 0.35, "torch's cache had taken the rest of the GPU"});
      break;
    case LineKind::killed:
      out.push_back(
          {Cause::host_memory, 0.6,
           says + "; the kernel does that when host memory runs out, and nothing else is in the log"});
      out.push_back({Cause::not_memory, 0.35, "somebody or something else may have killed it"});
      break;
    default:
      out.push_back({Cause::host_memory, 0.95, says});
      break;
  }
  return out;
}

}  // namespace headroom::oom
