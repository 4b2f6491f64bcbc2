#include "work.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "headroom/report/report.hpp"
#include "inputs.hpp"
#include "output.hpp"

namespace headroom::app {
namespace {

void add(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

/// The first glob of `globs` that no rule matches: a check of nothing must not pass for a clean one.
std::string without_rule(const std::vector<std::string>& globs, const lint::Job& job) {
  std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
  packs.insert(packs.end(), job.extra_packs.begin(), job.extra_packs.end());
  for (const auto& glob : globs) {
    const auto chosen = [&](const rules::RulePack* pack) {
      return std::ranges::any_of(pack->rules, [&](const rules::Rule& r) {
        return rules::matches({&glob, 1}, r.id);
      });
    };
    if (std::ranges::none_of(packs, chosen)) return glob;
  }
  return {};
}

class Planner {
 public:
  Planner(const Options& options, Packs& packs) : options_(options), packs_(packs) {}

  std::optional<WorkList> plan() {
    auto words = split_words(options_);
    if (!words) return wrong(words.error(), nullptr);
    if (words->names.empty()) {
      const bool run = options_.command == Command::run;
      return wrong(fmt::format("{0} needs a CONFIG{1} (see headroom {0} --help)", run ? "run" : "check",
                               run ? "" : ", `-` for standard input, or a folder"));
    }
    auto paths = expand(words->names, options_.fix);
    if (!paths) return wrong(paths.error(), nullptr);
    const std::vector<std::string> given = *paths;
    const auto beside = take_scripts(*paths);
    if (!beside) return wrong(beside.error(), nullptr);
    const bool input = std::ranges::find(*paths, "-") != paths->end();
    if (options_.command == Command::run && input)
      return wrong("run leaves standard input to the command: give the config as a file");
    if (options_.fix && input)
      return wrong("--fix cannot write to standard input; --diff shows what it would change");
    if (!options_.diff_base.empty()) {
      auto base = GitBase::open(options_.diff_base);
      if (!base) return wrong(base.error().message);
      out_.base = std::move(*base);
      for (const auto& path : given) {
        const bool script = std::ranges::find(*paths, path) == paths->end();
        launch_changed_ =
            launch_changed_ || (script && out_.base->state_of(path) != GitBase::State::unchanged);
      }
    }
    for (const auto& path : *paths) {
      if (!add_file(path, words->overrides, *beside)) return std::nullopt;
    }
    return std::move(out_);
  }

 private:
  std::nullopt_t wrong(const source::Error& error, const source::SourceText* text) const {
    static_cast<void>(write(stderr, report::error_text(error, text, text_options(options_, stderr))));
    return std::nullopt;
  }
  std::nullopt_t wrong(const std::string& message) const {
    complain(options_, message);
    return std::nullopt;
  }

  bool add_file(const std::string& path, const std::vector<source::Override>& overrides,
                const lint::ContextOptions& beside) {
    auto found = finder_.find(path);
    if (!found) return wrong(found.error().error, found.error().text.get()), false;
    if (options_.verbose && *found != last_ && *found != nullptr)
      static_cast<void>(write(stderr, fmt::format("note: using {}\n", (*found)->path)));
    last_ = *found;
    Work work;
    work.path = path;
    work.repository = *found;
    if (*found != nullptr) work.settings = (*found)->settings_for(path);
    lint::Job& job = work.job;
    job.sets = overrides;
    job.command_line = options_.context;
    job.repository = work.settings.context;
    job.loader = options_.loader;
    job.dialect = options_.dialect;
    job.beside = beside;
    job.want_fixes = !options_.bridge_all;
    job.want_advice = options_.advice || least_severity(options_, work.settings) == rules::Severity::advice;
    return select_rules(work) && compare_with_base(work);
  }

  bool select_rules(Work& work) {
    lint::Job& job = work.job;
    const RepositorySettings& settings = work.settings;
    job.selection = selection_of(options_, settings);
    std::vector<std::string> dirs = options_.rule_dirs;
    add(dirs, settings.rule_dirs);
    auto packs = packs_.load(dirs);
    if (!packs) {
      for (const auto& error : packs.error()) wrong(error, nullptr);
      return false;
    }
    job.extra_packs = std::move(*packs);
    const std::string file = work.repository != nullptr ? work.repository->path : std::string();
    return known(job.selection.select, options_.select.empty() ? file : "--select", job) &&
           known(globs_of(settings.severities), file, job) &&
           known(globs_of(options_.severities), "--severity", job);
  }

  static std::vector<std::string> globs_of(const std::vector<rules::SeverityChange>& changes) {
    std::vector<std::string> out;
    for (const auto& change : changes) out.push_back(change.glob);
    return out;
  }

  bool known(const std::vector<std::string>& globs, const std::string& where, const lint::Job& job) const {
    const std::string glob = without_rule(globs, job);
    if (glob.empty()) return true;
    complain(options_, fmt::format("{}: no rule matches '{}' (headroom rule lists them)", where, glob));
    return false;
  }

  bool compare_with_base(Work& work) {
    if (out_.base) {
      const GitBase::State state = out_.base->state_of(work.path);
      const bool context = context_changed(work);
      if (state == GitBase::State::unchanged && !context) {
        ++out_.unchanged;
        return true;
      }
      work.against_base = state == GitBase::State::changed && !context;
    }
    push(std::move(work));
    return true;
  }

  // What a verdict rests on besides the file: then the file as it was says nothing about what is new.
  [[nodiscard]] bool context_changed(const Work& work) const {
    if (launch_changed_) return true;
    std::vector<std::string> dirs = options_.rule_dirs;
    add(dirs, work.settings.rule_dirs);
    const bool rules = std::ranges::any_of(dirs, [&](const auto& d) { return out_.base->changed_below(d); });
    return rules || (work.repository != nullptr &&
                     out_.base->state_of(work.repository->path) != GitBase::State::unchanged);
  }

  void push(Work work) {
    if (!options_.bridge_all) {
      out_.work.push_back(std::move(work));
      return;
    }
    work.read = std::make_shared<const source::Result<std::shared_ptr<const source::SourceText>>>(
        source::read_file(work.path));
    for (int i = 0; i < schema::release_count; ++i) {
      out_.work.push_back(work);
      out_.work.back().job.command_line.bridge = schema::name(static_cast<schema::Release>(i));
    }
  }

  const Options& options_;
  Packs& packs_;
  RepositoryFinder finder_;
  std::shared_ptr<const Repository> last_;
  bool launch_changed_ = false;
  WorkList out_;
};

}  // namespace

std::optional<rules::Severity> least_severity(const Options& options, const RepositorySettings& settings) {
  if (options.never_fail) return std::nullopt;
  if (options.fail_on) return options.fail_on;
  if (settings.never_fail) return std::nullopt;
  return settings.fail_on.value_or(rules::Severity::error);
}

std::optional<WorkList> work_of(const Options& options, Packs& packs) {
  return Planner(options, packs).plan();
}

}  // namespace headroom::app
