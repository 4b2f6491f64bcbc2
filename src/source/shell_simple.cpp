// Simple commands: assignments, what the shell does itself, programs.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "chars.hpp"
#include "shell_reader.hpp"

namespace headroom::source {

namespace {

using Note = Unevaluated::Kind;
using State = ShellValue::State;

template <std::size_t N>
bool is_one_of(std::string_view text, const std::array<std::string_view, N>& choices) {
  return std::find(choices.begin(), choices.end(), text) != choices.end();
}

/// What a variable keeps of an expanded text: quotes have done their work.
Field stored(Field field, bool element) {
  for (Glyph& glyph : field.glyphs) {
    glyph.quoted = glyph.splittable = false;
    glyph.loose = element && glyph.loose;
  }
  return field;
}

/// Length of the variable name at the start of `text`.
std::size_t name_length(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size() && (is_alpha(text[i]) || text[i] == '_' || (i > 0 && is_digit(text[i])))) ++i;
  return i;
}

Span hull(const Glyphs& glyphs, Span fallback) {
  if (glyphs.empty()) return fallback;
  const Span out{glyphs.front().site.outer.begin, glyphs.back().site.outer.end};
  return out.begin <= out.end ? out : fallback;
}

}  // namespace

void ShellReader::note_redirections(const Unit& unit, const ShellNode& node) {
  for (const ShellRedirection& redirection : node.redirections) {
    if (redirection.here_document) continue;
    state_.note(Note::redirection, unit.text.span(redirection.begin, redirection.end));
  }
}

ShellReader::Truth ShellReader::simple(const Unit& unit, const ShellNode& node) {
  note_redirections(unit, node);
  ShellExpander expander(state_, unit.text);
  std::vector<Field> words;
  std::vector<Span> uses;
  for (const ShellWord& word : node.words) {
    for (Field& field : expander.fields(word)) {
      words.push_back(std::move(field));
      uses.push_back(unit.text.span(word.begin, word.end));
    }
  }
  if (state_.failed()) return {};
  if (words.empty()) {
    for (const ShellAssignment& assignment : node.assignments) assign(unit, assignment, false);
    here_documents(unit, node, words, no_command);
    return {};
  }
  const auto function = functions_.find(text_of(words.front().glyphs));
  if (function != functions_.end() && !function->second.running) {
    call(function->second, std::vector<Field>(words.begin() + 1, words.end()));
    return {};
  }
  if (const auto truth = builtin(unit, node, words)) return *truth;
  run(unit, node, words, uses);
  return {};
}

/// A program: its words and environment, and the commands in its arguments.
void ShellReader::run(const Unit& unit, const ShellNode& node, const std::vector<Field>& words,
                      const std::vector<Span>& uses) {
  Command command;
  for (std::size_t i = 0; i < words.size(); ++i) {
    command.words.push_back(make_word(words[i], uses[i], state_.routes, state_.givens, given_));
  }
  command.span = unit.text.span(node.begin, node.end);
  command.conditional = maybe_ > 0;
  command.dead = dead_ > 0;
  command.inside = inside_;
  for (const ShellAssignment& assignment : node.assignments)
    command.environment.push_back(prefix(unit, assignment));
  add_env(command);
  const auto index = static_cast<std::uint32_t>(state_.script.commands.size());
  state_.script.commands.push_back(std::move(command));
  const std::size_t mark = state_.mark();
  for (const ShellAssignment& assignment : node.assignments) assign(unit, assignment, false);
  const bool evaluates = text_of(words.front().glyphs) == "eval";
  if (!evaluates) {
    inner_texts(words, index);
    here_documents(unit, node, words, index);
    state_.roll_back(mark);
    return;
  }
  state_.roll_back(mark);
  inner_texts(words, index);
}

Assignment ShellReader::prefix(const Unit& unit, const ShellAssignment& assignment) {
  Assignment out;
  out.name = assignment.name;
  out.name_span = unit.text.span(assignment.begin, assignment.name_end);
  out.span = unit.text.span(assignment.begin, assignment.end);
  out.exported = true;
  out.conditional = maybe_ > 0;
  const Span value = unit.text.span(assignment.value.begin, assignment.value.end);
  Field field = ShellExpander(state_, unit.text).whole(assignment.value);
  field.token = value;
  out.value = make_word(field, value, state_.routes, state_.givens, given_);
  return out;
}

