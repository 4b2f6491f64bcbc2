// `headroom check`: many files in, findings out.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <thread>

#include "commands.hpp"
#include "file_report.hpp"
#include "headroom/lint/fix_text.hpp"
#include "headroom/report/report.hpp"
#include "headroom/source/edit.hpp"
#include "inputs.hpp"
#include "matrix.hpp"
#include "output.hpp"
#include "packs.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

// One file on one release: everything decided before threads start.
struct Work {
  std::string path;
  lint::Job job;
  std::shared_ptr<const Repository> repository;
  // What was read already: of a pipe the second reader gets nothing.
  std::shared_ptr<const source::Result<std::shared_ptr<const source::SourceText>>> read;
};

struct Checked {
  report::FileReport report;
  unsigned fixed = 0;
};

ExitStatus worse(ExitStatus a, ExitStatus b) {
  return std::max(a, b);
}

void print_error(const Options& options, const source::Error& error, const source::SourceText* text) {
  const std::string shown = report::error_text(error, text, text_options(options, stderr));
  static_cast<void>(write(stderr, shown));
}

// The first glob of `select` that no rule matches: a check of nothing must not pass for a clean one.
std::string without_rule(const lint::Job& job) {
  std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
  packs.insert(packs.end(), job.extra_packs.begin(), job.extra_packs.end());
  for (const auto& glob : job.selection.select) {
    const rules::Selection one{{glob}, {}};
    const auto chosen = [&](const rules::RulePack* pack) {
      return std::ranges::any_of(pack->rules, [&](const rules::Rule& r) { return one.wants(r.id); });
    };
    if (std::ranges::none_of(packs, chosen)) return glob;
  }
  return {};
}

class Check {
 public:
  explicit Check(const Options& options) : options_(options) {}

  ExitStatus run() {
    const auto words = split_words(options_);
    if (!words) return wrong(words.error(), nullptr);
    if (words->names.empty()) {
      const bool run = options_.command == Command::run;
      complain(options_, fmt::format("{0} needs a CONFIG{1} (see headroom {0} --help)", run ? "run" : "check",
                                     run ? "" : ", `-` for standard input, or a folder"));
      return exit_usage;
    }
    auto paths = expand(words->names, options_.fix);
    if (!paths) return wrong(paths.error(), nullptr);
    const auto beside = take_scripts(*paths);
    if (!beside) return wrong(beside.error(), nullptr);
    if (options_.command == Command::run && std::find(paths->begin(), paths->end(), "-") != paths->end()) {
      complain(options_, "run leaves standard input to the command: give the config as a file");
      return exit_usage;
    }
    if (options_.fix && std::find(paths->begin(), paths->end(), "-") != paths->end()) {
      complain(options_, "--fix cannot write to standard input; --diff shows what it would change");
      return exit_usage;
    }
    if (const ExitStatus status = prepare(*paths, words->overrides, *beside); status != exit_clean)
      return status;
    checked_.resize(work_.size());
    in_parallel(work_.size(), [this](std::size_t i) { checked_[i] = check_one(work_[i]); });
    return print();
  }

 private:
  ExitStatus wrong(const source::Error& error, const source::SourceText* text) {
    print_error(options_, error, text);
    return exit_usage;
  }

  ExitStatus prepare(const std::vector<std::string>& paths, const std::vector<source::Override>& overrides,
                     const lint::ContextOptions& beside) {
    RepositoryFinder finder;
    std::shared_ptr<const Repository> last;
    for (const auto& path : paths) {
      auto repository = finder.find(path);
      if (!repository) return wrong(repository.error().error, repository.error().text.get());
      if (options_.verbose && *repository != last && *repository != nullptr) {
        static_cast<void>(write(stderr, fmt::format("note: using {}\n", (*repository)->path)));
      }
      last = *repository;
      Work work{path, {}, *repository, nullptr};
      work.job.sets = overrides;
      work.job.command_line = options_.context;
      work.job.loader = options_.loader;
      work.job.dialect = options_.dialect;
      work.job.beside = beside;
      work.job.want_fixes = !options_.bridge_all;
      work.job.want_advice = options_.advice || options_.fail_on == rules::Severity::advice;
      std::vector<std::string> dirs = options_.rule_dirs;
      work.job.selection = {options_.select, options_.ignore};
      if (last != nullptr) {
        work.job.repository = last->context;
        dirs.insert(dirs.end(), last->rule_dirs.begin(), last->rule_dirs.end());
        if (options_.select.empty()) work.job.selection.select = last->select;
        work.job.selection.ignore.insert(work.job.selection.ignore.end(), last->ignore.begin(),
                                         last->ignore.end());
      }
      auto packs = packs_.load(dirs);
      if (!packs) {
        for (const auto& error : packs.error()) print_error(options_, error, nullptr);
        return exit_usage;
      }
      work.job.extra_packs = std::move(*packs);
      if (const auto glob = without_rule(work.job); !glob.empty()) {
        complain(options_, fmt::format("{}: no rule matches '{}' (headroom rule lists them)",
                                       options_.select.empty() ? last->path : "--select", glob));
        return exit_usage;
      }
      add(std::move(work));
    }
    return exit_clean;
  }

  void add(Work work) {
    if (!options_.bridge_all) {
      work_.push_back(std::move(work));
      return;
    }
    work.read = std::make_shared<const source::Result<std::shared_ptr<const source::SourceText>>>(
        source::read_file(work.path));
    for (int i = 0; i < schema::release_count; ++i) {
      work_.push_back(work);
      work_.back().job.command_line.bridge = schema::name(static_cast<schema::Release>(i));
    }
  }

