#include "headroom/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <set>

#include "ranking.hpp"
#include "reasons.hpp"

namespace headroom::plan {
namespace {

/// Candidates that are looked at again in full before the search for plans to show gives up.
constexpr std::size_t most_tries = 2000;
constexpr std::size_t most_pareto = 12;

tl::unexpected<source::Error> failed(std::string message) {
  return tl::unexpected(source::Error{std::move(message), "", {}, false});
}

Layout layout_of(const memory::Shape& s) {
  const auto n = [](double x) { return static_cast<std::int64_t>(x); };
  const memory::Parallel& p = s.parallel;
  return {n(p.tp), n(p.pp), n(p.vpp), n(p.cp), n(p.ep), n(p.etp), n(p.dp), n(s.micro_batch), n(s.microbatches), s.model.moe};
}

class Search {
 public:
  explicit Search(const Request& request) : request_(request) {}

  source::Result<Result> run() {
    const resolve::LaunchContext& launch = *request_.bench.launch;
    if (!launch.gpus) return failed("a plan needs the number of GPUs (--gpus)");
    if (launch.gpu == nullptr && !launch.gpu_memory_bytes)
      return failed("a plan needs the GPU kind (--gpu) or its memory (--gpu-memory)");
    const auto start = std::chrono::steady_clock::now();
    const auto given = check_in_full({}, request_.bench);
    if (!given) return failed(memory::read_shape(*request_.bench.config).error().message);
    given_ = *given;
    result_.capacity = given_.memory.capacity * (1 - request_.margin_share) - request_.margin_bytes;
    search();
    result_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    choose();
    return std::move(result_);
  }

 private:
  void search() {
    space_ = make_space(request_);
    policies_ = make_policies(space_);
    std::vector<GraphAxis> axes;
    for (const Axis& axis : space_.layout) {
      axes.emplace_back();
      for (const Choice& c : axis.choices) axes.back().push_back(&c.entries);
    }
    axes.emplace_back();
    for (const auto& entries : policies_.entries) axes.back().push_back(&entries);
    const Graph graph(request_, space_.before, std::move(axes));
    for (const rules::Rule* rule : graph.always()) result_.errors.emplace_back(rule->id);
    const Shapes shapes(request_, space_, policies_.activations, policies_.states, policies_.allocator);
    found_ = sweep({&request_, &space_, &policies_, &graph, &shapes, result_.capacity});
    result_.searched = found_.searched;
    result_.legal = found_.legal;
    result_.fitting = found_.candidates.size();
    for (const auto& [rule, n] : found_.broken) result_.obstacles.push_back({std::string(rule->id), n});
    std::ranges::stable_sort(result_.obstacles, [](const Obstacle& a, const Obstacle& b) {
      return std::tie(b.candidates, a.rule) < std::tie(a.candidates, b.rule);
    });
  }

  void choose() {
    describe_given();
    if (!result_.errors.empty()) return;
    const SweepInput input{&request_, &space_, &policies_, nullptr, nullptr, result_.capacity};
    Ranking ranking(input, found_);
    ranking.by_time();
    pareto(ranking);
    if (request_.fit) ranking.by_change();
    std::set<std::uint32_t> layouts;
    std::size_t tries = 0;
    for (const Candidate& c : found_.candidates) {
      if (result_.plans.size() >= request_.top || ++tries > most_tries) break;
      // One row a layout: its best choices. Those who ask for the smallest change choose among choices.
      if (!request_.fit && layouts.contains(c.layout)) continue;
      if (auto plan = full(c, ranking)) {
        layouts.insert(c.layout);
        result_.plans.push_back(std::move(*plan));
      }
    }
    if (!result_.plans.empty() && best_)
      result_.given.why_not_better = difference(given_.time, *best_);
  }

  /// A plan that holds when everything is evaluated again.
  std::optional<Plan> full(const Candidate& c, const Ranking& ranking) {
    Plan plan;
    plan.change = advise::writable(ranking.change_of(c), request_.bench);
    const auto checked = check_in_full(plan.change, request_.bench);
    if (!checked || !checked->legal || checked->memory.used > result_.capacity) return std::nullopt;
    plan.layout = layout_of(checked->run.shape);
    plan.choices = ranking.titles_of(c);
    plan.peak = checked->memory.peak().peak;
    plan.used = checked->memory.used;
    plan.host = checked->memory.host;
    plan.time = cost::ratio(given_.time, checked->time);
    plan.why = difference(given_.time, checked->time);
    for (const auto& id : checked->warnings)
      if (std::ranges::find(given_.warnings, id) == given_.warnings.end() &&
          std::ranges::find(plan.warnings, id) == plan.warnings.end())
        plan.warnings.push_back(id);
    if (!best_) best_ = checked->time;
    return plan;
  }

  void describe_given() {
    Given& g = result_.given;
    g.layout = layout_of(given_.run.shape);
    g.peak = given_.memory.peak().peak;
    g.used = given_.memory.used;
    g.fits = g.used <= result_.capacity;
    g.legal = given_.legal;
    const double own = given_.time.total;
    std::map<std::uint32_t, double> best;
    std::size_t faster = 0;
    for (const Candidate& c : found_.candidates) {
      faster += c.time < own * (1 - 1e-9) ? 1 : 0;
      const auto [it, fresh] = best.emplace(c.layout, c.time);
      it->second = std::min(it->second, c.time);
    }
    g.layouts = best.size();
    if (const auto it = best.find(0); it != best.end()) {
      std::size_t before = 0;
      for (const auto& [layout, time] : best) before += time < it->second * (1 - 1e-9) ? 1 : 0;
      g.layout_rank = before + 1;
    }
    if (g.legal && g.fits) g.rank = faster + 1;
  }

  /// By rising time, each with less memory than any before.
  void pareto(const Ranking& ranking) {
    std::vector<const Candidate*> front;
    double least = 1e300;
    for (const Candidate& c : found_.candidates) {
      if (c.used >= 0.995 * least) continue;
      least = c.used;
      front.push_back(&c);
    }
    // A table of a page: both ends, and what lies evenly between.
    std::vector<const Candidate*> shown;
    const std::size_t n = std::min(front.size(), most_pareto);
    for (std::size_t i = 0; i < n; ++i)
      shown.push_back(front[n > 1 ? i * (front.size() - 1) / (n - 1) : 0]);
    for (const Candidate* c : shown)
      if (auto plan = full(*c, ranking)) result_.pareto.push_back(std::move(*plan));
    best_.reset();
  }

  const Request& request_;
  Result result_;
  Checked given_;
  Space space_;
  Policies policies_;
  Found found_;
  std::optional<cost::StepTime> best_;
};

}  // namespace

source::Result<Result> search(const Request& request) {
  return Search(request).run();
}

}  // namespace headroom::plan