/// `env A=1 B=2 program`, wherever it stands: `srun … env A=1 torchrun`.
void ShellReader::add_env(Command& command) const {
  const auto& words = command.words;
  const auto found = std::find_if(words.begin(), words.end(),
                                  [](const Word& w) { return w.text == "env" || w.text.ends_with("/env"); });
  if (found == words.end()) return;
  for (auto word = found + 1; word != words.end(); ++word) {
    const std::size_t length = name_length(word->text);
    if (length == 0 || length >= word->text.size() || word->text[length] != '=') {
      if (word->text.starts_with('-')) continue;
      break;
    }
    Assignment out;
    out.name = word->text.substr(0, length);
    out.exported = true;
    out.conditional = command.conditional;
    out.name_span = place_of(*word, 0, length).span;
    out.span = word->span;
    out.value = *word;
    out.value.text = word->text.substr(length + 1);
    out.value.pieces.clear();
    for (WordPiece piece : word->pieces) {
      if (piece.end <= length + 1) continue;
      const std::uint32_t cut =
          piece.begin > length ? 0 : static_cast<std::uint32_t>(length) + 1 - piece.begin;
      if (cut > 0 && piece.verbatim)
        piece.sites.back().inner.begin = piece.sites.back().outer.begin =
            piece.sites.back().inner.begin + cut;
      piece.begin = piece.begin + cut - static_cast<std::uint32_t>(length) - 1;
      piece.end -= static_cast<std::uint32_t>(length) + 1;
      out.value.pieces.push_back(std::move(piece));
    }
    const WordPlace place = place_of(out.value, 0, out.value.text.size());
    if (!out.value.text.empty()) {
      out.value.span = place.span;
      out.value.exact = place.exact;
    }
    command.environment.push_back(std::move(out));
  }
}

void ShellReader::assign(const Unit& unit, const ShellAssignment& assignment, bool exported) {
  const std::string target = std::exchange(state_.target, assignment.name);
  ShellVariable variable;
  if (const ShellVariable* before = state_.find(assignment.name)) variable.exported = before->exported;
  ShellValue value = value_of(unit, assignment);
  if (assignment.append) append(value, assignment.name);
  if (assignment.indexed) set_element(unit, value, assignment);
  value.given = state_.givens.join(value.given, given_);
  variable.value = std::make_shared<const ShellValue>(std::move(value));
  variable.exported = variable.exported || exported;
  variable.conditional = maybe_ > 0;
  variable.name_span = unit.text.span(assignment.begin, assignment.name_end);
  variable.span = unit.text.span(assignment.begin, assignment.end);
  variable.value_span =
      assignment.array ? variable.span : unit.text.span(assignment.value.begin, assignment.value.end);
  state_.target = target;
  if (!state_.failed()) state_.set(assignment.name, std::move(variable));
}

ShellValue ShellReader::value_of(const Unit& unit, const ShellAssignment& assignment) {
  ShellExpander expander(state_, unit.text);
  ShellValue value;
  value.state = assignment.array ? State::array : State::scalar;
  if (!assignment.array) {
    value.fields.push_back(stored(expander.whole(assignment.value), false));
    value.fields.back().token = unit.text.span(assignment.value.begin, assignment.value.end);
    return value;
  }
  for (const ShellWord& element : assignment.elements) {
    for (Field& field : expander.fields(element)) value.fields.push_back(stored(std::move(field), true));
  }
  return value;
}

