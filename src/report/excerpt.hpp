// The lines of a source that a finding is about, with underlines.
#pragma once
#include <string>
#include <vector>

#include "headroom/report/terminal.hpp"
#include "headroom/source/span.hpp"

namespace headroom::report {

/// An underline: `^` for what is blamed, `-` for what it clashes with.
struct Underline {
  source::Location location;
  bool primary = false;
  std::string label;
};

struct Excerpt {
  std::string text;     ///< whole lines, ending with a line break
  unsigned gutter = 1;  ///< columns of the line numbers: notes below align with it
};

/// `marks` need not be sorted. Lines further apart are separated by `...`; long ones are cut around the mark.
[[nodiscard]] Excerpt excerpt(const source::SourceText& text, std::vector<Underline> marks, Style style,
                              unsigned width, bool color);

}  // namespace headroom::report
