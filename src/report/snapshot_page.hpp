// Frame of the page: style and script, which never change with the data.
#pragma once
#include <string>
#include <string_view>

namespace headroom::report {

/// Text as it may stand in an element or a quoted attribute; control characters and bytes that are no UTF-8
/// as U+FFFD.
[[nodiscard]] std::string html_escaped(std::string_view text);
/// `title` is escaped already.
[[nodiscard]] std::string page_head(std::string_view title);
[[nodiscard]] std::string page_end();

}  // namespace headroom::report
