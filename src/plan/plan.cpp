#include "headroom/plan/plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <set>

#include "headroom/lang/check.hpp"
#include "headroom/memory/parts.hpp"
#include "ranking.hpp"
#include "reasons.hpp"
#include "tidy.hpp"

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
  return {n(p.tp),  n(p.pp), n(p.vpp),         n(p.cp),           n(p.ep),
          n(p.etp), n(p.dp), n(s.micro_batch), n(s.microbatches), s.model.moe};
}

/// What plans are measured against: the given config, and how another job differs from it.
struct Reference {
  cost::StepTime time;
  double tokens = 0;  ///< of a step
  std::vector<std::string> warnings;
  rules::Fix job;  ///< edits that make the job another one
  std::string title;
};

double tokens_of(const memory::Shape& s) {
  return s.sequence * s.micro_batch * s.microbatches * s.parallel.dp;
}

class Search {
 public:
  /// `reference`: null where the given config itself is.
  Search(const Request& request, const Reference* reference) : request_(request), reference_(reference) {}

  [[nodiscard]] Reference as_reference() const {
    return {given_.time, tokens_of(given_.run.shape), given_.warnings, {}, {}};
  }

  source::Result<Result> run() {
    const resolve::LaunchContext& launch = *request_.bench.launch;
    if (!launch.gpus) return failed("a plan needs the number of GPUs (--gpus)");
    if (launch.gpu == nullptr && !launch.gpu_memory_bytes)
      return failed("a plan needs the GPU kind (--gpu) or its memory (--gpu-memory)");
    const auto start = std::chrono::steady_clock::now();
    const auto given = check_in_full({}, request_.bench);
    if (!given) return failed(memory::read_shape(*request_.bench.config).error().message);
    given_ = *given;
    if (reference_ == nullptr) {
      own_ = as_reference();
      reference_ = &own_;
    }
    result_.capacity = given_.memory.capacity - given_.memory.margin;
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
    // What is wrong with the text itself stays wrong.
    for (const auto& id : given_.errors) {
      const rules::Rule* rule = nullptr;
      for (const auto* pack : request_.bench.packs)
        if (const auto* found = rules::find_rule(*pack, id)) rule = found;
      if (rule != nullptr && rule->when == lang::no_expr) result_.errors.push_back(id);
    }
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
    if (!result_.plans.empty() && best_) result_.given.why_not_better = difference(given_.time, *best_);
  }

  /// A plan that holds when everything is evaluated again.
  std::optional<Plan> full(const Candidate& c, const Ranking& ranking) {
    Plan plan;
    plan.change = advise::writable(ranking.change_of(c), request_.bench);
    auto checked = check_in_full(plan.change, request_.bench);
    if (!checked || !checked->legal || checked->memory.used > result_.capacity ||
        !memory::host_holds(checked->run.shape, checked->memory.host))
      return std::nullopt;
    tidy(plan.change, *checked, given_, request_.bench);
    plan.layout = layout_of(checked->run.shape);
    plan.choices = ranking.titles_of(c);
    plan.peak = checked->memory.peak().peak;
    plan.used = checked->memory.used;
    plan.host = checked->memory.host;
    plan.verdict = memory::verdict(checked->run.shape, checked->memory);
    plan.used_high = checked->memory.used_high();
    cost::StepTime time = checked->time;
    const double scale = reference_->tokens / tokens_of(checked->run.shape);
    time.total *= scale;
    for (double& part : time.parts) part *= scale;
    plan.time = cost::ratio(reference_->time, time);
    plan.why = difference(reference_->time, time);
    plan.change = joined(reference_->job, plan.change);
    if (!reference_->title.empty()) plan.choices.insert(plan.choices.begin(), reference_->title);
    for (const auto& id : checked->warnings)
      if (std::ranges::find(reference_->warnings, id) == reference_->warnings.end() &&
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
    g.verdict = memory::verdict(given_.run.shape, given_.memory);
    g.legal = given_.legal;
    g.errors = given_.errors;
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
    for (std::size_t i = 0; i < n; ++i) shown.push_back(front[n > 1 ? i * (front.size() - 1) / (n - 1) : 0]);
    for (const Candidate* c : shown)
      if (auto plan = full(*c, ranking)) result_.pareto.push_back(std::move(*plan));
    best_.reset();
  }

  const Request& request_;
  const Reference* reference_;
  Reference own_;
  Result result_;
  Checked given_;
  Space space_;
  Policies policies_;
  Found found_;
  std::optional<cost::StepTime> best_;
};

/// Every combination of what `--free` opens, the job as it is left out.
source::Result<std::vector<rules::Fix>> other_jobs(const Request& request) {
  std::vector<rules::Fix> jobs{{}};
  std::vector<std::string_view> words;
  for (const auto& d : request.choices->dimensions)
    if (d.part == rules::Part::job) words.push_back(d.free);
  for (const auto& word : request.free) {
    if (std::ranges::find(words, word) == words.end())
      return failed(fmt::format("--free: '{}' is none of {}{}", word, fmt::join(words, ", "),
                                lang::did_you_mean(word, words)));
    for (const auto& d : request.choices->dimensions) {
      if (d.free != word) continue;
      const std::size_t before = jobs.size();
      for (const rules::Fix& choice : rules::choices_of(d, request.choices->pool, *request.bench.config)) {
        for (std::size_t i = 0; i < before; ++i) {
          rules::Fix both = joined(jobs[i], choice);
          both.title = jobs[i].title.empty() ? choice.title : jobs[i].title + ", " + choice.title;
          jobs.push_back(std::move(both));
        }
      }
    }
  }
  jobs.erase(jobs.begin());
  return jobs;
}

void keep_front(std::vector<Plan>& plans) {
  std::ranges::stable_sort(plans, {}, [](const Plan& p) { return p.time.value; });
  double least = 1e300;
  std::erase_if(plans, [&](const Plan& p) {
    if (p.used >= 0.995 * least) return true;
    least = p.used;
    return false;
  });
}

void add(Result& to, Result&& from) {
  to.searched += from.searched;
  to.legal += from.legal;
  to.fitting += from.fitting;
  to.seconds += from.seconds;
  std::ranges::move(from.plans, std::back_inserter(to.plans));
  std::ranges::move(from.pareto, std::back_inserter(to.pareto));
}

}  // namespace

source::Result<Result> search(const Request& request) {
  const auto jobs = other_jobs(request);
  if (!jobs) return tl::unexpected(jobs.error());
  Search own(request, nullptr);
  auto result = own.run();
  if (!result || jobs->empty()) return result;
  for (const rules::Fix& job : *jobs) {
    Reference reference = own.as_reference();
    reference.job = advise::writable(job, request.bench);
    reference.title = job.title;
    const advise::Applied applied = advise::apply(reference.job, request.bench);
    const auto config =
        resolve::resolve(applied.settings, applied.launch, *request.bench.schema, *request.bench.resolve);
    Request other = request;
    other.bench.settings = &applied.settings;
    other.bench.launch = &applied.launch;
    other.bench.config = &config;
    // A job that is no job (a sequence that the model cannot take) has no plans.
    if (auto more = Search(other, &reference).run()) add(*result, std::move(*more));
  }
  std::ranges::stable_sort(result->plans, {}, [](const Plan& p) { return p.time.value; });
  if (result->plans.size() > request.top) result->plans.resize(request.top);
  keep_front(result->pareto);
  return result;
}

}  // namespace headroom::plan
