// --format, --output and --severity of the command line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "options.hpp"

namespace headroom::app {

/// `all`: of reports; else those that every command has.
[[nodiscard]] std::vector<std::string_view> format_names(std::string_view command);

/// Each sets its part of the options, or says what is wrong.
[[nodiscard]] lint::Complaint read_format(Options& options, const std::string& word);
[[nodiscard]] lint::Complaint read_outputs(Options& options, const std::vector<std::string>& words);
[[nodiscard]] lint::Complaint read_severities(Options& options, const std::vector<std::string>& words);

}  // namespace headroom::app
