#include "excerpt.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::report {
namespace {

// One character of a line as it is shown.
struct Cell {
  std::string text;
  unsigned width = 1;
};

std::vector<Cell> cells_of(std::string_view line) {
  std::vector<Cell> cells;
  const std::string shown = printable(line);
  for (std::size_t i = 0; i < shown.size();) {
    std::size_t end = i + 1;
    while (end < shown.size() && (static_cast<unsigned char>(shown[end]) & 0xC0U) == 0x80) ++end;
    std::string text = shown.substr(i, end - i);
    const unsigned width = display_width(text);
    cells.push_back({std::move(text), width});
    i = end;
  }
  return cells;
}

// A range of columns of one line, 0-based, half open.
struct Stroke {
  std::size_t begin = 0, end = 0;
  const Underline* mark = nullptr;
};

// The part of a long line that is shown.
struct Window {
  std::size_t begin = 0, end = 0;
};

Window window_of(const std::vector<Cell>& cells, const std::vector<Stroke>& strokes, unsigned width) {
  if (cells.size() <= width) return {0, cells.size()};
  std::size_t first = cells.size();
  for (const Stroke& s : strokes) first = std::min(first, s.begin);
  const std::size_t begin = first + 12 <= width ? 0 : first - std::min<std::size_t>(first, 12);
  std::size_t end = std::min(cells.size(), begin + width);
  if (end == cells.size()) return {begin, end};
  // Not in the middle of a word, where one ends near enough and behind what is marked.
  std::size_t marked = 0;
  for (const Stroke& s : strokes) marked = std::max(marked, std::min(s.end, end));
  for (std::size_t at = end; at > marked && at + 16 > end; --at)
    if (cells[at].text == " ") return {begin, at};
  return {begin, end};
}

class Drawing {
 public:
  Drawing(const source::SourceText& text, Style style, unsigned width, bool color, unsigned gutter)
      : text_(text), style_(style), width_(width), color_(color), gutter_(gutter) {}

  void rule() { out_ += paint(std::string(gutter_ + 1, ' ') + "|", Style::blue, color_) + "\n"; }
  void gap() { out_ += paint("...", Style::blue, color_) + "\n"; }

  void line(std::uint32_t number, const std::vector<const Underline*>& marks) {
    const std::vector<Cell> cells = cells_of(text_.line(number));
    std::vector<Stroke> strokes;
    for (const Underline* mark : marks) strokes.push_back(stroke(*mark, number, cells.size()));
    const unsigned room = width_ > gutter_ + 24 ? width_ - gutter_ - 5 : 20;
    const Window shown = window_of(cells, strokes, room);
    std::string body = shown.begin > 0 ? "…" : "";
    for (std::size_t i = shown.begin + (shown.begin > 0 ? 1 : 0); i < shown.end; ++i) body += cells[i].text;
    if (shown.end < cells.size()) body += "…";
    body.erase(body.find_last_not_of(' ') + 1);
    out_ += paint(fmt::format("{:>{}} |", number, gutter_), Style::blue, color_);
    out_ += body.empty() ? "\n" : " " + body + "\n";
    if (!strokes.empty()) underline(strokes, cells, shown);
  }

  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  static Stroke stroke(const Underline& mark, std::uint32_t number, std::size_t size) {
    const auto& [start, end] = mark.location;
    const std::size_t begin = start.line < number ? 0 : std::min<std::size_t>(start.column - 1, size);
    // A value of several lines is marked to the end of its first.
    std::size_t stop = end.line > number ? size : end.column - 1;
    stop = std::max(std::min(stop, std::max(size, begin + 1)), begin + 1);
    return {begin, stop, &mark};
  }

  // Marks of one line share one row of strokes; labels follow, each on a row of its own after the first.
  void underline(std::vector<Stroke> strokes, const std::vector<Cell>& cells, Window shown) {
    std::stable_sort(strokes.begin(), strokes.end(),
                     [](const Stroke& a, const Stroke& b) { return a.begin < b.begin; });
    std::string row;
    std::string labels;
    unsigned used = 0, named = 0;
    const std::string margin = paint(std::string(gutter_ + 1, ' ') + "|", Style::blue, color_) + " ";
    std::size_t at = shown.begin;
    for (const Stroke& s : strokes) {
      const std::size_t begin = std::max(s.begin, at);
      const std::size_t end = std::min(s.end, std::max(shown.end, shown.begin + 1));
      if (begin >= end && s.begin < at) continue;  // hidden below an earlier stroke
      row += std::string(columns(cells, at, begin), ' ');
      const Style style = s.mark->primary ? style_ : Style::blue;
      const unsigned size = std::max(1U, columns(cells, begin, std::max(end, begin + 1)));
      row += paint(std::string(size, s.mark->primary ? '^' : '-'), style, color_);
      if (!s.mark->label.empty()) {
        if (!labels.empty()) labels += ", ";
        named += display_width(s.mark->label) + 2;
        labels += paint(printable(s.mark->label), style, color_);
      }
      used += columns(cells, at, begin) + size;
      at = std::max(end, begin + 1);
    }
    const bool fits = gutter_ + 4 + used + named <= width_;
    if (labels.empty() || fits)
      out_ += margin + row + (labels.empty() ? "" : " " + labels) + "\n";
    else
      out_ += margin + row + "\n" + margin + labels + "\n";
  }

  static unsigned columns(const std::vector<Cell>& cells, std::size_t begin, std::size_t end) {
    unsigned width = 0;
    for (std::size_t i = begin; i < end; ++i) width += i < cells.size() ? cells[i].width : 1;
    return width;
  }

  const source::SourceText& text_;
  Style style_;
  unsigned width_;
  bool color_;
  unsigned gutter_;
  std::string out_;
};

}  // namespace

Excerpt excerpt(const source::SourceText& text, std::vector<Underline> marks, Style style, unsigned width,
                bool color) {
  std::stable_sort(marks.begin(), marks.end(), [](const Underline& a, const Underline& b) {
    return a.location.start.line < b.location.start.line;
  });
  const unsigned gutter = static_cast<unsigned>(fmt::formatted_size("{}", marks.back().location.start.line));
  Drawing drawing(text, style, width, color, gutter);
  drawing.rule();
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < marks.size();) {
    const std::uint32_t number = marks[i].location.start.line;
    std::vector<const Underline*> here;
    for (; i < marks.size() && marks[i].location.start.line == number; ++i) here.push_back(&marks[i]);
    if (last != 0 && number == last + 2) drawing.line(last + 1, {});
    if (last != 0 && number > last + 2) drawing.gap();
    drawing.line(number, here);
    last = number;
  }
  drawing.rule();
  return {drawing.take(), gutter};
}

}  // namespace headroom::report
