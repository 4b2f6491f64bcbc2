// One config with its context, for commands that look at a single one.
#pragma once
#include <string>
#include <vector>

#include "options.hpp"

namespace headroom::app {

struct Single {
  std::string path;
  std::shared_ptr<const source::SourceText> text;
  lint::Outcome outcome;
  std::vector<std::string> rest;  ///< words behind the config: fields, say
};

/// Reads the first word as a config, without fixes; complaints have been printed where it is not
/// `exit_clean`. Scripts behind a config supply its context. `command` is for messages.
[[nodiscard]] ExitStatus read_single(const Options& options, std::string_view command, Single& out);

}  // namespace headroom::app
