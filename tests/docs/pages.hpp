// Generated pages of docs/: what they are made from, and the comparison with the page on disk.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::docs {

/// The rules as the files say now, not as they were when the program was built.
[[nodiscard]] const rules::RulePack& rules_on_disk();

/// A row of a table in tests/data, cells as text. The first line of the file names the columns.
using Row = std::vector<std::string>;
[[nodiscard]] std::vector<Row> read_table(const std::string& name);

/// Catalogue entries that are no rule: id -> reason, from all rules/*/not-rules.yaml. Checks that each file
/// is a mapping of texts and that no id has two reasons.
[[nodiscard]] std::map<std::string, std::string, std::less<>> read_reasons();

/// `all`, `>=0.4.2`, `<=0.5.1`, `0.4.2-0.6.0`, as `headroom rule` prints them.
[[nodiscard]] std::string releases_text(schema::ReleaseSet set);

/// `text` as a cell of a Markdown table.
[[nodiscard]] std::string cell(std::string_view text);
/// `[AREA/NAME](../rules/AREA/NAME.md)`: a rule seen from docs/.
[[nodiscard]] std::string link(const rules::Rule& rule);

/// Checks docs/`name` against `now`; with HEADROOM_UPDATE_GOLDENS=1 writes it.
void check_page(const std::string& name, const std::string& now);

}  // namespace headroom::docs
