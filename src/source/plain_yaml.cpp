#include "plain_yaml.hpp"

#include <yaml-cpp/emitterstyle.h>
#include <yaml-cpp/null.h>

#include <algorithm>
#include <string>

#include "chars.hpp"

namespace headroom::source {
namespace {

// yaml-cpp gives up where a key is longer than 1024 characters, and read_yaml where the parser reads 256 KiB
// ahead of its events. Texts within these bounds cannot come near either.
constexpr std::size_t longest_line = 1000;
constexpr std::size_t longest_text = 128U << 10U;

bool is_printable(char c) {
  return c >= ' ' && c <= '~';
}
bool is_word(char c) {
  return is_alpha(c) || is_digit(c) || c == '_';
}
bool is_key(char c) {
  return is_word(c) || c == '.' || c == '-' || c == '/';
}
/// Of plain scalars in `[…]` and `{…}`; fewer than YAML allows.
bool is_flow_plain(char c) {
  return is_word(c) || c == '.' || c == '-' || c == '+' || c == '/';
}

/// Recursive descent over lines. Each step returns false where the text is not plain, which ends everything.
class PlainYaml {
 public:
  PlainYaml(std::string_view text, YamlBuilder& builder) : text_(text), builder_(builder) {}

  bool run() {
    if (!next_line() || line_.done || line_.indent != 0 || !starts_key()) return false;
    builder_.OnDocumentStart(mark(line_.begin));
    if (!block_mapping(0) || !line_.done) return false;
    builder_.OnDocumentEnd();
    return true;
  }

 private:
  /// The next line with content, or what is left of one behind `- `.
  struct Line {
    std::uint32_t begin = 0;  ///< first character of the content; size of the text at its end
    std::uint32_t indent = 0;
    std::uint32_t comments = 0;  ///< deepest indentation of the comments above it
    bool done = false;
  };

  [[nodiscard]] char at(std::uint32_t p) const { return p < text_.size() ? text_[p] : '\0'; }
  [[nodiscard]] bool at_line_end(std::uint32_t p) const { return p >= text_.size() || is_break(text_[p]); }
  [[nodiscard]] bool ends_word(std::uint32_t p) const { return at_line_end(p) || text_[p] == ' '; }
  [[nodiscard]] std::uint32_t skip_spaces(std::uint32_t p) const {
    while (at(p) == ' ') ++p;
    return p;
  }
  static YAML::Mark mark(std::uint32_t p) {
    YAML::Mark result;  // the builder asks for the position only
    result.pos = static_cast<int>(p);
    return result;
  }

  /// From `next_`, the start of a line.
  bool next_line() {
    line_.comments = 0;
    while (next_ < text_.size()) {
      const std::uint32_t start = next_;
      const std::size_t newline = std::min(text_.find('\n', start), text_.size() - 1);
      next_ = static_cast<std::uint32_t>(newline) + 1;
      if (next_ - start > longest_line) return false;
      line_.begin = skip_spaces(start);
      line_.indent = line_.begin - start;
      if (at(line_.begin) == '#') {
        line_.comments = std::max(line_.comments, line_.indent);
      } else if (!at_line_end(line_.begin)) {
        return true;
      }
    }
    line_.begin = static_cast<std::uint32_t>(text_.size());
    line_.indent = 0;
    line_.done = true;
    return true;
  }

  [[nodiscard]] bool starts_item() const { return at(line_.begin) == '-' && at(line_.begin + 1) == ' '; }

  /// Behind the key at the content of the line, at its `:`; the same place where there is no key.
  [[nodiscard]] std::uint32_t key_end() const {
    std::uint32_t p = line_.begin;
    if (!is_word(at(p))) return p;
    while (is_key(at(p))) ++p;
    return at(p) == ':' && ends_word(p + 1) ? p : line_.begin;
  }
  [[nodiscard]] bool starts_key() const { return key_end() != line_.begin; }

  /// Nothing but a comment up to the end of the line. A line or comment further right than `indent` could
  /// continue the scalar before it: not for us.
  bool finish_line(std::uint32_t p, std::uint32_t indent) {
    const std::uint32_t end = skip_spaces(p);
    if (!at_line_end(end) && (at(end) != '#' || end == p)) return false;
    return next_line() && line_.comments <= indent && (line_.done || line_.indent <= indent);
  }

  void scalar(Span span) {
    const std::string value(text_.substr(span.begin, span.end - span.begin));
    // Most texts are no null by their length alone.
    if ((value.size() == 4 || value.size() == 1) && YAML::IsNullString(value)) {
      builder_.OnNull(mark(span.begin), 0);
    } else {
      builder_.OnScalar(mark(span.begin), "?", 0, value);
    }
  }

  bool quoted(std::uint32_t& p) {
    const std::uint32_t begin = p++;
    const char quote = text_[begin];
    while (is_printable(at(p)) && text_[p] != quote && (quote == '\'' || text_[p] != '\\')) ++p;
    if (at(p) != quote || at(p + 1) == quote) return false;
    builder_.OnScalar(mark(begin), "!", 0, std::string(text_.substr(begin + 1, p - begin - 1)));
    ++p;
    return true;
  }

