#include "single.hpp"

#include <fmt/format.h>

#include "headroom/report/report.hpp"
#include "inputs.hpp"
#include "output.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

ExitStatus fail(const Options& options, const source::Error& error, const source::SourceText* text) {
  static_cast<void>(write(stderr, report::error_text(error, text, text_options(options, stderr))));
  return exit_usage;
}

}  // namespace

ExitStatus read_single(const Options& options, std::string_view command, Single& out) {
  auto words = split_words(options);
  if (!words) return fail(options, words.error(), nullptr);
  const auto beside = take_scripts(words->names);
  if (!beside) return fail(options, beside.error(), nullptr);
  if (words->names.empty()) {
    complain(options, fmt::format("{} needs a CONFIG, or `-` for standard input (see headroom {} --help)",
                                  command, command));
    return exit_usage;
  }
  out.path = words->names.front();
  out.rest.assign(words->names.begin() + 1, words->names.end());
  const auto text = source::read_file(out.path);
  if (!text) return fail(options, text.error(), nullptr);
  out.text = *text;
  auto repository = RepositoryFinder().find(out.path);
  if (!repository) return fail(options, repository.error().error, repository.error().text.get());
  lint::Job job;
  job.text = out.text;
  job.sets = words->overrides;
  job.command_line = options.context;
  job.beside = *beside;
  job.loader = options.loader;
  job.dialect = options.dialect;
  job.want_fixes = false;
  job.selection.ignore = {"*"};  // looking at values is no check
  if (*repository != nullptr) {
    job.repository = (*repository)->settings_for(out.path).context;
    if (options.verbose)
      static_cast<void>(write(stderr, fmt::format("note: using {}\n", (*repository)->path)));
  }
  out.outcome = lint::lint(job);
  if (out.outcome.unreadable) return fail(options, *out.outcome.unreadable, out.text.get());
  return exit_clean;
}

}  // namespace headroom::app
