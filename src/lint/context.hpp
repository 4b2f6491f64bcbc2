// From options of several sources to one LaunchContext.
#pragma once
#include "headroom/lint/lint.hpp"

namespace headroom::lint {

/// Reads the top-level `headroom:` block of a config, if it has one. Unknown keys and wrong types are errors
/// with a place.
[[nodiscard]] source::Result<ContextOptions> read_block(const source::Document& doc);

/// Names that nobody knows (a GPU kind, a release, a model) are an Error that lists what is known.
[[nodiscard]] source::Result<void> check_options(const ContextOptions& options);

/// The release that the options name, the nearest one where they name none that is known; remarks go to
/// `notes`. Precondition: check_options.
[[nodiscard]] schema::Release choose_release(const ContextOptions& options, std::vector<std::string>& notes);

/// What a config says about its launch fills what the options leave open.
[[nodiscard]] ContextOptions take_hints(ContextOptions options, const dialect::LaunchHints& hints,
                                        std::vector<std::string>& notes);

[[nodiscard]] std::optional<schema::Layer> layer_named(std::string_view name);

/// Precondition: check_options.
[[nodiscard]] resolve::LaunchContext launch_context(const ContextOptions& options, schema::Release release,
                                                    const schema::Schema& schema);

}  // namespace headroom::lint