  /// Up to a comment or the end of the line.
  bool plain(std::uint32_t& p) {
    using namespace std::string_view_literals;
    const std::uint32_t begin = p;
    if (",[]{}#&*!|>'\"%@`?:"sv.find(text_[p]) != std::string_view::npos) return false;
    if (text_[p] == '-' && ends_word(p + 1)) return false;
    std::uint32_t end = p;
    for (; !at_line_end(p); ++p) {
      const char c = text_[p];
      if (!is_printable(c) || (c == ':' && ends_word(p + 1))) return false;
      if (c == '#' && text_[p - 1] == ' ') break;
      if (c != ' ') end = p + 1;
    }
    p = end;
    scalar({begin, end});
    return true;
  }

  bool flow_item(std::uint32_t& p) {
    const char first = at(p);
    if (first == '\'' || first == '"') return quoted(p);
    if (first == '[' || first == '{') return flow_collection(p);
    const std::uint32_t begin = p;
    while (is_flow_plain(at(p))) ++p;
    if (begin == p || (first == '-' && p == begin + 1)) return false;
    scalar({begin, p});
    return true;
  }

  bool flow_member(std::uint32_t& p) {
    const std::uint32_t begin = p;
    if (!is_word(at(p))) return false;
    while (is_key(at(p))) ++p;
    if (at(p) != ':' || at(p + 1) != ' ') return false;
    scalar({begin, p});
    p = skip_spaces(p + 1);
    return flow_item(p);
  }

  /// `[…]` or `{…}` on one line.
  bool flow_collection(std::uint32_t& p) {
    const bool mapping = text_[p] == '{';
    const char close = mapping ? '}' : ']';
    if (mapping) {
      builder_.OnMapStart(mark(p), "?", 0, YAML::EmitterStyle::Flow);
    } else {
      builder_.OnSequenceStart(mark(p), "?", 0, YAML::EmitterStyle::Flow);
    }
    for (bool more = at(++p) != close; more;) {
      if (!(mapping ? flow_member(p) : flow_item(p))) return false;
      more = at(p) == ',';
      if (more) p = skip_spaces(p + 1);
    }
    if (at(p) != close) return false;
    ++p;
    if (mapping) {
      builder_.OnMapEnd();
    } else {
      builder_.OnSequenceEnd();
    }
    return true;
  }

  /// A value that ends on its line.
  bool inline_value(std::uint32_t& p) {
    switch (text_[p]) {
      case '\'':
      case '"':
        return quoted(p);
      case '[':
      case '{':
        return flow_collection(p);
      default:
        return plain(p);
    }
  }

  /// The value of a key, nested below it or absent; its line is done.
  bool nested_value(std::uint32_t indent) {
    if (!next_line()) return false;
    const bool deeper = !line_.done && line_.indent > indent;
    // Items may stand right below the key that they belong to.
    const bool items = !line_.done && line_.indent >= indent && starts_item();
    if (!deeper && !items) {
      builder_.OnNull(mark(line_.begin), 0);
      return true;
    }
    if (!(items ? block_sequence(line_.indent) : block_mapping(line_.indent))) return false;
    return line_.done || line_.indent <= indent;
  }

  bool block_mapping(std::uint32_t indent) {
    builder_.OnMapStart(mark(line_.begin), "?", 0, YAML::EmitterStyle::Block);
    bool first = true;
    while (!line_.done && line_.indent == indent && (first || !starts_item())) {
      first = false;
      const std::uint32_t colon = key_end();
      if (colon == line_.begin) return false;
      scalar({line_.begin, colon});
      std::uint32_t p = skip_spaces(colon + 1);
      const bool nested = at_line_end(p) || text_[p] == '#';
      if (!(nested ? nested_value(indent) : inline_value(p) && finish_line(p, indent))) return false;
    }
    builder_.OnMapEnd();
    return true;
  }

  bool block_sequence(std::uint32_t indent) {
    builder_.OnSequenceStart(mark(line_.begin), "?", 0, YAML::EmitterStyle::Block);
    while (!line_.done && line_.indent == indent && starts_item()) {
      std::uint32_t p = skip_spaces(line_.begin + 1);
      if (at_line_end(p) || text_[p] == '#') return false;
      line_.indent += p - line_.begin;
      line_.begin = p;
      const bool fine = starts_item()  ? block_sequence(line_.indent)
                        : starts_key() ? block_mapping(line_.indent)
                                       : inline_value(p) && finish_line(p, indent);
      if (!fine || (!line_.done && line_.indent > indent)) return false;
    }
    builder_.OnSequenceEnd();
    return true;
  }

  std::string_view text_;
  YamlBuilder& builder_;
  std::uint32_t next_ = 0;
  Line line_;
};

/// Line breaks are LF or CRLF, and there are no tabs: each has rules of its own.
bool has_plain_white_space(std::string_view text) {
  if (text.find('\t') != std::string_view::npos) return false;
  for (std::size_t p = text.find('\r'); p != std::string_view::npos; p = text.find('\r', p + 1)) {
    if (p + 1 == text.size() || text[p + 1] != '\n') return false;
  }
  return true;
}

}  // namespace

bool deliver_plain_yaml(std::string_view text, YamlBuilder& builder) {
  if (text.size() > longest_text || !has_plain_white_space(text)) return false;
  return PlainYaml(text, builder).run();
}

}  // namespace headroom::source
