// Manual page and shell completions. Pure.
#pragma once
#include <string>
#include <string_view>

#include "sheet.hpp"

namespace headroom::app {

/// troff for man(1). `date` as YYYY-MM-DD.
[[nodiscard]] std::string manual(const ProgramSheet& program, std::string_view version,
                                 std::string_view date);
[[nodiscard]] std::string bash_completion(const ProgramSheet& program);
[[nodiscard]] std::string zsh_completion(const ProgramSheet& program);
[[nodiscard]] std::string fish_completion(const ProgramSheet& program);

}  // namespace headroom::app
