// `headroom check`: many files in, findings out.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "baseline.hpp"
#include "commands.hpp"
#include "documents.hpp"
#include "file_report.hpp"
#include "headroom/lint/fix_text.hpp"
#include "headroom/source/difference.hpp"
#include "headroom/source/edit.hpp"
#include "new_findings.hpp"
#include "output.hpp"
#include "parallel.hpp"
#include "progress.hpp"
#include "root.hpp"
#include "work.hpp"

namespace headroom::app {
namespace {

using Text = std::shared_ptr<const source::SourceText>;

struct Checked {
  report::FileReport report;
  unsigned fixed = 0;
};

// The fixes as bytes of the file, for those that can be written there.
void add_edits(lint::Outcome& outcome, const lint::Job& job) {
  for (auto& d : outcome.findings.diagnostics) {
    for (auto& fix : d.fixes) {
      if (!lint::fits_in_file(fix)) continue;
      if (const Text after = lint::text_with(fix, job, outcome))
        fix.edits = source::edits_between(job.text->text(), after->text());
    }
  }
}

class Check {
 public:
  explicit Check(const Options& options) : options_(options), root_(Root::find()) {
    const auto is_sarif = [](const OutputFile& o) { return o.format == Format::sarif; };
    want_edits_ = options.format == Format::sarif || std::ranges::any_of(options.outputs, is_sarif);
  }

  ExitStatus run() {
    auto list = work_of(options_, packs_);
    if (!list) return exit_usage;
    list_ = std::move(*list);
    if (!spares_inputs()) return exit_usage;
    std::optional<Baseline> baseline;
    if (!open_baseline(baseline)) return exit_usage;
    checked_.resize(list_.work.size());
    {
      Progress progress(checked_.size(), !options_.quiet);
      in_parallel(options_.jobs, checked_.size(), [&](std::size_t i) {
        checked_[i] = check_one(list_.work[i]);
        progress.step();
      });
    }
    for (auto& checked : checked_) {
      checked.report.repository_path = root_.name_of(checked.report.path);
      fixed_ += checked.fixed;
      results_.reports.push_back(std::move(checked.report));
    }
    if (baseline && !use(*baseline)) return exit_usage;
    return print();
  }

 private:
  /// Before anything is written: a config that is mended and then lost to a report would be gone.
  bool spares_inputs() const {
    std::vector<std::string> reads{options_.baseline};
    for (const Work& work : list_.work) reads.push_back(work.path);
    return std::ranges::all_of(options_.outputs,
                               [&](const OutputFile& o) { return spares(options_, o.path, reads); });
  }

  bool open_baseline(std::optional<Baseline>& baseline) const {
    if (options_.baseline.empty()) return true;
    std::error_code error;
    if (options_.update_baseline && !std::filesystem::exists(options_.baseline, error)) {
      baseline.emplace(options_.baseline);
      return true;
    }
    auto read = Baseline::read(options_.baseline);
    if (read) {
      baseline = std::move(*read);
      return true;
    }
    source::Error why = read.error().error;
    if (!std::filesystem::exists(options_.baseline, error)) why.message += " (--update-baseline writes it)";
    static_cast<void>(
        write(stderr, report::error_text(why, read.error().text.get(), text_options(options_, stderr))));
    return false;
  }

  bool use(Baseline& baseline) {
    std::vector<rules::Selection> selections;
    for (const auto& work : list_.work) selections.push_back(work.job.selection);
    if (options_.update_baseline) {
      baseline.update(results_.reports, selections);
      if (!write_file(options_, baseline.path(), baseline.text())) return false;
      remark(fmt::format("{}: {} in the baseline now", baseline.path(), counted(baseline.size(), "finding")));
    }
    for (auto& report : results_.reports) baseline.apply(report);
    if (const std::size_t stale = baseline.stale(results_.reports, selections); stale != 0) {
      remark(fmt::format("{}: {} found here no more; --update-baseline drops {}", baseline.path(),
                         counted(stale, "known finding"), stale == 1 ? "it" : "them"));
    }
    return true;
  }

  static std::string counted(std::size_t n, std::string_view what) {
    return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s");
  }

  void remark(const std::string& text) const {
    if (!options_.quiet) static_cast<void>(write(stderr, fmt::format("note: {}\n", text)));
  }

