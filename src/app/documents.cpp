#include "documents.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "matrix.hpp"
#include "output.hpp"

namespace headroom::app {
namespace {

constexpr std::size_t most_summary = 1000U << 10U;  // GitHub takes 1 MiB of a step, in all

std::string page_of(const rules::Rule& rule) {
  std::string_view page = rule.page;
  page.remove_prefix(std::min(page.find_first_not_of('\n'), page.size()));
  std::string out(page);
  if (rule.sources.empty()) return out;
  out += "\n## Sources\n";
  for (const auto& s : rule.sources) out += fmt::format("- {} `{}`: {}\n", s.repo, s.path, s.what);
  return out;
}

std::string text_document(const Results& results, const Options& options, const report::TextOptions& style,
                          bool everything) {
  if (options.bridge_all) return matrix(results.reports, style);
  std::string out;
  for (const auto& report : results.reports) {
    if (report.unreadable && !everything) continue;
    out += options.diff && !report.unreadable ? report.diff : report::text(report, style);
  }
  return everything ? out + report::summary(results.reports) : out;
}

std::vector<report::FileReport> one_a_file(const Results& results, const Options& options) {
  if (options.bridge_all) return report::merge_releases(results.reports, schema::release_count);
  return results.reports;
}

}  // namespace

bool for_people(Format format) {
  return format == Format::text || format == Format::concise || format == Format::github;
}

std::map<std::string, report::RuleText, std::less<>> rule_texts(
    const std::vector<report::FileReport>& reports, const std::vector<const rules::RulePack*>& packs) {
  std::map<std::string, report::RuleText, std::less<>> out;
  for (const auto& report : reports) {
    for (const auto& d : report.diagnostics) {
      if (out.contains(d.rule)) continue;
      report::RuleText& text = out[d.rule];
      text.severity = d.severity;
      for (const auto* pack : packs) {  // a later pack replaces rules of an earlier one
        if (const auto* rule = rules::find_rule(*pack, d.rule))
          text = {std::string(rule->title), page_of(*rule), rule->severity};
      }
    }
  }
  return out;
}

std::string document(Format format, const Results& results, const Options& options,
                     const report::TextOptions& style) {
  switch (format) {
    case Format::text:
      return text_document(results, options, style, false);
    case Format::json:
      return report::json(results.reports, HEADROOM_VERSION);
    case Format::concise:
      return report::concise(one_a_file(results, options));
    case Format::sarif:
      return report::sarif(
          {one_a_file(results, options), results.rules, HEADROOM_VERSION, HEADROOM_HOMEPAGE});
    case Format::github:
      return report::github(one_a_file(results, options));
    case Format::gitlab:
      return report::gitlab(one_a_file(results, options));
    case Format::junit:
      return report::junit(one_a_file(results, options));
    case Format::markdown:
      break;
  }
  return report::markdown(one_a_file(results, options), most_summary);
}

bool write_files(const Results& results, const Options& options) {
  bool good = true;
  for (const auto& output : options.outputs) {
    const report::TextOptions plain;
    const std::string text = output.format == Format::text ? text_document(results, options, plain, true)
                                                           : document(output.format, results, options, plain);
    good = write_file(options, output.path, text) && good;
  }
  const char* summary = std::getenv("GITHUB_STEP_SUMMARY");
  if (options.format != Format::github || summary == nullptr || *summary == '\0') return good;
  return append_file(options, summary, document(Format::markdown, results, options, {})) && good;
}

}  // namespace headroom::app
