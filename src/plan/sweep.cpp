#include "sweep.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>

#include "headroom/memory/parts.hpp"

namespace headroom::plan {
namespace {

/// One task: a fixed choice on the outermost axes.
struct Task {
  std::vector<std::uint32_t> chosen;
};

/// What one combination of activation choices gives under the current sizes, whatever the stages.
struct Layers {
  bool costed = false;
  memory::LayerCosts costs, busiest;
  std::map<std::uint32_t, cost::LayerTimes> times;  ///< by kind of sharding: its hooks take time of the host
};

/// … and under the current stages, by representative stage.
struct Steps {
  bool done = false;
  std::vector<memory::StageStep> usual, busiest;
  std::vector<memory::StageWorkspace> workspace;
  std::map<std::uint32_t, double> time;  ///< by kind of sharding
};
struct StateRow {
  bool done = false, timed = false;
  std::vector<memory::StageStates> stages;
  double extra = 0;  ///< seconds against the first states with the same sharding
};

class Worker {
 public:
  explicit Worker(const SweepInput& in)
      : in_(in),
        legality_(*in.graph),
        run_(in.shapes->given()),
        layers_(in.policies->activations.size()),
        steps_(in.policies->activations.size()),
        states_(in.policies->states.size()) {
    chosen_.assign(in.space->layout.size(), 0);
    below_.assign(in.space->layout.size() + 1, in.policies->parts.size());
    for (std::size_t a = in.space->layout.size(); a-- > 0;)
      below_[a] = below_[a + 1] * in.space->layout[a].choices.size();
  }

  Found run(const Task& task) {
    found_ = Found{};
    for (std::size_t a = 0; a < task.chosen.size(); ++a)
      if (repeats(a, task.chosen[a]) || !choose(a, task.chosen[a])) return std::move(found_);
    descend(task.chosen.size());
    return std::move(found_);
  }

