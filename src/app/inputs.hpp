// What the words of a command line name: files, folders, settings.
#pragma once
#include <string>
#include <vector>

#include "headroom/source/document.hpp"
#include "options.hpp"

namespace headroom::app {

struct Words {
  std::vector<std::string> names;           ///< configs, fields: what is no override
  std::vector<source::Override> overrides;  ///< of `--set`, then of the words, in order
};

/// Parts `key=value`, `+key=value` and `~key` from the rest. A word that is the name of a file stays one.
[[nodiscard]] source::Result<Words> split_words(const Options& options);

/// Takes launch scripts that stand beside configs out of `paths`: what they say about the launch.
[[nodiscard]] source::Result<lint::ContextOptions> take_scripts(std::vector<std::string>& paths);

/// Files stay; a folder becomes its *.yaml, *.yml and *.json files, all levels down, sorted; names that begin
/// with a dot are left out. A folder without any is an error. Standard input is taken once, and of files that
/// will be `rewritten` each one, by whatever name or link.
[[nodiscard]] source::Result<std::vector<std::string>> expand(const std::vector<std::string>& names,
                                                              bool rewritten);

}  // namespace headroom::app
