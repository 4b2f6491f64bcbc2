// Canonical names in the words of the file.
#pragma once
#include <string>

#include "headroom/report/report.hpp"

namespace headroom::report {

[[nodiscard]] std::string own_name(const std::string& canonical, const FileReport& file);

/// Canonical names in a message as the file writes them.
[[nodiscard]] std::string in_own_words(std::string text, const FileReport& file);

}  // namespace headroom::report
