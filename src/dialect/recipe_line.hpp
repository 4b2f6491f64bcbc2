// Launch lines that start from a training recipe of Bridge: run_recipe.py and the performance scripts.
#pragma once
#include "headroom/dialect/reader.hpp"
#include "mapper.hpp"

namespace headroom::dialect {

/// The recipe's settings from the catalogue, then the flags and the key=value words in the order in which the
/// script applies them. A recipe that the catalogue lacks is said in a note.
void read_recipe_line(const Opened& opened, Settings& out, Mapper& mapper, const schema::Schema& schema,
                      schema::Release r);

}  // namespace headroom::dialect