 private:
  bool choose(std::size_t axis, std::uint32_t choice) {
    chosen_[axis] = choice;
    const bool stages = in_.space->layout[axis].dimension->stages;
    if (!stages)
      for (Layers& l : layers_) {
        l.costed = false;
        l.times.clear();
      }
    if (const rules::Rule* rule = legality_.choose(axis, choice)) {
      found_.searched += below_[axis + 1];
      found_.broken[rule] += below_[axis + 1];
      return false;
    }
    return true;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as there are axes
  void descend(std::size_t axis) {
    if (axis == chosen_.size()) return leaf();
    const auto n = static_cast<std::uint32_t>(in_.space->layout[axis].choices.size());
    for (std::uint32_t c = 0; c < n; ++c)
      if (!repeats(axis, c) && choose(axis, c)) descend(axis + 1);
  }

  /// Whether an earlier choice is the same run in other words: expert tensor ranks as many as they are where
  /// nobody writes them, stages by a layout or by counts.
  bool repeats(std::size_t axis, std::uint32_t choice) {
    const Axis& a = in_.space->layout[axis];
    if (choice == 0) return false;
    if (a.dimension->stages) {
      const std::uint32_t first = in_.shapes->first_split_like(choice);
      return first < choice && legality_.choose(axis, first) == nullptr;
    }
    if (!in_.shapes->is_implicit(a) || legality_.choose(axis, choice) != nullptr) return false;
    const source::Value value = legality_.value(a.dimension->field);
    return legality_.choose(axis, 0) == nullptr && legality_.value(a.dimension->field) == value;
  }

  void leaf() {
    found_.searched += in_.policies->parts.size();
    const PolicySet& legal = legality_.policies(&found_.broken);
    const std::size_t count = legal.count();
    if (count == 0 || !in_.shapes->set_layout(legality_, chosen_, run_)) return;
    found_.legal += count;
    for (Steps& s : steps_) {
      s.done = false;
      s.time.clear();
    }
    for (StateRow& s : states_) s.done = s.timed = false;
    stages_ = &in_.shapes->stages(chosen_).stages;
    busiest_ = memory::has_busiest_rank(run_.shape);
    const std::uint32_t layout = number();
    for (std::uint32_t p = 0; p < in_.policies->parts.size(); ++p)
      if (legal.contains(p)) candidate(layout, p);
  }

  void candidate(std::uint32_t layout, std::uint32_t policy) {
    const Policies::Parts& parts = in_.policies->parts[policy];
    if (!in_.shapes->activations[parts.activation].readable || !in_.shapes->states[parts.state].readable)
      return;
    const StateRow& states = states_of(parts.state);
    double least = 0, host = 0;
    for (const auto& s : states.stages) {
      least = std::max(least, s.weights + s.gradients + s.optimizer);
      host = std::max(host, s.host);
    }
    if (least > in_.capacity || !memory::host_holds(run_.shape, host)) return;
    const Steps& steps = steps_of(parts.activation);
    memory::StageTotal highest;
    double busiest = 0;
    for (std::size_t i = 0; i < stages_->size(); ++i) {
      const auto total = memory::total_of(steps.usual[i], states.stages[i], steps.workspace[i]);
      if (total.peak() > highest.peak()) highest = total;
      if (busiest_)
        busiest = std::max(busiest,
                           memory::total_of(steps.busiest[i], states.stages[i], steps.workspace[i]).peak());
    }
    run_.shape.expandable_segments = in_.shapes->expandable[parts.allocator];
    const double used = memory::used_bytes(run_.shape, highest, busiest);
    if (used > in_.capacity) return;
    found_.candidates.push_back({time_of(parts), used, highest.peak(), layout, policy});
  }

  const StateRow& states_of(std::uint32_t state) {
    StateRow& row = states_[state];
    if (row.done) return row;
    row.done = true;
    Shapes::set(in_.shapes->states[state], run_);
    row.stages.clear();
    for (const std::int32_t stage : *stages_) row.stages.push_back(memory::stage_states(run_.shape, stage));
    return row;
  }

  const Steps& steps_of(std::uint32_t activation) {
    Steps& row = steps_[activation];
    if (row.done) return row;
    row.done = true;
    Shapes::set(in_.shapes->activations[activation], run_);
    Layers& layers = layers_[activation];
    if (!layers.costed) {
      layers.costed = true;
      layers.costs = memory::layer_costs(run_.shape);
      if (busiest_) layers.busiest = memory::busiest_layer_costs(run_.shape);
    }
    row.usual.clear();
    row.busiest.clear();
    row.workspace.clear();
    for (const std::int32_t stage : *stages_) {
      row.usual.push_back(memory::stage_step(run_.shape, stage, layers.costs));
      if (busiest_) row.busiest.push_back(memory::stage_step(run_.shape, stage, layers.busiest));
      row.workspace.push_back(memory::stage_workspace(run_.shape, stage));
    }
    return row;
  }

  /// Of the combinations that are set in `run_`.
  const cost::LayerTimes& times_of(std::uint32_t activation, std::uint32_t state) {
    auto& times = layers_[activation].times;
    const std::uint32_t kind = in_.shapes->first_alike[state];
    auto known = times.find(kind);
    if (known == times.end()) known = times.emplace(kind, cost::layer_times(run_.shape, run_.job)).first;
    return known->second;
  }

  /// Optimizer states add to the step, whatever is recomputed: both are timed once and added. Sharded
  /// parameters are gathered beside the layers, so each kind of sharding is timed with each kind of layers.
  double time_of(const Policies::Parts& parts) {
    const std::uint32_t first = in_.shapes->first_alike[parts.state];
    Steps& step = steps_[parts.activation];
    auto known = step.time.find(first);
    if (known == step.time.end()) known = step.time.emplace(first, timed(parts.activation, first)).first;
    StateRow& state = states_[parts.state];
    if (!state.timed) {
      state.timed = true;
      state.extra = parts.state == first ? 0 : timed(0, parts.state) - timed(0, first);
    }
    return known->second + state.extra;
  }

  double timed(std::uint32_t activation, std::uint32_t state) {
    Shapes::set(in_.shapes->activations[activation], run_);
    Shapes::set(in_.shapes->states[state], run_);
    return cost::step_time(run_.shape, run_.job, times_of(activation, state)).total;
  }

  [[nodiscard]] std::uint32_t number() const {
    std::uint32_t n = 0;
    for (std::size_t a = 0; a < chosen_.size(); ++a)
      n = n * static_cast<std::uint32_t>(in_.space->layout[a].choices.size()) + chosen_[a];
    return n;
  }

  const SweepInput& in_;
  Legality legality_;
  Run run_;
  std::vector<Layers> layers_;
  std::vector<Steps> steps_;
  std::vector<StateRow> states_;
  std::vector<std::uint32_t> chosen_;
  std::vector<std::size_t> below_;  ///< candidates below a choice on the axis before
  const std::vector<std::int32_t>* stages_ = nullptr;
  bool busiest_ = false;
  Found found_;
};

/// The outermost axes, enough of them that threads share the work evenly.
std::vector<Task> tasks_of(const Space& space) {
  constexpr std::size_t enough = 64;
  std::vector<Task> tasks{{}};
  for (const Axis& axis : space.layout) {
    if (tasks.size() >= enough || axis.dimension->stages) break;
    std::vector<Task> more;
    for (const Task& task : tasks)
      for (std::uint32_t c = 0; c < axis.choices.size(); ++c) {
        more.push_back(task);
        more.back().chosen.push_back(c);
      }
    tasks = std::move(more);
  }
  return tasks;
}

void add(Found& to, Found&& from) {
  to.candidates.insert(to.candidates.end(), from.candidates.begin(), from.candidates.end());
  to.searched += from.searched;
  to.legal += from.legal;
  for (const auto& [rule, n] : from.broken) to.broken[rule] += n;
}

}  // namespace

Policies make_policies(const Space& space) {
  Policies out{
      combinations(space.activations), combinations(space.states), combinations(space.allocator), {}, {}};
  for (std::uint32_t a = 0; a < out.activations.size(); ++a)
    for (std::uint32_t s = 0; s < out.states.size(); ++s)
      for (std::uint32_t m = 0; m < out.allocator.size(); ++m) {
        std::vector<Entry> entries = out.activations[a].entries;
        for (const auto* more : {&out.states[s].entries, &out.allocator[m].entries})
          for (const Entry& e : *more) {
            const auto it = std::ranges::find(entries, e.var, &Entry::var);
            if (it == entries.end())
              entries.push_back(e);
            else
              it->value = e.value;
          }
        out.entries.push_back(std::move(entries));
        out.parts.push_back({a, s, m});
      }
  return out;
}

std::vector<std::uint32_t> choices_of(const Space& space, std::uint32_t layout) {
  std::vector<std::uint32_t> out(space.layout.size());
  for (std::size_t a = space.layout.size(); a-- > 0;) {
    const auto n = static_cast<std::uint32_t>(space.layout[a].choices.size());
    out[a] = layout % n;
    layout /= n;
  }
  return out;
}

Found sweep(const SweepInput& input) {
  const std::vector<Task> tasks = tasks_of(*input.space);
  std::vector<Found> found(tasks.size());
  std::atomic<std::size_t> next{0}, done{0};
  const std::size_t threads = std::clamp<std::size_t>(input.request->threads, 1, tasks.size());
  std::vector<std::exception_ptr> failures(threads);
  const auto work = [&](std::size_t thread) {
    try {
      Worker worker(input);
      for (std::size_t i = next++; i < tasks.size(); i = next++) {
        found[i] = worker.run(tasks[i]);
        const std::size_t n = ++done;
        if (input.request->progress)
          input.request->progress(static_cast<double>(n) / static_cast<double>(tasks.size()));
      }
    } catch (...) {
      failures[thread] = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 1; t < threads; ++t) pool.emplace_back(work, t);
    work(0);
  }
  for (const auto& failure : failures)
    if (failure) std::rethrow_exception(failure);
  Found all;
  for (Found& part : found) add(all, std::move(part));  // in the order of the tasks, whoever did them
  return all;
}

}  // namespace headroom::plan
