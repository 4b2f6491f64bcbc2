#include "explain_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "explaining.hpp"
#include "headroom/oom/snapshot.hpp"
#include "headroom/report/snapshot.hpp"
#include "headroom/report/terminal.hpp"
#include "headroom/snapshot/read.hpp"
#include "output.hpp"

namespace headroom::app {
namespace {

/// A snapshot with what it tells.
struct Loaded {
  std::string name;
  snapshot::Snapshot snapshot;
  snapshot::Story story;
};

source::Result<Loaded> load(const std::string& path, oom::Input& input) {
  const std::string name = path == "-" ? "<stdin>" : path;
  std::optional<source::Error> broken;
  std::string_view rest;
  const snapshot::ReadBytes bytes = [&](char* to, std::size_t most) -> std::size_t {
    if (rest.empty()) {
      auto next = input.read();
      if (!next) broken = next.error();
      rest = next ? *next : std::string_view();
    }
    const std::size_t n = rest.copy(to, most);
    rest.remove_prefix(n);
    return n;
  };
  auto read = snapshot::read(bytes, name);
  if (broken) return tl::unexpected(*broken);
  if (!read) return tl::unexpected(read.error());
  Loaded out{name, std::move(*read), {}};
  out.story = snapshot::tell(out.snapshot, schema::embedded_log_table(), schema::embedded_owner_table());
  return out;
}

class SnapshotCommand {
 public:
  explicit SnapshotCommand(const Options& options) : options_(options) {}

  ExitStatus run(const std::string& path, oom::Input& input) {
    const auto loaded = load(path, input);
    if (!loaded) return fail(loaded.error());
    return options_.against.empty() ? explain(*loaded) : compare(*loaded);
  }

 private:
  ExitStatus fail(const source::Error& error) const {
    static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
    return exit_usage;
  }

  ExitStatus explain(const Loaded& loaded) const {
    oom::LogFacts facts = oom::facts_of(loaded.snapshot, loaded.story);
    for (oom::Failure& failure : facts.failures) failure.rank = oom::rank_of_file(loaded.name);
    Explaining run(options_, loaded.name, std::move(facts));
    if (const auto ok = run.take_options(); !ok) return fail(ok.error());
    const auto explanation = run.run();
    if (!explanation) return fail(explanation.error());
    const auto report = report::snapshot_report(loaded.snapshot, loaded.story, schema::embedded_log_table(),
                                                schema::embedded_owner_table());
    if (!options_.html.empty()) {
      const std::string page = report::snapshot_html(report, *explanation);
      if (options_.html == "-") return write(stdout, page) ? exit_clean : exit_usage;
      if (const ExitStatus status = write_page(page, loaded.name); status != exit_clean) return status;
    }
    const std::string out = options_.format == Format::json
                                ? report::explain_json(*explanation, HEADROOM_VERSION, &report)
                                : text(*explanation, report);
    return write(stdout, out) ? exit_clean : exit_usage;
  }

  [[nodiscard]] std::string text(const report::ExplainReport& explanation,
                                 const report::SnapshotReport& report) const {
    const report::TextOptions style = text_options(options_, stdout);
    std::string head = report::evidence_text(explanation, style);
    while (head.ends_with("\n\n")) head.pop_back();
    return head + report::snapshot_text(report, style) + report::remedies_text(explanation, 5, style);
  }

  ExitStatus write_page(const std::string& page, const std::string& snapshot) const {
    std::vector<std::string> reads = options_.configs;
    reads.push_back(snapshot);
    if (!spares(options_, options_.html, reads) || !write_file(options_, options_.html, page))
      return exit_usage;
    static_cast<void>(write(stderr, fmt::format("note: wrote {}\n", report::printable(options_.html))));
    return exit_clean;
  }

  ExitStatus compare(const Loaded& after) const {
    auto input = oom::Input::open(options_.against);
    if (!input) return fail(input.error());
    const auto before = load(options_.against, *input);
    if (!before) return fail(before.error());
    const auto compared = snapshot::compare({before->snapshot, before->story}, {after.snapshot, after.story},
                                            schema::embedded_log_table(), schema::embedded_owner_table());
    const std::string out =
        options_.format == Format::json
            ? report::comparison_json(before->name, after.name, compared, HEADROOM_VERSION)
            : report::comparison_text(before->name, after.name, compared, text_options(options_, stdout));
    return write(stdout, out) ? exit_clean : exit_usage;
  }

  const Options& options_;
};

}  // namespace

bool is_snapshot_name(const std::string& path) {
  std::string_view name = path;
  for (const std::string_view end : {".gz", ".zst"})
    if (name.ends_with(end)) name.remove_suffix(end.size());
  return name.ends_with(".pickle") || name.ends_with(".pkl");
}

ExitStatus explain_snapshot(const Options& options, const std::string& path, oom::Input& input) {
  return SnapshotCommand(options).run(path, input);
}

}  // namespace headroom::app
