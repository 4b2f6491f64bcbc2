// How new the tables are.
#pragma once
#include <string_view>

namespace headroom::schema {

/// Day of the newest upstream sources that fields, defaults and rules were read from: `main`'s snapshot.
inline constexpr std::string_view data_date = "2026-08-22";

}  // namespace headroom::schema
