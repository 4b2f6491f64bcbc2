// The conversation of `headroom explain` on a terminal.
#pragma once
#include "explaining.hpp"
#include "options.hpp"

namespace headroom::app {

/// Asks for what is missing, prints the explanation, then answers words until `quit` or the end of input.
[[nodiscard]] ExitStatus converse(const Options& options, Explaining& explaining);

}  // namespace headroom::app
