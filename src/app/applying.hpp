// Changes carried out on the text of a file, in its own language.
#pragma once
#include <memory>
#include <string>

#include "headroom/lint/lint.hpp"

namespace headroom::app {

/// `text` with the changes of `fix`; `outcome` is that of `text`. One change at a time, read again in
/// between: two new keys of one section do not collide. Variables are written where the config has a place
/// for them, else left to the launch. Fails where the language has no words for a change or a place cannot be
/// edited.
[[nodiscard]] source::Result<std::shared_ptr<const source::SourceText>> with_change(
    const rules::Fix& fix, std::shared_ptr<const source::SourceText> text,
    std::optional<source::Loader> loader, const lint::Outcome& outcome);

/// A new file at `path`. Refuses where there is one.
[[nodiscard]] source::Result<void> write_new(const std::string& path, const std::string& text);

}  // namespace headroom::app
