// Words of a shell text: quotes, escapes, expansions.
#include <fmt/format.h>

#include "chars.hpp"
#include "shell_parser.hpp"

namespace headroom::source {

namespace {

bool is_name_start(char c) {
  return is_alpha(c) || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}
bool is_operator(char c) {
  return c == ';' || c == '&' || c == '|' || c == '<' || c == '>' || c == '(' || c == ')';
}

}  // namespace

std::uint32_t ShellParser::break_length(std::uint32_t p) const {
  if (at(p) == '\n') return 1;
  return at(p) == '\r' && at(p + 1) == '\n' ? 2 : 0;
}

bool ShellParser::too_deep() {
  if (depth_ <= max_depth_) return false;
  fail(at_, fmt::format("nested more than {} levels deep", max_depth_));
  return true;
}

void ShellParser::fail(std::uint32_t offset, std::string message) {
  if (!failure_) failure_ = Failure{offset, std::move(message)};
  at_ = text_.size();
}

void ShellParser::skip_comment() {
  const std::uint32_t begin = at_;
  while (at_ < text_.size() && break_length(at_) == 0) ++at_;
  comments_.emplace_back(begin, at_);
}

/// Blanks and continued lines, and the comment that may follow.
void ShellParser::skip_blanks() {
  while (at_ < text_.size()) {
    if (is_blank(at(at_))) {
      ++at_;
    } else if (at(at_) == '\\' && break_length(at_ + 1) > 0) {
      at_ += 1 + break_length(at_ + 1);
    } else {
      break;
    }
  }
  if (at(at_) == '#' && (at_ == 0 || is_space(at(at_ - 1)) || is_operator(at(at_ - 1)))) skip_comment();
}

ShellPart& ShellParser::add(ShellWord& word, ShellPart::Kind kind, std::uint32_t begin, std::uint32_t end,
                            bool quoted) const {
  ShellPart part;
  part.kind = kind;
  part.begin = part.outer_begin = begin;
  part.end = part.outer_end = end;
  part.quoted = quoted;
  word.parts.push_back(std::move(part));
  return word.parts.back();
}

void ShellParser::literal(ShellWord& word, std::uint32_t begin, std::uint32_t end, bool quoted) const {
  if (begin < end) add(word, ShellPart::Kind::literal, begin, end, quoted);
}

void ShellParser::escaped(ShellWord& word, std::uint32_t begin, std::uint32_t end, std::string value,
                          bool quoted) const {
  ShellPart& part = add(word, ShellPart::Kind::literal, begin, end, quoted);
  part.escaped = true;
  part.value = std::move(value);
}

bool ShellParser::ends_word(Where where, std::uint32_t nested) const {
  const char c = at(at_);
  switch (where) {
    case Where::command:
      return is_blank(c) || break_length(at_) > 0 || (is_operator(c) && placeholder_length() == 0);
    case Where::plain:
      return is_blank(c) || break_length(at_) > 0;
    case Where::operand:
    case Where::quoted_operand:
      return c == '}';
    case Where::pattern:
      return c == '}' || c == '/';
    case Where::subscript:
      return c == ']';
    case Where::expression:
      return nested == 0 && c == ')' && at(at_ + 1) == ')';
  }
  return true;
}

/// Reads up to what ends a word here. In an operand or expression quotes are read, blanks are kept.
ShellWord ShellParser::word(Where where) {
  const Depth depth(*this);
  ShellWord word;
  word.begin = at_;
  std::uint32_t start = at_;
  std::uint32_t nested = 0;
  const auto flush = [&] { literal(word, start, at_, false); };
  if (too_deep()) return word;
  while (!done() && !ends_word(where, nested)) {
    const char c = at(at_);
    const std::uint32_t before = at_;
    if (where == Where::expression && (c == '(' || c == ')'))
      nested = c == '(' ? nested + 1 : nested - (nested > 0);
    const bool special = c == '\\' || (c == '\'' && where != Where::quoted_operand) || c == '"' || c == '`' ||
                         c == '$' || ((c == '{' || c == '<') && where == Where::command);
    if (!special) {
      const std::uint32_t line_break = break_length(at_);
      if (line_break == 2) {
        flush();
        escaped(word, at_, at_ + 2, "\n", false);
        at_ += 2;
        start = at_;
      } else {
        ++at_;
      }
      continue;
    }
    flush();
    bool taken = true;
    if (c == '\\') {
      escape(word, false);
    } else if (c == '\'') {
      single_quotes(word);
    } else if (c == '"') {
      double_quotes(word);
    } else if (c == '`') {
      backticks(word, false);
    } else if (c == '<') {
      add(word, ShellPart::Kind::placeholder, at_, at_ + placeholder_length(), false);
      at_ += placeholder_length();
    } else if (c == '{') {
      taken = brace_expansion(word);
    } else {
      taken = dollar(word, false);
    }
    start = taken ? at_ : before;
    if (!taken) at_ = before + 1;
  }
  if (!failure_) flush();
  word.end = at_;
  return word;
}

/// At a backslash.
void ShellParser::escape(ShellWord& word, bool in_quotes) {
  const std::uint32_t line_break = break_length(at_ + 1);
  if (line_break > 0) {
    at_ += 1 + line_break;
    return;
  }
  const char next = at(at_ + 1);
  const bool means_next = !in_quotes || next == '$' || next == '`' || next == '"' || next == '\\';
  if (at_ + 1 >= text_.size() || !means_next) {
    literal(word, at_, at_ + 1, in_quotes);
    ++at_;
    return;
  }
  escaped(word, at_, at_ + 2, std::string(1, next), true);
  at_ += 2;
}

/// Gives the parts from `first` on their quotes; an empty pair is a part too.
void ShellParser::close_quotes(ShellWord& word, std::size_t first, std::uint32_t outer_begin,
                               std::uint32_t outer_end) {
  if (word.parts.size() == first) add(word, ShellPart::Kind::literal, outer_end - 1, outer_end - 1, true);
  word.parts[first].outer_begin = outer_begin;
  word.parts.back().outer_end = outer_end;
}

void ShellParser::single_quotes(ShellWord& word) {
  const std::uint32_t begin = at_;
  const std::size_t first = word.parts.size();
  std::uint32_t start = ++at_;
  while (at_ < text_.size() && at(at_) != '\'') {
    if (break_length(at_) == 2) {
      literal(word, start, at_, true);
      escaped(word, at_, at_ + 2, "\n", true);
      start = at_ + 2;
      ++at_;
    }
    ++at_;
  }
  if (at_ >= text_.size()) return fail(begin, "unterminated quote `'`");
  literal(word, start, at_, true);
  ++at_;
  close_quotes(word, first, begin, at_);
}

/// `$'…'`
void ShellParser::dollar_quotes(ShellWord& word) {
  const std::uint32_t begin = at_;
  const std::size_t first = word.parts.size();
  at_ += 2;
  while (at_ < text_.size() && at(at_) != '\'') {
    if (at(at_) != '\\' || at_ + 1 >= text_.size()) {
      literal(word, at_, at_ + 1, true);
      ++at_;
      continue;
    }
    static constexpr std::string_view names = "nrtabfv\\'\"?e";
    static constexpr std::string_view meanings = "\n\r\t\a\b\f\v\\'\"?\x1b";
    const std::size_t known = names.find(at(at_ + 1));
    // Numeric escapes stay as written: no argument of a training script needs them.
    const std::string value = known == std::string_view::npos ? std::string(text_.chars().substr(at_, 2))
                                                              : std::string(1, meanings[known]);
    escaped(word, at_, at_ + 2, value, true);
    at_ += 2;
  }
  if (at_ >= text_.size()) return fail(begin, "unterminated quote `$'`");
  ++at_;
  close_quotes(word, first, begin, at_);
}

void ShellParser::double_quotes(ShellWord& word) {
  const std::uint32_t begin = at_++;
  const std::size_t first = word.parts.size();
  quoted_content(word, '"');
  if (failure_) return;
  if (at_ >= text_.size()) return fail(begin, "unterminated quote `\"`");
  ++at_;
  close_quotes(word, first, begin, at_);
}

/// What stands in double quotes, up to `close` (NUL: to the end of the text).
void ShellParser::quoted_content(ShellWord& word, char close) {
  std::uint32_t start = at_;
  while (!done() && (close == '\0' || at(at_) != close)) {
    const char c = at(at_);
    const std::uint32_t before = at_;
    const bool windows = break_length(at_) == 2;
    if (c != '\\' && c != '`' && c != '$' && !windows) {
      ++at_;
      continue;
    }
    literal(word, start, at_, true);
    bool taken = true;
    if (windows) {
      escaped(word, at_, at_ + 2, "\n", true);
      at_ += 2;
    } else if (c == '\\') {
      escape(word, true);
    } else if (c == '`') {
      backticks(word, true);
    } else {
      taken = dollar(word, true);
    }
    start = taken ? at_ : before;
    if (!taken) at_ = before + 1;
  }
  if (!failure_) literal(word, start, at_, true);
}

/// At `$`; false: it is just a character.
bool ShellParser::dollar(ShellWord& word, bool quoted) {
  const char next = at(at_ + 1);
  const std::uint32_t begin = at_;
  if (next == '\'' && !quoted) {
    dollar_quotes(word);
  } else if (next == '"' && !quoted) {
    ++at_;
    double_quotes(word);
  } else if (next == '(' && at(at_ + 2) == '(') {
    arithmetic(word, quoted);
  } else if (next == '(') {
    substitution(word, quoted, at_ + 2);
  } else if (next == '{') {
    parameter(word, quoted);
  } else if (is_name(next) || std::string_view("@*#?$!-").find(next) != std::string_view::npos) {
    if (next == '\0') return false;
    std::uint32_t end = at_ + 2;
    while (is_name_start(next) && is_name(at(end))) ++end;
    ShellPart& part = add(word, ShellPart::Kind::parameter, begin, end, quoted);
    part.parameter = std::make_unique<ShellParameter>();
    part.parameter->name = text_.chars().substr(begin + 1, end - begin - 1);
    at_ = end;
  } else {
    return false;
  }
  return true;
}

/// At `${`.
void ShellParser::parameter(ShellWord& word, bool quoted) {
  const std::uint32_t begin = at_;
  at_ += 2;
  auto parameter = std::make_unique<ShellParameter>();
  if (at(at_) == '#' && at(at_ + 1) != '}') {
    parameter->length = true;
    ++at_;
  } else if (at(at_) == '!' && is_name_start(at(at_ + 1))) {
    parameter->indirect = true;
    ++at_;
  }
  const std::uint32_t name = at_;
  if (is_name_start(at(at_))) {
    while (is_name(at(at_))) ++at_;
  } else if (is_digit(at(at_))) {
    while (is_digit(at(at_))) ++at_;
  } else if (at_ < text_.size() && at(at_) != '}') {
    ++at_;
  }
  parameter->name = text_.chars().substr(name, at_ - name);
  if (at(at_) == '[') {
    ++at_;
    parameter->index = this->word(Where::subscript);
    const std::string_view index =
        text_.chars().substr(parameter->index.begin, parameter->index.end - parameter->index.begin);
    parameter->subscript = index == "@"   ? ShellParameter::Subscript::at
                           : index == "*" ? ShellParameter::Subscript::star
                                          : ShellParameter::Subscript::index;
    if (!done()) ++at_;
  }
  parameter_operator(*parameter, quoted);
  if (failure_) return;
  if (at(at_) != '}') return fail(begin, "unterminated `${`");
  ++at_;
  ShellPart& part = add(word, ShellPart::Kind::parameter, begin, at_, quoted);
  part.parameter = std::move(parameter);
}

void ShellParser::parameter_operator(ShellParameter& parameter, bool quoted) {
  static constexpr std::string_view operators[] = {":-", ":=", ":+", ":?", "-",  "=",  "+",
                                                   "?",  "##", "#",  "%%", "%",  "//", "/#",
                                                   "/%", "/",  "^^", "^",  ",,", ",",  ":"};
  if (at(at_) == '}' || done()) return;
  const std::string_view rest = text_.chars().substr(at_);
  parameter.op = "?@";  // not understood
  for (const std::string_view op : operators) {
    if (!rest.starts_with(op)) continue;
    parameter.op = op;
    at_ += static_cast<std::uint32_t>(op.size());
    break;
  }
  const auto operand = [&](Where where) {
    parameter.operands.push_back(word(where));
    if (!quoted) return;
    for (ShellPart& part : parameter.operands.back().parts) part.quoted = true;
  };
  const bool replace = parameter.op.front() == '/';
  operand(replace ? Where::pattern : quoted ? Where::quoted_operand : Where::operand);
  if (replace && at(at_) == '/') {
    ++at_;
    operand(Where::operand);
  }
}

/// At `$((`.
void ShellParser::arithmetic(ShellWord& word, bool quoted) {
  const std::uint32_t begin = at_;
  at_ += 3;
  ShellWord expression = this->word(Where::expression);
  if (failure_) return;
  if (at(at_) != ')') return fail(begin, "unterminated `$((`");
  at_ += 2;
  ShellPart& part = add(word, ShellPart::Kind::arithmetic, begin, at_, quoted);
  part.expression = std::move(expression);
}

/// From an opening quote to its closing one, or the end of the text. Substitutions inside double quotes may
/// hold quotes of their own.
std::uint32_t ShellParser::skip_quotes(std::uint32_t p) const {
  const char quote = at(p++);
  std::uint32_t inner = 0;
  for (; p < text_.size() && (at(p) != quote || inner > 0); ++p) {
    if (quote == '\'') continue;
    if (at(p) == '\\') {
      ++p;
    } else if (quote == '"' && at(p) == '$' && at(p + 1) == '(') {
      ++inner;
    } else if (at(p) == ')' && inner > 0) {
      --inner;
    }
  }
  return p;
}

/// The `)` that closes what is open at `p`; the end of the text where there is none.
std::uint32_t ShellParser::closing_parenthesis(std::uint32_t p) const {
  std::uint32_t open = 1;
  for (; p < text_.size(); ++p) {
    const char c = at(p);
    if (c == '\\') {
      ++p;
    } else if (c == '\'' || c == '`' || c == '"') {
      p = skip_quotes(p);
    } else if (c == '#' && is_space(at(p - 1))) {
      while (p + 1 < text_.size() && at(p + 1) != '\n') ++p;
    } else if (c == '(') {
      ++open;
    } else if (c == ')' && --open == 0) {
      return p;
    }
  }
  return text_.size();
}

/// At `$(`, `<(` or `>(`; `body` is behind it.
void ShellParser::substitution(ShellWord& word, bool quoted, std::uint32_t body) {
  const std::uint32_t end = closing_parenthesis(body);
  if (end >= text_.size()) return fail(at_, "unterminated `$(`");
  add(word, ShellPart::Kind::substitution, at_, end + 1, quoted);
  at_ = end + 1;
}

void ShellParser::backticks(ShellWord& word, bool quoted) {
  std::uint32_t end = at_ + 1;
  while (end < text_.size() && at(end) != '`') end += at(end) == '\\' ? 2 : 1;
  if (end >= text_.size()) return fail(at_, "unterminated quote `` ` ``");
  add(word, ShellPart::Kind::substitution, at_, end + 1, quoted);
  at_ = end + 1;
}

/// At `{`: `{a,b}` and `{1..4}` make several words, which is not evaluated.
bool ShellParser::brace_expansion(ShellWord& word) {
  std::uint32_t p = at_ + 1;
  std::uint32_t open = 1;
  bool several = false;
  constexpr std::uint32_t longest = 256;
  for (; p < text_.size() && open > 0; ++p) {
    const char c = at(p);
    if (p - at_ > longest || is_space(c) || c == '"' || c == '\'' || c == '`' || c == '\\' || is_operator(c))
      return false;
    if (c == '{') ++open;
    if (c == '}') --open;
    several = several || (open == 1 && (c == ',' || (c == '.' && at(p + 1) == '.')));
  }
  if (open > 0 || !several) return false;
  add(word, ShellPart::Kind::braces, at_, p, false);
  at_ = p;
  return true;
}

/// Of `<your path>`, which templates put where a value belongs; a shell would read two redirections. 0: none.
std::uint32_t ShellParser::placeholder_length() const {
  constexpr std::uint32_t longest = 100;
  if (at(at_) != '<' || !is_name_start(at(at_ + 1))) return 0;
  std::uint32_t p = at_ + 1;
  for (; at(p) != '>'; ++p) {
    const char c = at(p);
    const bool no_text = break_length(p) > 0 || c == '"' || c == '\'' || c == '`' || c == '$';
    if (p - at_ > longest || no_text || (is_operator(c) && c != '(' && c != ')')) return 0;
  }
  const char next = at(p + 1);
  const bool file = is_blank(at(p - 1)) || is_name(next) || is_operator(next);
  return p < text_.size() && !file ? p + 1 - at_ : 0;
}

std::vector<ShellWord> ShellParser::plain_words() {
  std::vector<ShellWord> words;
  while (true) {
    skip_blanks();
    while (break_length(at_) > 0) {
      at_ += break_length(at_);
      skip_blanks();
    }
    if (done()) return words;
    ShellWord next = word(Where::plain);
    if (failure_) return words;
    words.push_back(std::move(next));
  }
}

ShellWord ShellParser::here_document() {
  ShellWord word;
  quoted_content(word, '\0');
  word.end = text_.size();
  return word;
}

}  // namespace headroom::source
