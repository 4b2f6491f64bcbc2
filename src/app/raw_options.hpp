// What the command line says, word for word, and what it means. Knows nothing of the parser.
#pragma once
#include <array>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "command_texts.hpp"
#include "headroom/lint/options.hpp"
#include "headroom/source/document.hpp"
#include "options.hpp"

namespace headroom::app {

/// Options as they were given.
struct Raw {
  std::vector<std::string> words, plain, sets, env, env_files, rule_dirs, select, ignore, configs, answers,
      outputs, severities, free, budgets;
  std::map<std::string, std::string> context;  // bridge, gpus, …: text as given
  std::string loader = "auto", dialect = "auto", format = "text", color = "auto", fail_on, jobs, to, against,
              html, baseline, diff_base, top, pick, write;
  bool force = false;
  bool no_ask = false;
  bool advice = false, diff = false, fix = false, unsafe_fixes = false, quiet = false, verbose = false,
       all = false, version = false, why = false, update_baseline = false, fit = false;
};

using LoaderChoice = std::optional<source::Loader>;
inline constexpr std::array<std::pair<std::string_view, LoaderChoice>, 3> loaders{
    {{"auto", {}}, {"saved", source::Loader::py_yaml}, {"override", source::Loader::omega_conf}}};
inline constexpr std::array<std::pair<std::string_view, ColorChoice>, 3> colors{
    {{"auto", ColorChoice::automatic}, {"always", ColorChoice::always}, {"never", ColorChoice::never}}};

[[nodiscard]] std::vector<std::string_view> dialect_names();

/// Fills `options`; what is wrong with a value or a combination, or nothing.
[[nodiscard]] lint::Complaint take(Options& options, const CommandInfo& info, const Raw& raw);

}  // namespace headroom::app