  [[nodiscard]] Checked check_one(Work& work) const {
    auto text = work.read != nullptr ? *work.read : source::read_file(work.path);
    if (!text) return {unreadable_report(work.path, text.error()), 0};
    work.job.text = *text;
    lint::Outcome outcome = lint::lint(work.job);
    if (!outcome.unreadable && (options_.fix || options_.diff)) return fix_one(work, *text, outcome);
    return {report_of(work, work.job, std::move(outcome)), 0};
  }

  [[nodiscard]] report::FileReport report_of(const Work& work, const lint::Job& job,
                                             lint::Outcome outcome) const {
    if (want_edits_ && !outcome.unreadable) add_edits(outcome, job);
    report::FileReport out = file_report(work.path, job.text, std::move(outcome), job.want_advice);
    if (work.against_base && !out.unreadable) {
      // A file that cannot be had at the base is a new one.
      if (const auto before = list_.base->text_of(work.path)) keep_new(out, job, *before);
    }
    return out;
  }

  [[nodiscard]] Checked fix_one(const Work& work, const Text& text, const lint::Outcome& outcome) const {
    lint::Fixed fixed = lint::fix_text(work.job, outcome, {options_.unsafe_fixes, options_.advice});
    if (options_.diff) {  // what stands in the file is reported, beside what would change
      Checked out{report_of(work, work.job, outcome), fixed.findings};
      out.report.diff = source::unified_diff(work.path, text->text(), fixed.text);
      return out;
    }
    if (fixed.text != text->text()) {
      if (auto written = source::replace_file(work.path, text->text(), fixed.text); !written) {
        return {unreadable_report(work.path, written.error()), 0};
      }
    }
    lint::Job now = work.job;
    now.text = std::make_shared<const source::SourceText>(text->name(), std::move(fixed.text));
    return {report_of(work, now, std::move(fixed.outcome)), fixed.findings};
  }

  [[nodiscard]] ExitStatus status_of(const Work& work, const report::FileReport& report) const {
    if (report.unreadable) return exit_usage;
    const auto least = least_severity(options_, work.settings);
    const auto counts = [&](const rules::Diagnostic& d) { return least && d.severity >= *least; };
    return std::ranges::any_of(report.diagnostics, counts) ? exit_findings : exit_clean;
  }

  ExitStatus print() {
    ExitStatus status = exit_clean;
    for (std::size_t i = 0; i < results_.reports.size(); ++i)
      status = std::max(status, status_of(list_.work[i], results_.reports[i]));
    std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
    for (const auto& work : list_.work)  // few: each folder is loaded once
      for (const auto* pack : work.job.extra_packs)
        if (std::ranges::find(packs, pack) == packs.end()) packs.push_back(pack);
    results_.rules = rule_texts(results_.reports, packs);
    if (options_.format == Format::text) print_unreadable();
    const std::string out = document(options_.format, results_, options_, text_options(options_, findings_));
    const bool patch = options_.diff && options_.format == Format::text;
    if (!(patch ? write_own(findings_, out) : write(findings_, out))) return exit_usage;
    if (!write_files(results_, options_)) return exit_usage;
    if (!options_.quiet && for_people(options_.format)) print_summary();
    return status;
  }

  void print_summary() const {
    if (options_.fix || options_.diff) {
      static_cast<void>(write(stderr, fmt::format("{} {}\n", options_.fix ? "fixed:" : "--fix would repair:",
                                                  counted(fixed_, "finding"))));
    }
    if (list_.unchanged != 0)
      remark(fmt::format("{} not changed since {}", counted(list_.unchanged, "file"), options_.diff_base));
    if (options_.bridge_all) return;
    static_cast<void>(write(stderr, report::summary(results_.reports)));
  }

  // On standard error, as other failures: standard output holds findings. Of a matrix, each file once.
  void print_unreadable() const {
    const report::TextOptions style = text_options(options_, stderr);
    const std::size_t step = options_.bridge_all ? schema::release_count : 1;
    for (std::size_t i = 0; i < results_.reports.size(); i += step) {
      const auto& report = results_.reports[i];
      if (report.unreadable) static_cast<void>(write(stderr, report::text(report, style)));
    }
  }

  const Options& options_;
  // The standard output of `run` is that of its command.
  std::FILE* findings_ = options_.command == Command::run ? stderr : stdout;
  Root root_;
  bool want_edits_ = false;
  Packs packs_;
  WorkList list_;
  std::vector<Checked> checked_;
  unsigned fixed_ = 0;
  Results results_;
};

}  // namespace

ExitStatus check(const Options& options) {
  return Check(options).run();
}

}  // namespace headroom::app
