// What the command line says, as plain values. CLI11 is seen by command_line.cpp alone.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "headroom/lint/lint.hpp"

namespace headroom::app {

/// docs: README, "Exit statuses". The output format never changes them.
enum ExitStatus : std::uint8_t { exit_clean = 0, exit_findings = 1, exit_usage = 2, exit_bug = 3 };

enum class Command : std::uint8_t {
  check,
  effective,
  estimate,
  plan,
  diff,
  explain,
  convert,
  calibrate,
  run,
  rule,
  test_rules,
  schema,
  lsp,
  generate
};
enum class Format : std::uint8_t { text, json, concise, sarif, github, gitlab, junit, markdown };
enum class ColorChoice : std::uint8_t { automatic, always, never };

/// What `plan` alone knows.
struct PlanOptions {
  bool fit = false;               ///< smallest change first
  std::vector<std::string> free;  ///< parts of the job that may change
  std::size_t top = 5, pick = 1;  ///< `pick`: the plan that --write and --diff take
  std::string write;
};

/// `--output FORMAT=FILE`
struct OutputFile {
  Format format = Format::text;
  std::string path;
};

struct Options {
  Command command = Command::check;
  std::vector<std::string> words;  ///< configs, fields, rule ids, `key=value`: what is no option
  std::vector<std::string> sets;   ///< `--set`
  lint::ContextOptions context;
  bool bridge_all = false;  ///< `--bridge all`
  std::optional<source::Loader> loader;
  std::string dialect;  ///< empty: detected
  std::vector<std::string> rule_dirs, select, ignore;
  std::vector<rules::SeverityChange> severities;  ///< `--severity`
  std::optional<rules::Severity> fail_on;
  bool never_fail = false;           ///< `--fail-on never`
  std::vector<std::string> budgets;  ///< `diff --fail-on`
  PlanOptions plan;
  std::string to;     ///< `convert`: target language
  unsigned jobs = 0;  ///< 0: one per processor
  Format format = Format::text;
  std::vector<OutputFile> outputs;
  std::string baseline;  ///< file; empty: none
  bool update_baseline = false;
  std::string diff_base;  ///< git revision; empty: everything is reported
  ColorChoice color = ColorChoice::automatic;
  bool advice = false, diff = false, fix = false, unsafe_fixes = false;
  bool quiet = false, verbose = false, all = false;
  bool why = false;                                          ///< estimate: print each formula
  bool no_ask = false;                                       ///< explain: no questions, no prompt
  std::vector<std::string> configs;                          ///< explain: `--config`
  std::vector<std::pair<std::string, std::string>> answers;  ///< explain: `--answer`
  std::string against, html;                                 ///< explain: an older snapshot; a page to write
  std::vector<std::string> command_words;                    ///< run: what stands behind `--`
  bool force = false;                                        ///< run: start the command in spite of errors
};

}  // namespace headroom::app
