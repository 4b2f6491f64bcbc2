// Files of a git repository at a revision: `REV:PATH`.
#pragma once
#include <memory>
#include <string>

#include "headroom/source/document.hpp"

namespace headroom::app {

/// Whether `name` can only mean a revision: it has a colon, and there is no such file.
[[nodiscard]] bool is_revision(const std::string& name);
/// Runs `git cat-file blob NAME`, without a shell, in the current directory. Errors: git is not there or does
/// not know the object, and what read_file refuses.
[[nodiscard]] source::Result<std::shared_ptr<const source::SourceText>> read_revision(
    const std::string& name);

}  // namespace headroom::app
