#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "headroom/oom/diagnosis.hpp"
#include "judge.hpp"
#include "questions.hpp"
#include "select.hpp"
#include "tensors.hpp"
#include "text.hpp"

namespace headroom::oom {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;

constexpr std::array<std::string_view, cause_count> names{
    "fragmentation", "capacity-activation", "capacity-states", "optimizer-init",
    "logits",        "cuda-graph-pool",     "nccl-buffers",    "library-workspace",
    "other-process", "memory-cap",          "host-memory",     "moe-imbalance",
    "checkpoint",    "fp8-weight-copies",   "config-conflict", "not-memory",
    "unknown"};

constexpr std::array<std::string_view, cause_count> words{
    "the free memory of the allocator lies in pieces",
    "activations do not fit",
    "weights, gradients and optimizer state do not fit",
    "the first optimizer step makes its state, and that does not fit",
    "logits and loss do not fit",
    "captured CUDA graphs keep their memory",
    "NCCL found no memory for its buffers",
    "a library found no memory outside of torch",
    "another process holds memory of this GPU",
    "the process may not use all of the GPU",
    "the node ran out of host memory",
    "one rank's experts got far more tokens than others'",
    "saving or loading a checkpoint needs more than there is",
    "low-precision copies of the weights do not fit",
    "the settings contradict each other",
    "this is no matter of memory",
    "the log does not say"};

std::string size(double bytes) {
  return fmt::format("{:.2f} GiB", bytes / gib);
}

/// Megatron numbers ranks by tensor, context, expert, data and then pipeline: the stage is the slowest.
std::optional<std::int64_t> stage_of(std::optional<std::int64_t> rank, const RunContext& run,
                                     const LogFacts& log) {
  double pp = 0, gpus = 0;
  if (run.shape != nullptr) {
    pp = run.shape->parallel.pp;
    gpus = run.shape->parallel.gpus;
  } else if (log.layout.world && log.layout.pipeline) {
    pp = static_cast<double>(*log.layout.pipeline);
    gpus = static_cast<double>(*log.layout.world);
  }
  if (pp == 1) return 0;
  if (!rank || pp < 1 || gpus < pp || static_cast<double>(*rank) >= gpus) return std::nullopt;
  return static_cast<std::int64_t>(std::floor(static_cast<double>(*rank) * pp / gpus));
}

const memory::StagePeaks* peaks_of(std::optional<std::int64_t> stage, const RunContext& run) {
  if (run.ledger == nullptr || run.ledger->peaks.stages.empty()) return nullptr;
  const auto& stages = run.ledger->peaks.stages;
  if (stage && *stage >= 0 && static_cast<std::size_t>(*stage) < stages.size())
    return &stages[static_cast<std::size_t>(*stage)];
  return &run.ledger->peaks.peak();
}

class Diagnoser {
 public:
  Diagnoser(const LogFacts& log, const RunContext& run) : log_(log), run_(run) {}

  Diagnosis go() {
    if (log_.snapshot && log_.failures.empty()) {
      decide({{Cause::not_memory, 0.9, "no allocation failed in the history of the snapshot"}});
      return std::move(out_);
    }
    const Selected selected = select(log_);
    switch (selected.root) {
      case Root::memory:
        memory(*selected.failure);
        break;
      case Root::validation:
        refused(*selected.exception);
        break;
      case Root::other:
        other(selected);
        break;
      case Root::healthy:
        decide({{Cause::not_memory, 0.9,
                 log_.counts.contains(LineKind::done) ? "the run ended as planned"
                                                      : "the log tells of iterations and of no failure"}});
        break;
      case Root::none:
        nothing_said();
        break;
    }
    notes_over_ranks();
    ask(out_, run_);
    return std::move(out_);
  }

 private:
  void support(const LogLine& where, std::string says) {
    out_.evidence.push_back({where.line, where.text, std::move(says)});
  }

