// Findings about single settings: a field that does not exist, a value of the wrong kind, outside its
// choices.
#pragma once
#include <string>

#include "headroom/dialect/settings.hpp"

namespace headroom::dialect {

/// `name` is no field of section `section` in any release: a Problem with suggestions. `value` is what was
/// written there (offered to the suggested field), or Opaque. `hint`: look for what was meant, which takes
/// time.
[[nodiscard]] Problem unknown_field(const schema::Schema& schema, schema::Release r,
                                    const std::string& canonical, const source::Value& value, Place place,
                                    bool hint = true);

/// Checks one setting against its field: release, class, type, choices, numbers that the loader reads as
/// strings. `section_class`: null where it is not known.
void check_setting(Settings& settings, const Setting& setting, const schema::Schema& schema,
                   schema::Release r, const schema::ClassInfo* section_class);

}  // namespace headroom::dialect