/// `+=`: what the variable holds comes first. One that nobody set is taken as empty, which is an assumption.
void ShellReader::append(ShellValue& value, const std::string& name) {
  const ShellVariable* before = state_.find(name);
  if (before == nullptr || before->value == nullptr) {
    value.given = state_.givens.join(value.given, state_.assume(fmt::format("{} is taken as not set", name)));
    return;
  }
  const ShellValue& old = *before->value;
  std::size_t bytes = 0;
  for (const Field& field : old.fields) bytes += field.glyphs.size() + 1;
  if (!state_.spend(bytes)) return;
  value.given = state_.givens.join(value.given, old.given);
  if (old.state == State::unset) return;
  if (old.state == State::unknown || (old.state == State::array && value.state == State::scalar)) {
    value.state = State::unknown;
    value.fields.clear();
  } else if (value.state == State::scalar) {
    Field joined = old.fields.empty() ? Field{} : old.fields.front();
    const Glyphs& more = value.fields.front().glyphs;
    joined.glyphs.insert(joined.glyphs.end(), more.begin(), more.end());
    joined.written_empty = false;
    value.fields = {std::move(joined)};
  } else {
    value.fields.insert(value.fields.begin(), old.fields.begin(), old.fields.end());
  }
}

/// `A[i]=value` of an array that is known so far; else, and for `[key]=value`, the array is unknown.
void ShellReader::set_element(const Unit& unit, ShellValue& value, const ShellAssignment& assignment) {
  std::uint32_t given = 0;
  const ShellVariable* before = state_.find(assignment.name);
  const auto index =
      assignment.array ? std::nullopt : ShellExpander(state_, unit.text).arithmetic(assignment.index, given);
  const bool fits = index && *index >= 0 && before != nullptr && before->value != nullptr &&
                    !assignment.append && before->value->state == State::array &&
                    static_cast<std::size_t>(*index) <= before->value->fields.size();
  if (!fits) {
    value.state = State::unknown;
    value.fields.clear();
    return;
  }
  std::size_t bytes = 0;
  for (const Field& field : before->value->fields) bytes += field.glyphs.size() + 1;
  if (!state_.spend(bytes)) return;
  std::vector<Field> fields = before->value->fields;
  const auto at = static_cast<std::size_t>(*index);
  if (at == fields.size()) fields.emplace_back();
  fields[at] = std::move(value.fields.front());
  value.fields = std::move(fields);
  value.state = State::array;
  value.given = state_.givens.join(before->value->given, given);
}

/// The variable gets a value that the text does not tell.
void ShellReader::forget(const std::string& name, Span place) {
  ShellVariable variable;
  if (const ShellVariable* before = state_.find(name)) variable = *before;
  auto value = std::make_shared<ShellValue>();
  value->state = State::unknown;
  variable.value = std::move(value);
  variable.conditional = maybe_ > 0;
  if (variable.name_span.empty()) variable.name_span = variable.span = variable.value_span = place;
  state_.note(Note::input, place, name);
  state_.set(name, std::move(variable));
}

/// `export A=1 B`, `declare -a X`, `local x=…`.
void ShellReader::declare(const Unit& unit, const ShellNode& node, const std::vector<Field>& words) {
  const std::string program = text_of(words.front().glyphs);
  bool exported = program == "export";
  bool associative = false;
  bool removes = false;
  for (const Field& word : words) {
    const std::string text = text_of(word.glyphs);
    if (!text.starts_with('-')) continue;
    exported = exported || (text.find('x') != std::string::npos && program != "export");
    associative = associative || text.find('A') != std::string::npos;
    removes = removes || (program == "export" && text.find_first_of("nfp") != std::string::npos);
  }
  if (removes) return;
  const bool keeps = exported || program == "readonly";
  for (const ShellAssignment& assignment : node.assignments)
    assign(unit, assignment, exported && assignment.declared);
  for (const Field& word : words) {
    if (&word != &words.front()) declare_name(word, exported, associative, keeps);
  }
}

