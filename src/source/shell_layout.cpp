#include "shell_layout.hpp"

#include <algorithm>

#include "chars.hpp"
#include "headroom/source/shell.hpp"

namespace headroom::source {

namespace {

/// The line around a stretch of text.
struct Line {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;   ///< before the line break
  std::uint32_t next = 0;  ///< behind the line break
};

Line line_around(std::string_view text, std::uint32_t begin, std::uint32_t end) {
  Line line;
  const std::size_t before = begin == 0 ? std::string_view::npos : text.rfind('\n', begin - 1);
  line.begin = before == std::string_view::npos ? 0 : static_cast<std::uint32_t>(before + 1);
  const std::size_t after = std::min(text.find('\n', end), text.size());
  line.end = static_cast<std::uint32_t>(after);
  line.next = static_cast<std::uint32_t>(std::min(after + 1, text.size()));
  if (line.end > end && text[line.end - 1] == '\r') --line.end;
  return line;
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_space(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_space(text.back())) text.remove_suffix(1);
  return text;
}

/// What follows a token on its line.
enum class Tail : std::uint8_t { nothing, continues, comment, closes, more };

Tail tail_of(std::string_view rest) {
  const std::string_view content = trimmed(rest);
  if (content.empty()) return Tail::nothing;
  if (content == "\\") return Tail::continues;
  if (content.front() == '#' && is_blank(rest.front())) return Tail::comment;
  if (content == "\"" || content == "'" || content == ")") return Tail::closes;
  return Tail::more;
}

/// Whether the line before `line` ends with a backslash, and where that and the blanks before it start.
std::pair<bool, std::uint32_t> continued_from(std::string_view text, const Line& line) {
  if (line.begin == 0) return {false, 0};
  const Line before = line_around(text, line.begin - 1, line.begin - 1);
  std::uint32_t p = before.end;
  while (p > before.begin && is_space(text[p - 1])) --p;
  if (p == before.begin || text[p - 1] != '\\') return {false, 0};
  --p;
  while (p > before.begin && is_blank(text[p - 1])) --p;
  return {true, p};
}

std::string_view indentation(std::string_view text, std::uint32_t begin) {
  std::uint32_t end = begin;
  while (end < text.size() && is_blank(text[end])) ++end;
  return text.substr(begin, end - begin);
}

/// Joins tokens that only blanks, breaks and backslashes separate.
std::vector<Span> joined(std::string_view text, std::vector<Span> tokens) {
  std::sort(tokens.begin(), tokens.end(), [](Span a, Span b) { return a.begin < b.begin; });
  std::vector<Span> out;
  for (const Span token : tokens) {
    if (!out.empty() && token.begin < out.back().end) {
      out.back().end = std::max(out.back().end, token.end);
      continue;
    }
    const std::string_view between =
        out.empty() ? "x" : text.substr(out.back().end, token.begin - out.back().end);
    const bool adjacent =
        std::all_of(between.begin(), between.end(), [](char c) { return is_space(c) || c == '\\'; });
    if (adjacent) {
      out.back().end = token.end;
    } else {
      out.push_back(token);
    }
  }
  return out;
}

Edit remove_in_line(std::string_view text, Span range, bool first_in_line) {
  std::uint32_t before = range.begin;
  while (before > 0 && is_blank(text[before - 1])) --before;
  std::uint32_t behind = range.end;
  while (behind < text.size() && is_blank(text[behind])) ++behind;
  if (first_in_line || before == range.begin) return {{range.begin, behind}, ""};
  return {{before, range.end}, ""};
}

/// `removes_backslash`: what was the last line of a continued command leaves none before it.
Edit remove_range(std::string_view text, Span range, bool removes_backslash) {
  const Line line = line_around(text, range.begin, range.end);
  const bool first = trimmed(text.substr(line.begin, range.begin - line.begin)).empty();
  const Tail tail = tail_of(text.substr(range.end, line.end - range.end));
  if (!first || tail == Tail::more || tail == Tail::closes) return remove_in_line(text, range, first);
  const auto [continued, backslash] = continued_from(text, line);
  if (tail != Tail::continues && continued && removes_backslash) return {{backslash, line.end}, ""};
  return {{line.begin, line.next}, ""};
}

bool is_flag(std::string_view word) {
  return word.size() > 1 && word.front() == '-' && !is_digit(word[1]) && word[1] != '.';
}

/// Words in lines: a flag with its values, an override.
std::vector<std::vector<std::string>> in_lines(const std::vector<std::string>& words) {
  std::vector<std::vector<std::string>> lines;
  for (const std::string& word : words) {
    const bool after_flag = !lines.empty() && is_flag(lines.back().back());
    const bool fresh = lines.empty() || is_flag(word) || (word.find('=') != std::string::npos && !after_flag);
    if (fresh) lines.emplace_back();
    lines.back().push_back(word);
  }
  return lines;
}

std::string together(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
  return out;
}

std::size_t count_flags(std::string_view line) {
  std::size_t count = 0;
  for (std::size_t i = 1; i + 1 < line.size(); ++i) {
    const bool starts =
        is_space(line[i - 1]) || line[i - 1] == '(' || line[i - 1] == '"' || line[i - 1] == '\'';
    if (starts && is_flag(line.substr(i, 2))) ++count;
  }
  return count;
}

/// Edits that put each line of words on a line of its own.
std::vector<Edit> own_lines(std::string_view text, Span token, const Line& line, Tail tail,
                            const std::vector<std::string>& words) {
  const auto [continued, unused] = continued_from(text, line);
  const std::string_view own = indentation(text, line.begin);
  const std::string_view next = indentation(text, line.next);
  const bool next_deeper = !continued && line.next < text.size() && next.size() > own.size();
  const std::string indent(next_deeper ? next : own);
  const bool windows = line.end < text.size() && text[line.end] == '\r';
  const std::string line_break = windows ? "\r\n" : "\n";
  const auto written = [&](const std::string& before, const std::string& behind) {
    std::string out;
    for (const auto& group : in_lines(words)) out += before + line_break + indent + together(group) + behind;
    return out;
  };
  const Span at_end{line.end, line.end};
  const Span at_token{token.end, token.end};
  std::vector<Edit> out;
  if (tail == Tail::continues) out.push_back({at_end, written("", " \\")});
  if (tail == Tail::nothing || tail == Tail::closes) {
    if (continued) out.push_back({at_token, written(" \\", "")});
    out.push_back({at_token, written("", "")});
  }
  if (tail == Tail::comment) out.push_back({at_end, written("", "")});
  return out;
}

}  // namespace

std::string shell_quote(std::string_view text) {
  const auto is_plain = [](char c) {
    return is_alpha(c) || is_digit(c) || std::string_view("_@%+=:,./-").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

std::vector<std::string> spellings(std::string_view slice, std::string_view text) {
  std::vector<std::string> out;
  const auto add = [&](std::string spelling) {
    if (std::find(out.begin(), out.end(), spelling) == out.end()) out.push_back(std::move(spelling));
  };
  const char quote = slice.size() > 1 && slice.front() == slice.back() ? slice.front() : '\0';
  const bool once = quote != '\0' && slice.find(quote, 1) == slice.size() - 1;
  const bool fits = text.find_first_of(quote == '"' ? "\"\\$`" : "'") == std::string_view::npos;
  const std::string content(text);
  if (once && fits && (quote == '"' || quote == '\'')) add(quote + content + quote);
  add(shell_quote(text));
  add(content);
  add("'" + content + "'");
  add('"' + content + '"');
  add("\\\"" + content + "\\\"");
  return out;
}

std::vector<std::vector<Edit>> removals(std::string_view text, std::vector<Span> tokens) {
  const std::vector<Span> ranges = joined(text, std::move(tokens));
  std::vector<std::vector<Edit>> out;
  for (const bool removes_backslash : {true, false}) {
    std::vector<Edit> edits;
    for (const Span range : ranges) {
      Edit edit = remove_range(text, range, removes_backslash);
      // Two removals may want the same blank.
      if (!edits.empty() && edit.span.begin < edits.back().span.end) edit.span.begin = edits.back().span.end;
      if (edit.span.begin < edit.span.end) edits.push_back(std::move(edit));
    }
    out.push_back(std::move(edits));
  }
  std::vector<Edit> bare;
  for (const Span range : ranges) bare.push_back({range, ""});
  out.push_back(std::move(bare));
  return out;
}

std::vector<Edit> insertions(std::string_view text, Span token, const std::vector<std::string>& words) {
  const Line line = line_around(text, token.begin, token.end);
  const Tail tail = tail_of(text.substr(token.end, line.end - token.end));
  const Edit same_line{{token.end, token.end}, " " + together(words)};
  const bool starts_command = tail == Tail::continues && !continued_from(text, line).first;
  const bool closes_first = tail == Tail::closes && !is_blank(text[line.begin]);
  const bool several = count_flags(text.substr(line.begin, line.end - line.begin)) > 1 && !starts_command;
  std::vector<Edit> out =
      tail == Tail::more || closes_first ? std::vector<Edit>{} : own_lines(text, token, line, tail, words);
  out.insert(several ? out.begin() : out.end(), same_line);
  return out;
}

}  // namespace headroom::source
