// The two output streams: colours, width, and what happens when they cannot be written.
#pragma once
#include <cstdio>
#include <string>
#include <string_view>

#include "headroom/report/report.hpp"
#include "options.hpp"

namespace headroom::app {

/// Colours, by what holds first: the option, NO_COLOR, FORCE_COLOR or CLICOLOR_FORCE, CLICOLOR=0, TERM=dumb,
/// whether `stream` is a terminal. Width is that of the terminal, else 80.
[[nodiscard]] report::TextOptions text_options(const Options& options, std::FILE* stream);

/// Writes all of `text`. A reader that went away (EPIPE) is fine: true, nothing more will be seen. Other
/// failures (a full disk) are said on standard error: false.
[[nodiscard]] bool write(std::FILE* stream, std::string_view text);

/// The same for a text whose bytes are those of an input (a patch, a converted config): byte for byte into
/// files and pipes; a terminal gets nothing that could steer it.
[[nodiscard]] bool write_own(std::FILE* stream, std::string_view text);

/// Whether `path` is none of the files that the command `reads`, by whatever name or link; where it is one,
/// that is said: a report in the place of what it is about is a slip of the hand.
[[nodiscard]] bool spares(const Options& options, const std::string& path,
                          const std::vector<std::string>& reads);

/// Writes a file whole, through a temporary one and a rename; folders on the way are made; a pipe or a device
/// is written to as it is. False where that fails; it was said then.
[[nodiscard]] bool write_file(const Options& options, const std::string& path, std::string_view text);

/// Adds to the end of a file. False where that fails; it was said then.
[[nodiscard]] bool append_file(const Options& options, const std::string& path, std::string_view text);

/// `error: message` on standard error.
void complain(const Options& options, std::string_view message);

}  // namespace headroom::app
