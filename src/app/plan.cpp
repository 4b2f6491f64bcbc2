// `headroom plan`: configs that are legal, fit, and run fastest.
#include "headroom/plan/plan.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "applying.hpp"
#include "commands.hpp"
#include "headroom/dialect/writer.hpp"
#include "headroom/report/plan.hpp"
#include "headroom/source/edit.hpp"
#include "output.hpp"
#include "packs.hpp"
#include "planning.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

class Planning {
 public:
  explicit Planning(const Options& options) : options_(options), schema_(schema::embedded_schema()) {}

  ExitStatus run() {
    if (const ExitStatus status = read_single(options_, "plan", input_); status != exit_clean) return status;
    if (!input_.rest.empty()) {
      complain(options_, "plan takes one CONFIG");
      return exit_usage;
    }
    if (auto searched = search(); !searched) return fail(searched.error());
    return options_.diff || !options_.plan.write.empty() ? save() : print();
  }

  source::Result<std::string> page(Single input, const report::TextOptions& look) {
    input_ = std::move(input);
    if (auto searched = search(); !searched) return tl::unexpected(searched.error());
    return report::plan_text(report_, look);
  }

 private:
  source::Result<void> search() {
    auto packs = packs_.load(options_.rule_dirs);
    if (!packs) return tl::unexpected(packs.error().front());
    all_packs_.push_back(&rules::embedded_rules());
    all_packs_.insert(all_packs_.end(), packs->begin(), packs->end());
    selection_ = {options_.select, options_.ignore};
    auto found = plan::search(request());
    clear_progress();
    if (!found) {
      source::Error error = found.error();
      error.source = input_.path;
      return tl::unexpected(std::move(error));
    }
    report_ = {input_.path, device(), options_.plan.fit, std::move(*found), {}};
    for (const auto& p : report_.result.plans) report_.words.push_back(words_of(p.change));
    return {};
  }

  ExitStatus fail(const source::Error& error) const {
    static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
    return exit_usage;
  }

  plan::Request request() {
    const resolve::EffectiveConfig& config = input_.outcome.config;
    plan::Request out;
    out.bench = {&input_.outcome.settings,
                 &config.launch,
                 &schema_,
                 &rules::embedded_resolve(),
                 all_packs_,
                 &selection_,
                 &config,
                 {}};
    out.choices = &rules::embedded_choices();
    out.free = options_.plan.free;
    out.threads = options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
    out.top = std::max<std::size_t>(options_.plan.top, options_.plan.pick);
    out.fit = options_.plan.fit;
    if (isatty(fileno(stderr)) != 0 && !options_.quiet)
      out.progress = [this](double done) { progress(done); };
    return out;
  }

  void progress(double done) {
    const int percent = static_cast<int>(100 * done);
    if (shown_.exchange(percent) == percent) return;
    static_cast<void>(write(stderr, fmt::format("\rsearching {:>3} %", percent)));
  }

  void clear_progress() {
    if (shown_ >= 0) static_cast<void>(write(stderr, "\r\x1b[K"));
  }

  [[nodiscard]] std::string device() const {
    const resolve::LaunchContext& launch = input_.outcome.config.launch;
    return fmt::format("{} {}", launch.gpus.value_or(0),
                       launch.gpu != nullptr ? launch.gpu->kind : std::string_view("GPUs"));
  }

  [[nodiscard]] std::vector<std::string> words_of(const rules::Fix& fix) const {
    std::vector<std::string> out;
    std::vector<dialect::Change> changes;
    for (const auto& field : fix.unset) changes.push_back({field, std::nullopt});
    for (const auto& [field, value] : fix.set) changes.push_back({field, value});
    for (const auto& [name, value] : fix.env)
      changes.push_back({"env." + name, value ? std::optional(source::Value(*value)) : std::nullopt});
    const auto spelt =
        dialect::spell(input_.outcome.settings, schema_, input_.outcome.config.launch.release, changes);
    if (spelt) {
      for (const auto& s : *spelt) out.push_back(dialect::words_of(s));
      return out;
    }
    report::FileReport names;
    return report::fix_words(fix, names);
  }

  ExitStatus print() const {
    for (const auto& note : input_.outcome.notes) static_cast<void>(write(stderr, "note: " + note + "\n"));
    const std::string out = options_.format == Format::json
                                ? report::plan_json(report_)
                                : report::plan_text(report_, text_options(options_, stdout));
    if (!write(stdout, out)) return exit_usage;
    return report_.result.plans.empty() ? exit_findings : exit_clean;
  }

  // The chosen plan in a copy of the config; with --diff only shown.
  ExitStatus save() const {
    const std::size_t pick = options_.plan.pick;
    if (report_.result.plans.size() < pick) {
      complain(options_, fmt::format("there is no plan {}: {} found", pick, report_.result.plans.size()));
      return report_.result.plans.empty() ? exit_findings : exit_usage;
    }
    const rules::Fix& change = report_.result.plans[pick - 1].change;
    const auto text = with_change(change, input_.text, options_.loader, input_.outcome);
    if (!text) {
      source::Error error = text.error();
      error.source = input_.path;
      return fail(error);
    }
    for (const auto& [name, value] : change.env) {
      static_cast<void>(write(stderr, value ? fmt::format("note: the launch needs {}={}\n", name, *value)
                                            : fmt::format("note: the launch must not set {}\n", name)));
    }
    if (options_.diff)
      return write_own(stdout, source::unified_diff(input_.path, input_.text->text(), (*text)->text()))
                 ? exit_clean
                 : exit_usage;
    if (auto written = write_new(options_.plan.write, std::string((*text)->text())); !written)
      return fail(written.error());
    return exit_clean;
  }

  const Options& options_;
  const schema::Schema& schema_;
  Single input_;
  Packs packs_;
  std::vector<const rules::RulePack*> all_packs_;
  rules::Selection selection_;
  report::PlanReport report_;
  std::atomic<int> shown_{-1};
};

}  // namespace

source::Result<std::string> plan_page(const Options& options, Single input, const report::TextOptions& look) {
  return Planning(options).page(std::move(input), look);
}

ExitStatus plan(const Options& options) {
  return Planning(options).run();
}

}  // namespace headroom::app
