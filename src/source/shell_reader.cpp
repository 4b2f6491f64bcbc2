#include "shell_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "chars.hpp"

namespace headroom::source {

namespace {

constexpr std::size_t max_bytes = 1u << 20;

Result<void> check(const SourceText& text, const Limits& limits) {
  const std::size_t most = std::min<std::uint64_t>(limits.bytes, max_bytes);
  if (text.text().size() > most) {
    return tl::unexpected(
        error_at(text, {}, fmt::format("a script of more than {} bytes is not read", most)));
  }
  if (const auto bad = find_bad_byte(text.text())) {
    return tl::unexpected(error_at(text, {bad->offset, bad->offset + 1}, bad->why));
  }
  return {};
}

/// Offsets count the byte order mark: it is read as blanks.
std::string content_of(const SourceText& text) {
  std::string content = text.text();
  if (content.starts_with(byte_order_mark))
    content.replace(0, byte_order_mark.size(), byte_order_mark.size(), ' ');
  return content;
}

}  // namespace

std::string_view kind_name(Unevaluated::Kind kind) {
  using Kind = Unevaluated::Kind;
  switch (kind) {
    case Kind::command_substitution:
      return "command substitution";
    case Kind::redirection:
      return "redirection";
    case Kind::here_document:
      return "here-document";
    case Kind::arithmetic:
      return "arithmetic";
    case Kind::unset_variable:
      return "unset variable";
    case Kind::positional:
      return "argument of the script";
    case Kind::parameter:
      return "expansion";
    case Kind::brace_expansion:
      return "brace expansion";
    case Kind::placeholder:
      return "placeholder";
    case Kind::input:
      return "input";
    case Kind::source_file:
      return "sourced file";
    case Kind::late_directive:
      return "directive behind the first command";
    case Kind::unknown_syntax:
      return "unknown syntax";
  }
  return {};
}

/// Parses a text. What is unterminated is an error in a file; in a string inside it, it is recorded.
const ShellReader::Unit* ShellReader::parse(ShellText text, bool whole_file) {
  units_.emplace_back(std::move(text));
  Unit& unit = units_.back();
  ShellParser parser(unit.text, state_.limits.depth);
  unit.root = parser.script();
  if (const auto& failure = parser.failure()) {
    const Span place = unit.text.span(failure->offset, std::min(failure->offset + 1, unit.text.size()));
    if (whole_file) {
      state_.fail(place, failure->message);
    } else {
      state_.note(Unevaluated::Kind::unknown_syntax, place);
    }
    return nullptr;
  }
  for (const auto& [begin, end] : parser.skipped()) {
    state_.note(Unevaluated::Kind::unknown_syntax, unit.text.span(begin, end));
  }
  directives(unit.text, parser, *unit.root);
  return &unit;
}

/// `#SBATCH …` at the start of a line. Slurm stops at the first command.
void ShellReader::directives(const ShellText& text, const ShellParser& parser, const ShellNode& root) {
  const std::uint32_t first = root.children.empty() ? text.size() : root.children.front()->begin;
  for (const auto& [begin, end] : parser.comments()) {
    if (begin > 0 && text.at(begin - 1) != '\n') continue;
    read_directive(text, begin, end, begin > first);
  }
}

void ShellReader::read_directive(const ShellText& text, std::uint32_t begin, std::uint32_t end, bool late) {
  static constexpr std::string_view names[] = {"SBATCH", "PBS", "BSUB", "FLUX"};
  const std::string_view line = text.chars().substr(begin + 1, end - begin - 1);
  for (const std::string_view name : names) {
    if (!line.starts_with(name) || line.size() == name.size() || !is_blank(line[name.size()])) continue;
    const Span span = text.span(begin, end);
    if (late) return state_.note(Unevaluated::Kind::late_directive, span);
    Directive directive{std::string(name), {}, span};
    Glyphs glyphs;
    for (auto p = begin + 1 + static_cast<std::uint32_t>(name.size()); p < end; ++p)
      glyphs.push_back(text.glyph(p));
    const ShellText rest(std::move(glyphs));
    ShellParser parser(rest, state_.limits.depth);
    const std::vector<ShellWord> words = parser.plain_words();
    if (parser.failure()) return state_.note(Unevaluated::Kind::unknown_syntax, span);
    for (const ShellWord& word : words) {
      // Slurm expands nothing: the word is its literal parts, a `$` part as written.
      Field field;
      field.token = rest.span(word.begin, word.end);
      for (const ShellPart& part : word.parts) {
        for (std::uint32_t p = part.begin; p < part.end; ++p) field.glyphs.push_back(rest.glyph(p));
      }
      directive.words.push_back(make_word(field, field.token, state_.routes, state_.givens, 0));
    }
    state_.script.directives.push_back(std::move(directive));
  }
}

Result<Script> ShellReader::script() {
  if (auto checked = check(state_.source(), state_.limits); !checked) return tl::unexpected(checked.error());
  std::string_view content = state_.source().text();
  // Offsets count the byte order mark: it is read as a blank.
  std::string without_mark;
  if (content.starts_with(byte_order_mark)) {
    without_mark =
        std::string(byte_order_mark.size(), ' ') + std::string(content.substr(byte_order_mark.size()));
    content = without_mark;
  }
  const Unit* unit = parse(ShellText(content), true);
  if (unit != nullptr) {
    (void)read(*unit, *unit->root);
    uncalled_functions();
    collect_exports();
  }
  return finish();
}

Result<Script> ShellReader::words() {
  if (auto checked = check(state_.source(), state_.limits); !checked) return tl::unexpected(checked.error());
  state_.script.form = Script::Form::words;
  const ShellText text(content_of(state_.source()));
  ShellParser parser(text, state_.limits.depth);
  const std::vector<ShellWord> words = parser.plain_words();
  if (const auto& failure = parser.failure()) {
    state_.fail({failure->offset, std::min(failure->offset + 1, text.size())}, failure->message);
    return finish();
  }
  Command command;
  ShellExpander expander(state_, text);
  for (const ShellWord& word : words) {
    for (const Field& field : expander.fields(word)) {
      command.words.push_back(
          make_word(field, text.span(word.begin, word.end), state_.routes, state_.givens, 0));
    }
  }
  if (!words.empty()) command.span = {words.front().begin, words.back().end};
  state_.script.commands.push_back(std::move(command));
  return finish();
}

Result<Script> ShellReader::finish() {
  if (state_.error) return tl::unexpected(std::move(*state_.error));
  return std::move(state_.script);
}

void ShellReader::uncalled_functions() {
  ++maybe_;
  for (std::size_t i = 0; i < defined_.size() && !state_.failed(); ++i) {
    Function& function = functions_[defined_[i]];
    if (function.called) continue;
    const std::size_t mark = state_.mark();
    const auto positionals = std::exchange(state_.positionals, std::nullopt);
    function.called = true;
    flow_ = Flow::on;
    (void)read(*function.unit, *function.body);
    state_.positionals = positionals;
    keep_exports(mark);
    state_.roll_back(mark);
  }
  --maybe_;
}

Assignment ShellReader::export_of(const std::string& name, const ShellVariable& variable) {
  Assignment out;
  out.name = name;
  out.name_span = variable.name_span;
  out.span = variable.span;
  out.exported = true;
  out.conditional = variable.conditional;
  if (variable.value == nullptr || variable.value->state == ShellValue::State::unknown) {
    out.value.known = false;
    out.value.span = out.value.use = variable.value_span;
    return out;
  }
  Field joined;
  joined.token = variable.value_span;
  for (const Field& field : variable.value->fields) {
    if (&field != &variable.value->fields.front()) {
      Glyph blank;
      blank.c = ' ';
      blank.computed = true;
      blank.site = {variable.value_span, variable.value_span};
      joined.glyphs.push_back(blank);
    }
    joined.glyphs.insert(joined.glyphs.end(), field.glyphs.begin(), field.glyphs.end());
    joined.written_empty = field.written_empty;
  }
  if (!state_.spend(joined.glyphs.size())) return out;
  out.value = make_word(joined, variable.value_span, state_.routes, state_.givens, variable.value->given);
  return out;
}

/// Remembers what is exported since `mark`, before it is taken back: a program inside sees it.
void ShellReader::keep_exports(std::size_t mark) {
  if (dead_ > 0) return;
  for (const auto& [name, variable] : state_.changes(mark)) {
    const bool unset = variable.value != nullptr && variable.value->state == ShellValue::State::unset;
    if (variable.exported && !unset) inner_exports_.try_emplace(name, export_of(name, variable));
  }
}

/// Exported variables at the end of the script, in the order of the text; then what only a shell inside the
/// script, or a function that nothing calls, exports.
void ShellReader::collect_exports() {
  auto& exports = state_.script.exports;
  for (const auto& [name, variable] : state_.changes(0)) {
    inner_exports_.erase(name);
    const bool unset = variable.value != nullptr && variable.value->state == ShellValue::State::unset;
    if (variable.exported && !unset) exports.push_back(export_of(name, variable));
  }
  const auto by_place = [](const Assignment& a, const Assignment& b) {
    return a.name_span.begin < b.name_span.begin;
  };
  std::stable_sort(exports.begin(), exports.end(), by_place);
  const auto outer = static_cast<std::ptrdiff_t>(exports.size());
  for (auto& [name, assignment] : inner_exports_) exports.push_back(std::move(assignment));
  std::stable_sort(exports.begin() + outer, exports.end(), by_place);
}

Result<Script> read_shell(std::shared_ptr<const SourceText> text, const Limits& limits) {
  return ShellReader(std::move(text), limits).script();
}

Result<Script> read_words(std::shared_ptr<const SourceText> text, const Limits& limits) {
  return ShellReader(std::move(text), limits).words();
}

}  // namespace headroom::source