  [[nodiscard]] Checked check_one(Work& work) const {
    auto text = work.read != nullptr ? *work.read : source::read_file(work.path);
    if (!text) return {unreadable_report(work.path, text.error()), 0};
    work.job.text = *text;
    lint::Outcome outcome = lint::lint(work.job);
    if (outcome.unreadable || (!options_.fix && !options_.diff)) {
      return {file_report(work.path, *text, std::move(outcome), options_.advice), 0};
    }
    return fix_one(work, *text, outcome);
  }

  [[nodiscard]] Checked fix_one(const Work& work, const std::shared_ptr<const source::SourceText>& text,
                                const lint::Outcome& outcome) const {
    lint::Fixed fixed = lint::fix_text(work.job, outcome, {options_.unsafe_fixes, options_.advice});
    if (options_.diff) {  // what stands in the file is reported, beside what would change
      Checked out{file_report(work.path, text, outcome, options_.advice), fixed.findings};
      out.report.diff = source::unified_diff(work.path, text->text(), fixed.text);
      return out;
    }
    if (fixed.text != text->text()) {
      if (auto written = source::replace_file(work.path, text->text(), fixed.text); !written) {
        return {unreadable_report(work.path, written.error()), 0};
      }
    }
    auto now = std::make_shared<const source::SourceText>(text->name(), std::move(fixed.text));
    return {file_report(work.path, std::move(now), std::move(fixed.outcome), options_.advice),
            fixed.findings};
  }

  // Threads over files; an exception (a bug) in one is thrown again here.
  void in_parallel(std::size_t count, const std::function<void(std::size_t)>& task) const {
    const unsigned wanted =
        options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min<std::size_t>(wanted, count);
    if (threads <= 1) {
      for (std::size_t i = 0; i < count; ++i) task(i);
      return;
    }
    std::atomic<std::size_t> next{0};
    std::vector<std::exception_ptr> failures(threads);
    {
      std::vector<std::jthread> pool;
      for (std::size_t t = 0; t < threads; ++t) {
        pool.emplace_back([&, t] {
          try {
            for (std::size_t i = next++; i < count; i = next++) task(i);
          } catch (...) {
            failures[t] = std::current_exception();
          }
        });
      }
    }
    for (const auto& failure : failures) {
      if (failure) std::rethrow_exception(failure);
    }
  }

  [[nodiscard]] ExitStatus status_of(const Work& work, const report::FileReport& report) const {
    if (report.unreadable) return exit_usage;
    const Repository* repository = work.repository.get();
    const bool own = options_.never_fail || options_.fail_on;
    if (own ? options_.never_fail : repository != nullptr && repository->never_fail) return exit_clean;
    auto least = rules::Severity::error;
    if (repository != nullptr && repository->fail_on) least = *repository->fail_on;
    if (options_.fail_on) least = *options_.fail_on;
    const auto counts = [&](const rules::Diagnostic& d) { return d.severity >= least; };
    const bool any = std::any_of(report.diagnostics.begin(), report.diagnostics.end(), counts);
    return any ? exit_findings : exit_clean;
  }

  ExitStatus print() {
    ExitStatus status = exit_clean;
    unsigned fixed = 0;
    std::vector<report::FileReport> reports;
    for (std::size_t i = 0; i < checked_.size(); ++i) {
      status = worse(status, status_of(work_[i], checked_[i].report));
      fixed += checked_[i].fixed;
      reports.push_back(std::move(checked_[i].report));
    }
    if (options_.format == Format::text) print_unreadable(reports);
    if (!write(findings_, document(reports))) return exit_usage;
    if (options_.quiet || options_.format == Format::json) return status;
    if (options_.fix || options_.diff) {
      static_cast<void>(
          write(stderr, fmt::format("{} {}\n", options_.fix ? "fixed:" : "--fix would repair:",
                                    fixed == 1 ? "1 finding" : fmt::format("{} findings", fixed))));
    }
    if (!options_.bridge_all) static_cast<void>(write(stderr, report::summary(reports)));
    return status;
  }

  // On standard error, as other failures: standard output holds findings. Of a matrix, each file once.
  void print_unreadable(const std::vector<report::FileReport>& reports) const {
    const report::TextOptions style = text_options(options_, stderr);
    const std::size_t step = options_.bridge_all ? schema::release_count : 1;
    for (std::size_t i = 0; i < reports.size(); i += step) {
      if (reports[i].unreadable) static_cast<void>(write(stderr, report::text(reports[i], style)));
    }
  }

  [[nodiscard]] std::string document(const std::vector<report::FileReport>& reports) const {
    if (options_.format == Format::json) return report::json(reports, HEADROOM_VERSION);
    const report::TextOptions style = text_options(options_, findings_);
    if (options_.bridge_all) return matrix(reports, style);
    std::string out;
    for (const auto& report : reports) {
      if (!report.unreadable) out += options_.diff ? report.diff : report::text(report, style);
    }
    return out;
  }

  const Options& options_;
  // The standard output of `run` is that of its command.
  std::FILE* findings_ = options_.command == Command::run ? stderr : stdout;
  Packs packs_;
  std::vector<Work> work_;
  std::vector<Checked> checked_;
};

}  // namespace

ExitStatus check(const Options& options) {
  return Check(options).run();
}

}  // namespace headroom::app
