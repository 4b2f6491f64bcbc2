// Files of environment variables.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "headroom/lint/lint.hpp"
#include "headroom/source/error.hpp"

namespace headroom::app {

/// Lines `NAME=value`, `export NAME='value'`, comments. The file is the whole environment: what it does not
/// name is unset.
[[nodiscard]] std::optional<source::Error> read_environment_file(lint::ContextOptions& context,
                                                                 const std::string& path);

}  // namespace headroom::app
