#include "contradictions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "headroom/dialect/reader.hpp"
#include "headroom/lint/printed_arguments.hpp"
#include "headroom/memory/parts.hpp"

namespace headroom::lint {
namespace {

using resolve::EffectiveConfig;
using schema::FieldId;

constexpr double gib = 1024.0 * 1024 * 1024;

std::string size(double bytes) {
  return fmt::format("{:.2f} GiB", bytes / gib);
}

bool apart(double a, double b, double share) {
  return std::abs(a - b) > share * std::max(a, b);
}

class Comparison {
 public:
  Comparison(const oom::LogFacts& log, const EffectiveConfig& config, const memory::Shape* shape,
             const memory::Peaks* peaks)
      : log_(log), config_(config), schema_(*config.schema), shape_(shape), peaks_(peaks) {}

  Contradictions run() && {
    ranks();
    spread();
    arguments();
    modules();
    parameters();
    device();
    for (const oom::Failure& f : log_.failures) allocations(f);
    return std::move(out_);
  }

 private:
  void other(std::string text) {
    if (std::ranges::find(out_.other_run, text) == out_.other_run.end())
      out_.other_run.push_back(std::move(text));
  }

  void ranks() {
    if (!config_.launch.gpus) return;
    const std::int64_t gpus = *config_.launch.gpus;
    if (log_.layout.world && *log_.layout.world != gpus)
      return other(fmt::format("{} ranks in the log, {} GPUs given", *log_.layout.world, gpus));
    if (!log_.ranks.empty() && log_.ranks.rbegin()->first >= gpus)
      other(fmt::format("rank {} in the log, {} GPUs given", log_.ranks.rbegin()->first, gpus));
  }

  void field(std::string_view name, std::int64_t said) {
    const FieldId id = schema_.find(name);
    if (id == schema::no_field || !config_.now[id].is_int() || config_.now[id].as_int() == said) return;
    other(fmt::format("{} is {} in the log, {} in the config", name.substr(name.find('.') + 1), said,
                      config_.now[id].as_int()));
  }

  void spread() {
    const oom::Layout& l = log_.layout;
    if (l.tensor) field("model.tensor_model_parallel_size", *l.tensor);
    if (l.pipeline) field("model.pipeline_model_parallel_size", *l.pipeline);
    if (l.context) field("model.context_parallel_size", *l.context);
    if (l.expert) field("model.expert_model_parallel_size", *l.expert);
  }

  /// What makes a model, and how many tokens a rank takes at a time.
  [[nodiscard]] std::set<FieldId> sizes() const {
    std::set<FieldId> out{schema_.find("model.seq_length"), schema_.find("train.micro_batch_size"),
                          schema_.find("model.context_parallel_size"),
                          schema_.find("model.expert_model_parallel_size")};
    for (const schema::ModelFacts& model : schema_.models)
      for (const schema::FieldValue& fact : model.values) out.insert(fact.field);
    return out;
  }

  /// The list of arguments that Megatron-LM prints at its start.
  void arguments() {
    std::string line = launch_line(log_.layout.arguments, schema_);
    if (line.empty()) return;
    const auto text = std::make_shared<const source::SourceText>("arguments in the log", std::move(line));
    const auto opened = dialect::open(text, {}, "megatron-lm", schema_);
    if (!opened) return;
    const std::set<FieldId> wanted = sizes();
    for (const dialect::Setting& s : dialect::read(*opened, schema_, config_.launch.release).settings)
      if (wanted.contains(s.field) && s.value.is_int()) field(schema_.field(s.field).name, s.value.as_int());
  }

  void modules() {
    if (shape_ == nullptr || shape_->model.moe) return;
    for (const oom::Failure& f : log_.failures)
      if (f.trace.module.find("expert") != std::string::npos)
        return other("the traceback is in experts, the model of the config has none");
  }

  /// Only where a rank keeps whole parameters in their own precision.
  void parameters() {
    if (shape_ == nullptr || shape_->states.fsdp || shape_->numerics.fp8_parameters || !config_.launch.gpus)
      return;
    for (const auto& [stage, said] : log_.layout.parameters) {
      if (stage < 0 || static_cast<double>(stage) >= shape_->parallel.pp) continue;
      const double bytes = memory::stage_states(*shape_, static_cast<std::int32_t>(stage)).weights;
      const double own = bytes / shape_->numerics.parameter;
      if (said > 0 && own > 0 && apart(said, own, 0.25))
        return other(
            fmt::format("{:.2f} billion parameters on pipeline stage {} in the log, {:.2f} by the config",
                        said / 1e9, stage, own / 1e9));
    }
  }

  void device() {
    const resolve::LaunchContext& launch = config_.launch;
    if (!launch.gpu_memory_bytes && launch.gpu == nullptr) return;
    const auto given =
        static_cast<double>(launch.gpu_memory_bytes ? *launch.gpu_memory_bytes : launch.gpu->total_bytes);
    for (const oom::Failure& f : log_.failures)
      if (f.figures.capacity && apart(*f.figures.capacity, given, 0.1)) {
        out_.figures.push_back(fmt::format("the GPU of the log has {}, the one given {}",
                                           size(*f.figures.capacity), size(given)));
        return;
      }
  }

  void allocations(const oom::Failure& f) {
    if (peaks_ == nullptr || peaks_->stages.empty() || !out_.other_run.empty()) return;
    const double peak = peaks_->peak().peak;
    const auto add = [&](std::string text) {
      if (out_.figures.size() < 3) out_.figures.push_back(std::move(text));
    };
    if (f.figures.tried && *f.figures.tried > peak)
      return add(fmt::format("{} were asked for at once, and by the config a rank never holds more than {}",
                             size(*f.figures.tried), size(peak)));
    if (f.figures.allocated && *f.figures.allocated > 2 * peak)
      add(fmt::format("{} were allocated, and by the config a rank never holds more than {}",
                      size(*f.figures.allocated), size(peak)));
  }

  const oom::LogFacts& log_;
  const EffectiveConfig& config_;
  const schema::Schema& schema_;
  const memory::Shape* shape_;
  const memory::Peaks* peaks_;
  Contradictions out_;
};

}  // namespace

std::string Contradictions::text() const {
  std::vector<std::string> all = other_run;
  all.insert(all.end(), figures.begin(), figures.end());
  if (all.empty()) return {};
  constexpr std::size_t most = 6;
  std::string more;
  if (all.size() > most) {
    more = fmt::format("; {} more", all.size() - most);
    all.resize(most);
  }
  return fmt::format("the log contradicts the config: {}{}{}", fmt::join(all, "; "), more,
                     other_run.empty()
                         ? ""
                         : ". It is of another run: the config's figures are not compared with it, "
                           "and what to change is about the config alone");
}

Contradictions contradictions(const oom::LogFacts& log, const EffectiveConfig& config,
                              const memory::Shape* shape, const memory::Peaks* peaks) {
  return Comparison(log, config, shape, peaks).run();
}

}  // namespace headroom::lint