/// `X`, or `"X=…"` with the name inside quotes. `keeps`: a value that it has stays.
void ShellReader::declare_name(const Field& word, bool exported, bool associative, bool keeps) {
  const std::string text = text_of(word.glyphs);
  const std::size_t length = name_length(text);
  if (length == 0 || (length < text.size() && text[length] != '=')) return;
  for (std::size_t i = 0; i < length; ++i) {
    if (word.glyphs[i].unknown) return;
  }
  const std::string name = text.substr(0, length);
  const Glyphs name_glyphs(word.glyphs.begin(), word.glyphs.begin() + static_cast<std::ptrdiff_t>(length));
  ShellVariable variable;
  if (const ShellVariable* before = state_.find(name)) variable = *before;
  variable.exported = variable.exported || exported;
  variable.conditional = maybe_ > 0;
  if (variable.name_span.empty()) {
    variable.name_span = hull(name_glyphs, word.token);
    variable.span = variable.value_span = word.token;
  }
  auto value = std::make_shared<ShellValue>();
  value->given = given_;
  if (length < text.size()) {
    Field rest;
    rest.glyphs.assign(word.glyphs.begin() + static_cast<std::ptrdiff_t>(length) + 1, word.glyphs.end());
    variable.span = hull(word.glyphs, word.token);
    variable.value_span = rest.token = hull(rest.glyphs, word.token);
    value->state = State::scalar;
    value->fields.push_back(stored(std::move(rest), false));
    variable.value = std::move(value);
  } else if (associative) {
    value->state = State::unknown;
    variable.value = std::move(value);
  } else if (!keeps) {
    variable.value = std::move(value);
  }
  state_.set(name, std::move(variable));
}

/// `unset X`, and what changes the arguments: `set -- a b`, `shift`.
void ShellReader::change_names(std::string_view program, const std::vector<Field>& words) {
  if (program == "unset") {
    for (std::size_t i = 1; i < words.size(); ++i) {
      ShellVariable variable;
      variable.value = std::make_shared<const ShellValue>();
      const std::string name = text_of(words[i].glyphs);
      if (name_length(name) == name.size() && !name.empty()) state_.set(name, std::move(variable));
    }
    return;
  }
  if (program == "set") {
    const auto dashes =
        std::find_if(words.begin(), words.end(), [](const Field& f) { return text_of(f.glyphs) == "--"; });
    if (dashes == words.end()) return;
    state_.positionals = std::vector<Field>(dashes + 1, words.end());
    for (Field& field : *state_.positionals) field = stored(std::move(field), true);
  }
  const bool known = state_.positionals && !state_.positionals->empty() && words.size() == 1;
  if (program == "shift" && known) state_.positionals->erase(state_.positionals->begin());
  // Under a condition, or by a number: which argument is which is not known any more.
  if (maybe_ > 0 || (program == "shift" && !known)) state_.positionals.reset();
}

std::optional<ShellReader::Truth> ShellReader::builtin(const Unit& unit, const ShellNode& node,
                                                       const std::vector<Field>& words) {
  static constexpr std::array<std::string_view, 5> declarations = {"export", "declare", "local", "readonly",
                                                                   "typeset"};
  static constexpr std::array<std::string_view, 5> inputs = {"read", "mapfile", "readarray", "getopts",
                                                             "let"};
  static constexpr std::array<std::string_view, 7> silent = {"shopt", "trap",  "umask",   "ulimit",
                                                             "wait",  "break", "continue"};
  const std::string program = text_of(words.front().glyphs);
  const Span place = unit.text.span(node.begin, node.end);
  if (program == "[" || program == "test") return test_command(words);
  if (program == ":" || program == "true") return Truth{Outcome::yes, 0};
  if (program == "false") return Truth{Outcome::no, 0};
  if (is_one_of(program, declarations)) {
    declare(unit, node, words);
    return Truth{};
  }
  if (program == "source" || program == ".") {
    const std::string file = words.size() > 1 ? text_of(words[1].glyphs) : std::string();
    state_.note_text(Note::source_file, place, file);
    return Truth{};
  }
  if (is_one_of(program, inputs)) {
    for (std::size_t i = 1; i < words.size(); ++i) {
      const std::string text = text_of(words[i].glyphs);
      const std::size_t length = name_length(text);
      if (length > 0 && (program == "let" || length == text.size())) forget(text.substr(0, length), place);
    }
    return Truth{};
  }
  if (program == "unset" || program == "set" || program == "shift") {
    change_names(program, words);
    return Truth{};
  }
  if (program == "exit" || program == "return") {
    flow_ = program == "exit" ? Flow::exited : Flow::returned;
    return Truth{};
  }
  if (is_one_of(program, silent)) return Truth{};
  return std::nullopt;
}

}  // namespace headroom::source
