// Which language a text is in.
#pragma once
#include "headroom/dialect/reader.hpp"

namespace headroom::dialect {

/// The table for a YAML or JSON document and the reason; null: Bridge.
void detect_tree(Opened& opened, const schema::Schema& schema);
/// The command of a script that starts training, its program and the table; `trains` false where there is
/// none. With `opened.table` set only that language is looked for.
void detect_command(Opened& opened, const schema::Schema& schema);

}  // namespace headroom::dialect
