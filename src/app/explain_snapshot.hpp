// `headroom explain` on a memory snapshot.
#pragma once
#include <string>

#include "headroom/oom/input.hpp"
#include "options.hpp"

namespace headroom::app {

/// Whether the name of a file says that it is a pickle, compressed or not: then it is read as one, whatever
/// it holds.
[[nodiscard]] bool is_snapshot_name(const std::string& path);

[[nodiscard]] ExitStatus explain_snapshot(const Options& options, const std::string& path, oom::Input& input);

}  // namespace headroom::app
