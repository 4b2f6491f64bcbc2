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

enum class Command : std::uint8_t { check, effective, estimate, plan, diff, convert, rule, test_rules };
enum class Format : std::uint8_t { text, json, markdown };
enum class ColorChoice : std::uint8_t { automatic, always, never };

/// What `plan` alone knows.
struct PlanOptions {
  bool fit = false;               ///< smallest change first
  std::vector<std::string> free;  ///< parts of the job that may change
  double margin_share = 0, margin_bytes = 0;
  std::size_t top = 5, pick = 1;  ///< `pick`: the plan that --write and --diff take
  std::string write;
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
  std::optional<rules::Severity> fail_on;
  bool never_fail = false;           ///< `--fail-on never`
  std::vector<std::string> budgets;  ///< `diff --fail-on`
  PlanOptions plan;
  std::string to;     ///< `convert`: target language
  unsigned jobs = 0;  ///< 0: one per processor
  Format format = Format::text;
  ColorChoice color = ColorChoice::automatic;
  bool advice = false, diff = false, fix = false, unsafe_fixes = false;
  bool quiet = false, verbose = false, all = false;
  bool why = false;  ///< estimate: print each formula
};

}  // namespace headroom::app
