// Where each formula comes from.
#pragma once
#include <string_view>

#include "walk.hpp"

namespace headroom::memory {

[[nodiscard]] std::string_view source_text(Source source);

}  // namespace headroom::memory
