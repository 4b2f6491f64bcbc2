// Commands of a shell text: lists, pipelines, branches, loops, functions, redirections.
#include <algorithm>
#include <array>

#include "chars.hpp"
#include "shell_parser.hpp"

namespace headroom::source {

namespace {

using Kind = ShellNode::Kind;

bool is_name_start(char c) {
  return is_alpha(c) || c == '_';
}
bool is_name(char c) {
  return is_name_start(c) || is_digit(c);
}

bool is_declaration(std::string_view program) {
  static constexpr std::array<std::string_view, 5> programs = {"export", "declare", "local", "readonly",
                                                               "typeset"};
  return std::find(programs.begin(), programs.end(), program) != programs.end();
}

}  // namespace

ShellParser::Node ShellParser::node(Kind kind) const {
  auto made = std::make_unique<ShellNode>();
  made->kind = kind;
  made->begin = made->end = at_;
  return made;
}

/// The bare word here, where it could be a reserved word.
std::string_view ShellParser::keyword() const {
  std::uint32_t end = at_;
  while (is_alpha(at(end)) || at(end) == '{' || at(end) == '}' || at(end) == '!' || at(end) == '[') ++end;
  const char c = at(end);
  const bool ends = end >= text_.size() || is_space(c) || c == ';' || c == '&' || c == '|' || c == '(' ||
                    c == ')' || c == '<' || c == '>';
  return ends ? text_.chars().substr(at_, end - at_) : std::string_view{};
}

bool ShellParser::accept(std::string_view word) {
  if (keyword() != word) return false;
  at_ += static_cast<std::uint32_t>(word.size());
  return true;
}

bool ShellParser::closes_list() const {
  static constexpr std::array<std::string_view, 8> words = {"then", "else", "elif", "fi",
                                                            "do",   "done", "esac", "}"};
  if (at(at_) == ')' || (at(at_) == ';' && (at(at_ + 1) == ';' || at(at_ + 1) == '&'))) return true;
  return std::find(words.begin(), words.end(), keyword()) != words.end();
}

/// At a line break: past it, and past the here-documents that start behind it.
void ShellParser::line_break() {
  at_ += break_length(at_);
  if (!pending_.empty()) here_documents();
}

void ShellParser::skip_breaks() {
  skip_blanks();
  while (break_length(at_) > 0) {
    line_break();
    skip_blanks();
  }
}

/// Past what may stand between commands.
void ShellParser::separators() {
  skip_breaks();
  while (!done() && (at(at_) == '&' || (at(at_) == ';' && !closes_list()))) {
    if (at(at_) == '&' && (at(at_ + 1) == '>' || at(at_ + 1) == '&')) return;
    ++at_;
    skip_breaks();
  }
}

/// Skips the rest of the line that was not understood, with the lines that continue it. Nothing is read
/// twice: going back would make nested mistakes exponential.
void ShellParser::skip_line(std::uint32_t begin) {
  while (at_ < text_.size() && break_length(at_) == 0) {
    if (at(at_) == '\\' && break_length(at_ + 1) > 0) at_ += break_length(at_ + 1);
    ++at_;
  }
  at_ = std::min(at_, text_.size());
  skipped_.emplace_back(begin, at_);
}

ShellParser::Node ShellParser::script() {
  Node root = node(Kind::list);
  while (!done()) {
    Node part = list();
    for (Node& child : part->children) root->children.push_back(std::move(child));
    if (!done()) skip_line(at_);  // a closing word that nothing opened
  }
  root->end = at_;
  return root;
}

ShellParser::Node ShellParser::list() {
  Node made = node(Kind::list);
  while (!failure_) {
    separators();
    if (done() || closes_list()) break;
    const std::uint32_t begin = at_;
    const std::size_t pending = pending_.size();
    Node child = and_or();
    if (failure_) break;
    skip_blanks();
    const bool ends = done() || break_length(at_) > 0 || at(at_) == ';' || at(at_) == '&' || closes_list();
    if (broken_ || !ends || at_ == begin) {
      broken_ = false;
      for (std::size_t i = std::min(pending, pending_.size()); i < pending_.size(); ++i)
        pending_[i].node = nullptr;
      skip_line(begin);
      continue;
    }
    made->children.push_back(std::move(child));
  }
  made->end = at_;
  return made;
}

ShellParser::Node ShellParser::and_or() {
  Node first = pipeline();
  if (failure_ || broken_) return first;
  Node made;
  while (!done()) {
    skip_blanks();
    const char c = at(at_);
    if ((c != '&' && c != '|') || at(at_ + 1) != c) break;
    at_ += 2;
    skip_breaks();
    if (!made) {
      made = node(Kind::and_or);
      made->begin = first->begin;
      made->children.push_back(std::move(first));
    }
    made->operators.push_back(c);
    made->children.push_back(pipeline());
    made->end = at_;
    if (failure_ || broken_) break;
  }
  return made ? std::move(made) : std::move(first);
}

ShellParser::Node ShellParser::pipeline() {
  const std::uint32_t begin = at_;
  bool negated = false;
  while (accept("!")) {
    negated = !negated;
    skip_blanks();
  }
  Node first = command();
  if (failure_ || broken_) return first;
  Node made;
  while (!done()) {
    skip_blanks();
    if (at(at_) != '|' || at(at_ + 1) == '|') break;
    at_ += at(at_ + 1) == '&' ? 2 : 1;
    skip_breaks();
    if (!made) {
      made = node(Kind::pipeline);
      made->begin = begin;
      made->children.push_back(std::move(first));
    }
    made->children.push_back(command());
    made->end = at_;
    if (failure_ || broken_) break;
  }
  if (!made) made = std::move(first);
  made->negated = negated;
  return made;
}

ShellParser::Node ShellParser::command() {
  const Depth depth(*this);
  if (too_deep()) return node(Kind::list);
  Node made = compound();
  if (!made) return simple();
  made->end = at_;
  redirections(*made);
  return made;
}

/// A compound command; none where a simple one stands here.
ShellParser::Node ShellParser::compound() {
  if (at(at_) == '(' && at(at_ + 1) == '(') return arithmetic_command();
  if (at(at_) == '(') return group(Kind::subshell, ")");
  const std::string_view word = keyword();
  if (word == "if") return conditional();
  if (word == "while" || word == "until") return loop();
  if (word == "for" || word == "select") return each();
  if (word == "case") return choice();
  if (word == "{") return group(Kind::group, "}");
  if (word == "[[") return test();
  if (word == "function" || at_function()) return function();
  return nullptr;
}

/// The word that ends a compound command; its absence is recorded, what was read stays.
void ShellParser::close(std::string_view word, std::uint32_t begin) {
  if (failure_) return;
  if (word == ")" && at(at_) == ')') {
    ++at_;
  } else if (!accept(word)) {
    skipped_.emplace_back(begin, std::min(begin + 2, text_.size()));
  }
}

ShellParser::Node ShellParser::conditional() {
  Node made = node(Kind::conditional);
  (void)accept("if");
  do {
    made->children.push_back(list());
    (void)accept("then");
    made->children.push_back(list());
  } while (!failure_ && accept("elif"));
  if (accept("else")) made->children.push_back(list());
  close("fi", made->begin);
  return made;
}

ShellParser::Node ShellParser::loop() {
  Node made = node(Kind::loop);
  made->name = keyword();
  at_ += static_cast<std::uint32_t>(made->name.size());
  made->children.push_back(list());
  (void)accept("do");
  made->children.push_back(list());
  close("done", made->begin);
  return made;
}

/// `for x in a b; do …; done`, `for ((…)); do …; done`
ShellParser::Node ShellParser::each() {
  Node made = node(Kind::each);
  at_ += static_cast<std::uint32_t>(keyword().size());
  skip_blanks();
  if (at(at_) == '(' && at(at_ + 1) == '(') {
    made->kind = Kind::loop;
    made->children.push_back(arithmetic_command());
  } else {
    const std::uint32_t begin = at_;
    while (is_name(at(at_))) ++at_;
    made->name = text_.chars().substr(begin, at_ - begin);
    skip_breaks();
    if (made->name.empty()) broken_ = true;
    if (accept("in")) {
      skip_blanks();
      while (!done() && break_length(at_) == 0 && at(at_) != ';' && !broken_) {
        made->words.push_back(target());
        skip_blanks();
      }
    }
  }
  if (broken_ || failure_) return made;
  separators();
  (void)accept("do");
  made->children.push_back(list());
  close("done", made->begin);
  return made;
}

ShellParser::Node ShellParser::choice() {
  Node made = node(Kind::choice);
  (void)accept("case");
  skip_blanks();
  made->words.push_back(target());
  skip_breaks();
  if (broken_ || failure_) return made;
  if (!accept("in")) {
    broken_ = true;
    return made;
  }
  skip_breaks();
  while (!done() && !broken_ && keyword() != "esac") choice_item(*made);
  if (!broken_) close("esac", made->begin);
  return made;
}

/// `a | b) list ;;`
void ShellParser::choice_item(ShellNode& choice) {
  if (at(at_) == '(') ++at_;
  std::vector<ShellWord> patterns;
  do {
    if (at(at_) == '|') ++at_;
    skip_blanks();
    patterns.push_back(target());
    skip_blanks();
  } while (!done() && !broken_ && at(at_) == '|');
  if (done() || broken_ || at(at_) != ')') {
    broken_ = true;
    return;
  }
  ++at_;
  choice.patterns.push_back(std::move(patterns));
  choice.children.push_back(list());
  while (at(at_) == ';' || at(at_) == '&') ++at_;
  skip_breaks();
  if (keyword() != "esac" && closes_list()) broken_ = true;
}

ShellParser::Node ShellParser::group(Kind kind, std::string_view closing) {
  Node made = node(kind);
  ++at_;
  made->children.push_back(list());
  close(closing, made->begin);
  return made;
}

bool ShellParser::at_function() const {
  std::uint32_t p = at_;
  if (!is_name_start(at(p))) return false;
  while (is_name(at(p)) || at(p) == '-' || at(p) == '.' || at(p) == ':') ++p;
  while (is_blank(at(p))) ++p;
  return at(p) == '(' && at(p + 1) == ')';
}

ShellParser::Node ShellParser::function() {
  Node made = node(Kind::function);
  if (accept("function")) skip_blanks();
  const std::uint32_t begin = at_;
  while (is_name(at(at_)) || at(at_) == '-' || at(at_) == '.' || at(at_) == ':') ++at_;
  made->name = text_.chars().substr(begin, at_ - begin);
  skip_blanks();
  if (at(at_) == '(' && at(at_ + 1) == ')') at_ += 2;
  skip_breaks();
  if (made->name.empty() || done() || closes_list()) {
    broken_ = true;
    return made;
  }
  made->children.push_back(command());
  return made;
}

/// `[[ … ]]`: operands and operators as words.
ShellParser::Node ShellParser::test() {
  Node made = node(Kind::test);
  at_ += 2;
  bool expression = false;
  while (true) {
    skip_breaks();
    if (done() || at(at_) == ';') {
      broken_ = true;
      return made;
    }
    if (text_.chars().substr(at_).starts_with("]]") && (is_space(at(at_ + 2)) || keyword().empty())) {
      at_ += 2;
      return made;
    }
    const char c = at(at_);
    if (c == '&' || c == '|' || c == '(' || c == ')' || c == '<' || c == '>') {
      ShellWord sign;
      sign.begin = at_;
      at_ += (c == '&' || c == '|') && at(at_ + 1) == c ? 2 : 1;
      sign.end = at_;
      literal(sign, sign.begin, sign.end, false);
      made->words.push_back(std::move(sign));
      continue;
    }
    made->words.push_back(word(expression ? Where::plain : Where::command));
    const ShellWord& last = made->words.back();
    expression = text_.chars().substr(last.begin, last.end - last.begin) == "=~";
  }
}

/// At `((`.
ShellParser::Node ShellParser::arithmetic_command() {
  Node made = node(Kind::arithmetic);
  at_ += 2;
  made->words.push_back(word(Where::expression));
  if (failure_) return made;
  if (at(at_) != ')') {
    fail(made->begin, "unterminated `((`");
    return made;
  }
  at_ += 2;
  made->end = at_;
  return made;
}

ShellParser::Node ShellParser::simple() {
  Node made = node(Kind::simple);
  bool declares = false;
  while (!done() && !broken_) {
    made->end = std::max(made->end, at_);
    skip_blanks();
    const char c = at(at_);
    if (done() || break_length(at_) > 0 || c == ';' || c == '|' || c == ')') break;
    if (c == '&' && at(at_ + 1) != '>') break;
    if (c == '(') {
      broken_ = true;
    } else if (at_redirection()) {
      redirection(*made);
    } else if ((made->words.empty() || declares) && assignment(*made, declares)) {
      continue;
    } else {
      made->words.push_back(target());
      const ShellWord& word = made->words.back();
      if (made->words.size() == 1)
        declares = is_declaration(text_.chars().substr(word.begin, word.end - word.begin));
    }
  }
  const auto last = [&](std::uint32_t end) { made->end = std::max(made->end, end); };
  made->end = made->begin;
  for (const ShellWord& word : made->words) last(word.end);
  for (const ShellAssignment& assignment : made->assignments) last(assignment.end);
  if (made->words.empty() && made->assignments.empty() && made->redirections.empty()) broken_ = true;
  return made;
}

/// A word, or a process substitution.
ShellWord ShellParser::target() {
  if ((at(at_) == '<' || at(at_) == '>') && at(at_ + 1) == '(') {
    ShellWord made;
    made.begin = at_;
    substitution(made, false, at_ + 2);
    made.end = at_;
    return made;
  }
  ShellWord made = word(Where::command);
  if (made.begin == made.end) broken_ = true;
  return made;
}

bool ShellParser::at_redirection() const {
  std::uint32_t p = at_;
  if (at(p) == '&') return at(p + 1) == '>';
  if (placeholder_length() > 0) return false;
  while (is_digit(at(p))) ++p;
  if (p == at_ && at(p) == '{') {
    ++p;
    while (is_name(at(p))) ++p;
    if (at(p++) != '}') return false;
  }
  return (at(p) == '<' || at(p) == '>') && at(p + 1) != '(';
}

void ShellParser::redirections(ShellNode& node) {
  skip_blanks();
  while (!done() && !broken_ && at_redirection()) {
    redirection(node);
    skip_blanks();
  }
}

void ShellParser::redirection(ShellNode& node) {
  ShellRedirection made;
  made.begin = at_;
  while (at(at_) != '<' && at(at_) != '>') ++at_;
  const std::string_view rest = text_.chars().substr(at_);
  if (rest.starts_with("<<") && !rest.starts_with("<<<")) return here_document(node, made.begin);
  static constexpr std::array<std::string_view, 9> operators = {"<<<", "<&", "<>", "<", ">>",
                                                                ">&",  ">|", ">",  ""};
  const auto* op = std::find_if(operators.begin(), operators.end(),
                                [&](std::string_view candidate) { return rest.starts_with(candidate); });
  made.here_string = *op == "<<<";
  at_ += static_cast<std::uint32_t>(op->size());
  skip_blanks();
  made.target = target();
  made.end = at_;
  node.redirections.push_back(std::move(made));
}

/// At `<<`: remembers it; its body starts behind the next line break.
void ShellParser::here_document(ShellNode& node, std::uint32_t begin) {
  ShellRedirection made;
  made.begin = begin;
  made.here_document = true;
  at_ += 2;
  Pending pending;
  if (at(at_) == '-') {
    pending.strip = true;
    ++at_;
  }
  skip_blanks();
  const ShellWord delimiter = target();
  for (const ShellPart& part : delimiter.parts) {
    made.literal = made.literal || part.quoted;
    pending.delimiter +=
        part.escaped ? part.value : std::string(text_.chars().substr(part.begin, part.end - part.begin));
  }
  made.end = at_;
  pending.node = &node;
  pending.index = node.redirections.size();
  node.redirections.push_back(std::move(made));
  pending_.push_back(std::move(pending));
}

void ShellParser::here_documents() {
  for (const Pending& pending : std::exchange(pending_, {})) {
    const std::uint32_t begin = at_;
    std::uint32_t end = text_.size();
    while (at_ < text_.size()) {
      const std::uint32_t line = at_;
      while (at_ < text_.size() && break_length(at_) == 0) ++at_;
      std::string_view content = text_.chars().substr(line, at_ - line);
      while (pending.strip && content.starts_with('\t')) content.remove_prefix(1);
      at_ += break_length(at_);
      if (content != pending.delimiter) continue;
      end = line;
      break;
    }
    if (pending.node == nullptr) continue;
    pending.node->redirections[pending.index].body_begin = begin;
    pending.node->redirections[pending.index].body_end = end;
  }
}

/// `NAME=…`, `NAME+=…`, `NAME[i]=…`; false: something else stands here.
bool ShellParser::assignment(ShellNode& node, bool declared) {
  std::uint32_t p = at_;
  if (!is_name_start(at(p))) return false;
  while (is_name(at(p))) ++p;
  ShellAssignment made;
  made.begin = at_;
  made.name_end = p;
  if (at(p) == '[') {
    while (p < text_.size() && at(p) != ']' && !is_space(at(p))) ++p;
    if (at(p) != ']') return false;
    made.indexed = true;
    ++p;
  }
  if (at(p) == '+') {
    made.append = true;
    ++p;
  }
  if (at(p) != '=') return false;
  made.name = text_.chars().substr(made.begin, made.name_end - made.begin);
  made.declared = declared;
  if (made.indexed) {
    at_ = made.name_end + 1;
    made.index = word(Where::subscript);
  }
  at_ = p + 1;
  if (at(at_) == '(') {
    elements(made);
  } else {
    made.value = word(Where::command);
  }
  made.end = at_;
  node.assignments.push_back(std::move(made));
  return true;
}

/// At the `(` of an array.
void ShellParser::elements(ShellAssignment& assignment) {
  const std::uint32_t begin = at_++;
  assignment.array = true;
  while (!failure_ && !broken_) {
    skip_breaks();
    if (at_ >= text_.size()) return fail(begin, "unterminated `(`");
    if (at(at_) == ')') {
      ++at_;
      return;
    }
    // `[key]=value`: an index of its own
    assignment.indexed = assignment.indexed || at(at_) == '[';
    assignment.elements.push_back(target());
  }
}

}  // namespace headroom::source