  void decide(std::vector<Candidate> all) {
    std::stable_sort(all.begin(), all.end(),
                     [](const auto& a, const auto& b) { return a.confidence > b.confidence; });
    if (all.empty()) all.push_back({Cause::unknown, 0, "nothing speaks for a cause"});
    std::vector<Candidate> kept;
    for (Candidate& c : all)
      if (std::none_of(kept.begin(), kept.end(), [&](const Candidate& k) { return k.cause == c.cause; }))
        kept.push_back(std::move(c));
    double rest = 0;  // alternatives share what the first leaves
    for (std::size_t i = 1; i < kept.size(); ++i) rest += kept[i].confidence;
    // Two that speak nearly as loud leave doubt.
    double first = kept.front().confidence;
    if (kept.size() > 1 && first - kept[1].confidence < 0.1) first *= 0.75;
    out_.cause = kept.front().cause;
    out_.confidence = std::round(first * 100) / 100;
    out_.why = kept.front().why;
    for (std::size_t i = 1; i < kept.size() && i <= 4; ++i) {
      kept[i].confidence =
          std::round(std::min((1 - first) * kept[i].confidence / rest, kept[i].confidence) * 100) / 100;
      if (kept[i].confidence >= 0.02) out_.alternatives.push_back(kept[i]);
    }
  }

  void take_failure(const Failure& f) {
    out_.phase = f.trace.phase;
    out_.module = f.trace.module;
    out_.kind = std::string(schema::to_string(f.kind));
    out_.rank = f.rank ? f.rank
                       : (log_.root_rank && std::abs(static_cast<double>(log_.root_line) -
                                                     static_cast<double>(f.where.line)) < 1000
                              ? log_.root_rank
                              : std::nullopt);
    out_.figures = f.figures;
    out_.tried = f.figures.tried ? f.figures.tried : f.tried;
    out_.message = f.where.text;
    support(f.where, std::string(f.says));
    const LogLine* deepest = f.trace.frames.empty() ? nullptr : &f.trace.frames.back();
    if (deepest != nullptr)
      support(*deepest, f.trace.phase == LogPhase::unknown
                            ? "where it failed"
                            : fmt::format("phase: {}", schema::to_string(f.trace.phase)));
  }

  void memory(const Failure& f) {
    take_failure(f);
    out_.stage = stage_of(out_.rank, run_, log_);
    if (is_host(f.kind)) out_.stage.reset();
    Case c{log_, f, run_, {}, peaks_of(out_.stage, run_), 0};
    if (log_.last_iteration && log_.last_iteration->line < f.where.line)
      c.iteration = log_.last_iteration->number;
    if (f.kind == LineKind::allocator && f.figures.tried)
      c.tensors = fitting_tensors(*f.figures.tried, run_.shape, log_.layout, f.trace.module);
    out_.tensors = c.tensors;
    decide(log_.snapshot                   ? judge_snapshot(c)
           : f.kind == LineKind::allocator ? judge_allocator(c)
                                           : judge_others(c));
    if (f.kind == LineKind::allocator) {
      balance(f.figures);
      compare(f, c.stage);
    }
    if (log_.allocator_warning)
      support(*log_.allocator_warning, "the expandable segments that were asked for are not in use");
    report_evidence();
  }

  void balance(const AllocatorFigures& f) {
    if (f.tried && limit_of(f)) {
      const double reserved = f.reserved().value_or(0);
      const double beyond = is_capped(f) ? *limit_of(f) - reserved : f.free.value_or(0);
      out_.deficit = std::max(0.0, *f.tried - std::max(0.0, beyond));
    }
    out_.seen = f.in_use ? *f.in_use : f.reserved().value_or(0);
    if (is_capped(f) && out_.cause != Cause::memory_cap)
      out_.notes.push_back(fmt::format("a cap of {} on the process ended it: the GPU still had {} free",
                                       size(*f.allowed), size(f.free.value_or(0))));
  }

  void compare(const Failure& f, const memory::StagePeaks* stage) {
    if (stage == nullptr || !f.figures.allocated) return;
    Comparison c;
    c.stage = stage->stage;
    c.expected_peak = stage->peak;
    c.expected_states = stage->weights + stage->gradients + stage->optimizer;
    c.expected_activations = stage->activations;
    c.expected_logits = stage->logits;
    c.seen = *f.figures.allocated + f.figures.tried.value_or(0);
    const double beyond = c.seen - c.expected_peak;
    if (std::abs(beyond) < 0.08 * c.expected_peak)
      c.difference = "as expected: the config needs this much";
    else if (beyond > 0)
      c.difference = fmt::format(
          "{} more than expected: longer sequences or uneven experts than configured, or allocations that no "
          "setting names",
          size(beyond));
    else
      c.difference =
          fmt::format("{} less than the expected peak: it failed before the peak of a step", size(-beyond));
    out_.comparison = std::move(c);
  }

