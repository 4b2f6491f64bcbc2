// Globs over paths, as in .gitignore.
#pragma once
#include <string_view>

namespace headroom::app {

/// `*` and `?` stay within one folder, `**` crosses folders, `[a-c]`, `[!a]` and `{a,b}` choose. A pattern
/// without `/` means files of that name in any folder; one that names a folder means everything below it.
/// `path` is relative, with `/` between.
[[nodiscard]] bool path_matches(std::string_view pattern, std::string_view path);

}  // namespace headroom::app
