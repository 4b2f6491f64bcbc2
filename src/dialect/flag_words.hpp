// A value as the words behind a flag.
#pragma once
#include <string>
#include <vector>

#include "headroom/source/value.hpp"

namespace headroom::dialect {

[[nodiscard]] std::vector<std::string> flag_words(const source::Value& value);

}  // namespace headroom::dialect
