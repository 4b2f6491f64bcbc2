// One fix as JSON, the same in every document.
#pragma once
#include <nlohmann/json_fwd.hpp>

#include "headroom/rules/diagnostic.hpp"

namespace headroom::report {

[[nodiscard]] nlohmann::ordered_json fix_json(const rules::Fix& fix);

}  // namespace headroom::report