  void report_evidence() {
    for (const MemoryReport& r : log_.reports) {
      if (out_.evidence.size() >= 6) break;
      if (!r.max_allocated || !(r.max_reserved || r.reserved)) continue;
      std::string text =
          fmt::format("rank {}: at most {} allocated, {} reserved", r.rank.value_or(0),
                      size(*r.max_allocated), size(r.max_reserved.value_or(r.reserved.value_or(0))));
      if (r.retries.value_or(0) > 0)
        text += fmt::format(", the cache was emptied {} times to go on", *r.retries);
      out_.evidence.push_back({r.line, std::move(text), "memory report before the failure"});
    }
  }

  /// Without a log the estimate alone says what would not fit.
  void nothing_said() {
    const memory::Peaks* peaks = log_.bytes == 0 && run_.ledger != nullptr ? &run_.ledger->peaks : nullptr;
    if (peaks == nullptr || peaks->stages.empty() || peaks->capacity <= 0)
      return decide({{Cause::unknown, 0,
                      log_.bytes == 0 ? "the log is empty" : "no line of the log tells of a failure"}});
    if (peaks->fits())
      return decide({{Cause::unknown, 0,
                      fmt::format("there is no log, and by the estimate the run fits: {} of {}",
                                  size(peaks->used), size(peaks->capacity))}});
    const memory::StagePeaks& top = peaks->peak();
    const double states = top.weights + top.gradients + top.optimizer;
    out_.stage = top.stage;
    out_.kind = "estimate";
    out_.deficit = peaks->used - peaks->capacity;
    const std::string why =
        fmt::format("by the estimate alone: {} needed of {}", size(peaks->used), size(peaks->capacity));
    if (states >= 0.85 * peaks->capacity)
      return decide({{Cause::capacity_states, 0.6, why}, {Cause::optimizer_init, 0.3, why}});
    const bool loss = top.logits > top.activations;
    decide({{loss ? Cause::logits : Cause::capacity_activation, 0.6, why},
            {loss ? Cause::capacity_activation : Cause::capacity_states, 0.3, why}});
  }

  void refused(const Exception& e) {
    out_.phase = e.trace.phase == LogPhase::unknown ? LogPhase::startup : e.trace.phase;
    out_.kind = "validation";
    out_.rank = e.rank;
    out_.message = e.message;
    support(e.where, "the framework refuses the settings");
    decide({{Cause::config_conflict, run_.config_has_errors ? 0.97 : 0.9,
             "the framework refuses the settings: " + e.message.substr(0, 300)}});
  }

  void other(const Selected& selected) {
    if (selected.failure != nullptr) {
      take_failure(*selected.failure);
      decide({{Cause::not_memory, 0.93, std::string(selected.failure->says)}});
    } else {
      out_.phase = selected.exception->trace.phase;
      out_.kind = "error";
      out_.rank = selected.exception->rank;
      out_.message = selected.exception->where.text;
      support(selected.exception->where, "the first error of the log");
      decide({{Cause::not_memory, 0.85, selected.exception->type + " is no lack of memory"}});
    }
  }

  void notes_over_ranks() {
    if (log_.failed_ranks < 1 || out_.kind != "allocator") return;
    const auto pipeline = run_.shape != nullptr ? run_.shape->parallel.pp
                                                : static_cast<double>(log_.layout.pipeline.value_or(0));
    std::vector<std::int64_t> stages;
    for (const auto& [rank, figures] : log_.ranks) {
      const auto stage = figures.failed ? stage_of(rank, run_, log_) : std::nullopt;
      if (stage && std::find(stages.begin(), stages.end(), *stage) == stages.end()) stages.push_back(*stage);
    }
    if (pipeline > 1 && stages.size() == 1 && log_.failed_ranks > 1)
      out_.notes.push_back(fmt::format(
          "only ranks of pipeline stage {} ran out ({} of them): {}", stages.front(), log_.failed_ranks,
          stages.front() == 0 ? "the first stage keeps the most micro-batches in flight, and the embedding"
          : static_cast<double>(stages.front()) == pipeline - 1
              ? "the last stage has the output layer and the loss"
              : "the layers are spread unevenly"));
    else if (log_.failed_ranks > 1)
      out_.notes.push_back(fmt::format("{} ranks ran out of memory", log_.failed_ranks));
  }

  const LogFacts& log_;
  const RunContext& run_;
  Diagnosis out_;
};

}  // namespace

std::string_view to_string(Cause cause) {
  return names[static_cast<std::size_t>(cause)];
}

std::string_view in_words(Cause cause) {
  return words[static_cast<std::size_t>(cause)];
}

Diagnosis diagnose(const LogFacts& log, const RunContext& run) {
  return Diagnoser(log, run).go();
}

}  // namespace headroom::oom
