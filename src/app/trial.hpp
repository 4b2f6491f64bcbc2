// `what-if key=value …`: the same run with other settings.
#pragma once
#include <string>
#include <vector>

#include "explaining.hpp"

namespace headroom::app {

struct Trial {
  std::string text;  ///< new peak, verdict, new errors: for people
  rules::Fix fix;    ///< the settings that differ, to be shown as a diff or saved
};

/// Fails where a word is no `key=value`.
[[nodiscard]] source::Result<Trial> try_words(Explaining& explaining, const report::ExplainReport& base,
                                              const std::vector<std::string>& words);

}  // namespace headroom::app
