// The launch context as a user writes it: checked values of options and of `.headroom.yaml`.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "headroom/lint/lint.hpp"
#include "headroom/source/error.hpp"

namespace headroom::app {

/// What is wrong with a value, or nothing. `name` is how the message calls it (`--bridge`, `bridge`).
using Complaint = std::optional<std::string>;

/// Sets one context value from its text. Keys: bridge, mcore, te, torch, gpu, model, gpus, gpu_memory.
[[nodiscard]] Complaint set_context(lint::ContextOptions& context, std::string_view key,
                                    std::string_view value, std::string_view name);

/// `NAME=value`, or `NAME` alone: known to be unset.
[[nodiscard]] Complaint set_environment(lint::ContextOptions& context, std::string_view word,
                                        std::string_view name);

/// Lines `NAME=value`, `export NAME='value'`, comments. The file is the whole environment: what it does not
/// name is unset.
[[nodiscard]] std::optional<source::Error> read_environment_file(lint::ContextOptions& context,
                                                                 const std::string& path);

}  // namespace headroom::app
