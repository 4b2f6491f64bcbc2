// Reads a text as a script and as plain arguments; then replaces, removes and inserts at every word of a
// choice. Each edit must be refused or give the wanted words when the result is read again. The first byte
// chooses.
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "headroom/source/shell.hpp"

namespace {

using namespace headroom::source;

void require(bool condition) {
  if (!condition) std::abort();
}

void check_span(const Script& script, Span span) {
  require(span.begin <= span.end && span.end <= script.source->text().size());
  (void)script.source->location(span);
}

void check_word(const Script& script, const Word& word) {
  check_span(script, word.span);
  check_span(script, word.use);
  for (const std::uint32_t assumption : word.assumptions) require(assumption < script.assumptions.size());
  std::uint32_t at = 0;
  for (const WordPiece& piece : word.pieces) {
    require(piece.begin == at && piece.end > piece.begin && !piece.sites.empty());
    at = piece.end;
    if (piece.verbatim) {
      const auto written = script.source->slice(piece.sites.back().inner);
      require(written == word.text.substr(piece.begin, piece.end - piece.begin));
    }
  }
  require(at == word.text.size());
  for (std::size_t i = 0; i < word.text.size(); i += 7) check_span(script, place_of(word, i, i + 3).span);
}

void check_script(const Script& script) {
  for (std::size_t i = 0; i < script.commands.size(); ++i) {
    const Command& command = script.commands[i];
    check_span(script, command.span);
    require(command.inside == no_command || command.inside < i);
    for (const Word& word : command.words) check_word(script, word);
    for (const Assignment& assignment : command.environment) check_span(script, assignment.span);
  }
  for (const Assignment& assignment : script.exports) check_span(script, assignment.value.span);
  for (const Unevaluated& what : script.not_evaluated) check_span(script, what.span);
}

Result<Script> read(const std::string& text, Script::Form form) {
  auto source = std::make_shared<const SourceText>("fuzz", text);
  return form == Script::Form::words ? read_words(std::move(source)) : read_shell(std::move(source));
}

std::vector<std::string> texts(const Script& script, std::size_t command) {
  std::vector<std::string> out;
  for (const Word& word : script.commands[command].words) out.push_back(word.text);
  return out;
}

void expect(const Script& script, const Result<std::vector<Edit>>& edits, std::size_t command,
            const std::vector<std::string>& words) {
  if (!edits) {
    require(!edits.error().message.empty());
    return;
  }
  const auto after = read(apply_edits(*script.source, *edits), script.form);
  require(after.has_value() && after->commands.size() == script.commands.size());
  require(texts(*after, command) == words);
}

void edit(const Script& script, std::size_t command, std::size_t word, std::size_t choice) {
  static const std::string values[] = {"8", "", "a b", "it's", "$x", "a\"b", "k=v", "--flag", "a\nb", "\\"};
  const std::string& value = values[choice % std::size(values)];
  const WordId id{command, word};
  std::vector<std::string> words = texts(script, command);
  words[word] = value;
  expect(script, replace_word(script, id, value), command, words);
  words.erase(words.begin() + static_cast<std::ptrdiff_t>(word));
  // A command without words is none: the edit is refused.
  expect(script, remove_words(script, id, 1), command, words);
  words = texts(script, command);
  words.insert(words.begin() + static_cast<std::ptrdiff_t>(word) + 1, {"--new", value});
  expect(script, insert_words(script, id, {"--new", value}), command, words);
}

void exercise(const std::string& text, Script::Form form, std::uint8_t choice) {
  const auto script = read(text, form);
  if (!script) {
    require(!script.error().message.empty() && script.error().has_location);
    return;
  }
  check_script(*script);
  std::size_t edits = 0;
  for (std::size_t c = 0; c < script->commands.size(); ++c) {
    for (std::size_t w = choice % 3; w < script->commands[c].words.size() && edits < 8; w += 3, ++edits) {
      edit(*script, c, w, choice + w);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size < 1) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  exercise(text, Script::Form::script, data[0]);
  exercise(text, Script::Form::words, data[0]);
  return 0;
}
