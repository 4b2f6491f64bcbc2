#include "cursor.hpp"

#include <algorithm>
#include <optional>

namespace headroom::lsp {
namespace {

constexpr std::string_view blanks = " \t";

std::size_t indentation(std::string_view line) {
  return std::min(line.find_first_not_of(" -"), line.size());
}

std::string_view trim(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

std::string unquoted(std::string_view key) {
  key = trim(key);
  if (key.size() >= 2 && (key.front() == '"' || key.front() == '\'') && key.back() == key.front())
    key = key.substr(1, key.size() - 2);
  return std::string(key);
}

// The colon that ends a key: one that a blank or the end of the line follows.
std::optional<std::size_t> colon_of(std::string_view text) {
  for (std::size_t at = text.find(':'); at != std::string_view::npos; at = text.find(':', at + 1)) {
    if (at + 1 == text.size() || blanks.find(text[at + 1]) != std::string_view::npos) return at;
  }
  return {};
}

bool empty_line(std::string_view line) {
  const std::string_view words = trim(line);
  return words.empty() || words.front() == '#';
}

std::optional<std::string> key_of(std::string_view line) {
  if (empty_line(line)) return {};
  const std::string_view words = line.substr(indentation(line));
  const auto colon = colon_of(words);
  if (!colon) return {};
  return unquoted(words.substr(0, *colon));
}

// The `{` that is open at the end of `head`.
std::optional<std::size_t> open_brace(std::string_view head) {
  int depth = 0;
  for (std::size_t i = head.size(); i-- > 0;) {
    if (head[i] == '}') ++depth;
    if (head[i] == '{' && depth-- == 0) return i;
  }
  return {};
}

void find_parents(Cursor& out, const Text& text, std::size_t line, std::size_t indent) {
  for (std::size_t i = line; i-- > 0 && indent > 0;) {
    const std::string_view above = text.line(i);
    if (empty_line(above) || indentation(above) >= indent) continue;
    indent = indentation(above);
    if (const auto key = key_of(above)) out.path.insert(out.path.begin(), *key);
  }
}

void find_siblings(Cursor& out, const Text& text, std::size_t line, std::size_t indent) {
  const auto look = [&](std::size_t i) {  // false: the mapping ends here
    const std::string_view other = text.line(i);
    if (empty_line(other)) return true;
    if (indentation(other) < indent) return false;
    if (indentation(other) == indent) {
      if (const auto key = key_of(other)) out.siblings.insert(*key);
    }
    return true;
  };
  for (std::size_t i = line; i-- > 0;) {
    if (!look(i)) break;
  }
  for (std::size_t i = line + 1; i < text.line_count(); ++i) {
    if (!look(i)) break;
  }
}

// What stands behind the last key and what is being typed, in `fragment` that starts at byte `start`.
void split_fragment(Cursor& out, std::string_view fragment, std::size_t start) {
  std::size_t from = 0;
  if (const auto colon = colon_of(fragment)) {
    out.value = true;
    out.key = unquoted(fragment.substr(0, *colon));
    from = *colon + 1;
  }
  from = std::min(fragment.find_first_not_of(" \t[", from), fragment.size());
  if (out.value) {  // the last item of a list that is being typed
    const std::size_t comma = fragment.rfind(',');
    if (comma != std::string_view::npos && comma >= from)
      from = std::min(fragment.find_first_not_of(blanks, comma + 1), fragment.size());
  }
  out.begin = start + from;
}

}  // namespace

Cursor yaml_cursor(const Text& text, std::size_t offset) {
  Cursor out;
  const std::size_t line = text.line_of(offset);
  const std::size_t start = text.line_start(line);
  const std::string_view whole = text.line(line);
  const std::string_view head = whole.substr(0, offset - start);
  const std::size_t indent = std::min(indentation(head), head.size());
  out.end = offset;
  find_parents(out, text, line, indent);
  if (const auto brace = open_brace(head)) {
    out.flow = true;
    const std::string_view before = head.substr(indent, *brace - indent);
    if (const auto colon = colon_of(before)) out.path.push_back(unquoted(before.substr(0, *colon)));
    std::size_t from = *brace + 1;
    for (std::size_t comma = head.find(',', from); comma != std::string_view::npos;
         comma = head.find(',', from)) {
      if (const auto colon = colon_of(head.substr(from, comma - from)))
        out.siblings.insert(unquoted(head.substr(from, *colon)));
      from = comma + 1;
    }
    split_fragment(out, head.substr(from), start + from);
    return out;
  }
  find_siblings(out, text, line, indent);
  split_fragment(out, head.substr(indent), start + indent);
  // The rest of a word that the position is inside of is replaced with it.
  while (out.end < start + whole.size() &&
         whole.find_first_of(" \t:,#]}", out.end - start) != out.end - start)
    ++out.end;
  return out;
}

ScriptCursor script_cursor(const Text& text, std::size_t offset) {
  const std::string& bytes = text.bytes();
  const auto blank = [&](std::size_t i) { return bytes[i] == ' ' || bytes[i] == '\t' || bytes[i] == '\n'; };
  ScriptCursor out;
  out.begin = out.end = offset;
  while (out.begin > 0 && !blank(out.begin - 1)) --out.begin;
  while (out.end < bytes.size() && !blank(out.end)) ++out.end;
  out.word = bytes.substr(out.begin, offset - out.begin);
  std::size_t end = out.begin;
  while (end > 0 && (blank(end - 1) || bytes[end - 1] == '\\')) --end;
  std::size_t begin = end;
  while (begin > 0 && !blank(begin - 1)) --begin;
  out.before = bytes.substr(begin, end - begin);
  return out;
}

}  // namespace headroom::lsp
