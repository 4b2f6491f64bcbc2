// From options of several sources to one LaunchContext.
#pragma once
#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// Reads the top-level `headroom:` block of a config, if it has one. Unknown keys and wrong types are errors
/// with a place.
[[nodiscard]] source::Result<ContextOptions> read_block(const source::Document& doc);

/// `first` where it says something, else `second`.
[[nodiscard]] ContextOptions merge(ContextOptions first, const ContextOptions& second);

/// Looks names up. An unknown GPU kind, release or model is an Error that lists what is known; remarks go to
/// `notes`.
[[nodiscard]] source::Result<resolve::LaunchContext> launch_context(const ContextOptions& options,
                                                                    const schema::Schema& schema,
                                                                    std::vector<std::string>& notes);

}  // namespace headroom::lint
