// `headroom diff`: what a change does.
#include "headroom/diff/diff.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "commands.hpp"
#include "headroom/report/diff.hpp"
#include "headroom/report/terminal.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "packs.hpp"
#include "repository.hpp"
#include "revision.hpp"

namespace headroom::app {
namespace {

struct Side {
  std::string name;
  std::shared_ptr<const source::SourceText> text;
  lint::Outcome outcome;
};

class Comparison {
 public:
  explicit Comparison(const Options& options) : options_(options) {}

  ExitStatus run() {
    if (const ExitStatus status = read_budgets(); status != exit_clean) return status;
    auto words = split_words(options_);
    if (!words) return fail(words.error(), nullptr);
    auto beside = take_scripts(words->names);
    if (!beside) return fail(beside.error(), nullptr);
    beside_ = *beside;
    // With one file the words are the change; with two they hold for both.
    const bool with_itself = words->names.size() == 1 && !words->overrides.empty();
    if (words->names.size() != 2 && !with_itself) {
      complain(options_,
               "diff needs OLD and NEW, or one CONFIG and words that change it (see headroom diff --help)");
      return exit_usage;
    }
    auto packs = packs_.load(options_.rule_dirs);
    if (!packs) {
      for (const auto& error : packs.error()) static_cast<void>(fail(error, nullptr));
      return exit_usage;
    }
    extra_packs_ = std::move(*packs);
    before_.name = words->names.front();
    after_.name = words->names.back();
    const std::vector<source::Override> none;
    if (const ExitStatus status = read(before_, with_itself ? none : words->overrides); status != exit_clean)
      return status;
    if (with_itself) after_.text = before_.text;
    if (const ExitStatus status = read(after_, words->overrides); status != exit_clean) return status;
    if (with_itself) after_.name += " with the change";
    return print();
  }

 private:
  ExitStatus fail(const source::Error& error, const source::SourceText* text) const {
    static_cast<void>(write(stderr, report::error_text(error, text, text_options(options_, stderr))));
    return exit_usage;
  }

  ExitStatus read_budgets() {
    for (const auto& text : options_.budgets) {
      auto budget = diff::parse_budget(text);
      if (!budget) {
        complain(options_,
                 fmt::format("--fail-on: '{}' is no severity and no budget such as memory+2GiB, memory+5%, "
                             "step-time+5%",
                             text));
        return exit_usage;
      }
      budgets_.push_back(std::move(*budget));
    }
    if (budgets_.empty()) budgets_.push_back(*diff::parse_budget("error"));
    return exit_clean;
  }

  ExitStatus read(Side& side, const std::vector<source::Override>& words) {
    const bool revision = is_revision(side.name);
    if (side.text == nullptr) {
      auto text = revision ? read_revision(side.name) : source::read_file(side.name);
      if (!text) return fail(text.error(), nullptr);
      side.text = *text;
    }
    const std::string path = revision ? side.name.substr(side.name.find(':') + 1) : side.name;
    auto repository = RepositoryFinder().find(path);
    if (!repository) return fail(repository.error().error, repository.error().text.get());
    lint::Job job;
    job.text = side.text;
    job.sets = words;
    job.command_line = options_.context;
    job.beside = beside_;
    job.loader = options_.loader;
    job.dialect = options_.dialect;
    job.want_fixes = false;
    job.want_advice = wants_advice();
    job.selection = {options_.select, options_.ignore};
    job.extra_packs = extra_packs_;
    if (*repository != nullptr) job.repository = (*repository)->settings_for(path).context;
    side.outcome = lint::lint(job);
    if (side.outcome.unreadable) return fail(*side.outcome.unreadable, side.text.get());
    return exit_clean;
  }

  [[nodiscard]] bool wants_advice() const {
    return std::ranges::any_of(budgets_, [](const diff::Budget& b) {
      return b.kind == diff::Budget::Kind::severity && b.severity == rules::Severity::advice;
    });
  }

  ExitStatus print() const {
    report::DiffReport report{before_.name, after_.name, {}, {}};
    report.diff = diff::compare({&before_.outcome.config, &before_.outcome.findings},
                                {&after_.outcome.config, &after_.outcome.findings});
    for (const auto& budget : budgets_)
      if (auto over = diff::exceeds(report.diff, budget)) report.over.push_back(std::move(*over));
    for (const auto& note : after_.outcome.notes)
      static_cast<void>(write(stderr, "note: " + report::printable(note) + "\n"));
    const std::string out = options_.format == Format::json ? report::diff_json(report)
                            : options_.format == Format::markdown
                                ? report::diff_markdown(report)
                                : report::diff_text(report, text_options(options_, stdout));
    if (!write(stdout, out)) return exit_usage;
    return report.over.empty() ? exit_clean : exit_findings;
  }

  const Options& options_;
  Packs packs_;
  std::vector<const rules::RulePack*> extra_packs_;
  lint::ContextOptions beside_;
  std::vector<diff::Budget> budgets_;
  Side before_, after_;
};

}  // namespace

ExitStatus diff(const Options& options) {
  return Comparison(options).run();
}

}  // namespace headroom::app
