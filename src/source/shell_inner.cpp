// Shells inside the script: the string of `bash -c`, of `eval` and `ssh host`, and here-documents that a
// shell reads.
#include <algorithm>
#include <array>

#include "chars.hpp"
#include "shell_reader.hpp"

namespace headroom::source {

namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

bool is_shell(std::string_view program) {
  static constexpr std::array<std::string_view, 5> shells = {"bash", "sh", "zsh", "dash", "ksh"};
  return std::find(shells.begin(), shells.end(), base_name(program)) != shells.end();
}

/// Index of the first word of the remote command of `ssh …` or `pdsh …`; the number of words where there is
/// none.
std::size_t remote_command(const std::vector<std::string>& words) {
  const std::string_view program = base_name(words.front());
  const bool secure = program == "ssh";
  if (!secure && program != "pdsh" && program != "pssh") return words.size();
  const std::string_view with_value = secure ? "bcDEeFIiJLlmOopQRSWw" : "wxlfRgutc";
  std::size_t i = 1;
  for (; i < words.size() && words[i].starts_with('-') && words[i].size() > 1; ++i) {
    if (words[i].size() == 2 && with_value.find(words[i][1]) != std::string_view::npos) ++i;
  }
  return std::min(secure ? i + 1 : i, words.size());
}

/// Words joined with blanks, as `eval` and `ssh` do.
Glyphs joined(const std::vector<Field>& words, std::size_t from) {
  Glyphs out;
  for (std::size_t i = from; i < words.size(); ++i) {
    if (i > from) {
      Glyph blank;
      blank.c = ' ';
      blank.computed = true;
      if (!out.empty()) blank.site = {{out.back().site.inner.end, out.back().site.inner.end}, {}};
      out.push_back(blank);
    }
    out.insert(out.end(), words[i].glyphs.begin(), words[i].glyphs.end());
  }
  return out;
}

}  // namespace

void ShellReader::inner_texts(const std::vector<Field>& words, std::uint32_t index) {
  std::vector<std::string> texts;
  for (const Field& word : words) texts.push_back(text_of(word.glyphs));
  if (texts.front() == "eval") return read_inner(joined(words, 1), index, true);
  const std::size_t remote = remote_command(texts);
  if (remote < words.size()) return read_inner(joined(words, remote), index, false);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (is_shell(texts[i])) return shell_string(words, i, index);
  }
}

/// `bash … -c string name arguments…`
void ShellReader::shell_string(const std::vector<Field>& words, std::size_t shell, std::uint32_t index) {
  bool takes_string = false;
  std::size_t i = shell + 1;
  for (; i < words.size(); ++i) {
    const std::string text = text_of(words[i].glyphs);
    if (text.size() < 2 || (text.front() != '-' && text.front() != '+')) break;
    if (text.starts_with("--")) continue;
    takes_string = takes_string || text.find('c') != std::string::npos;
    if (text.ends_with('o')) ++i;  // `-o pipefail`
  }
  if (!takes_string || i >= words.size()) return;
  std::vector<Field> arguments;
  if (i + 2 < words.size()) arguments.assign(words.begin() + static_cast<std::ptrdiff_t>(i) + 2, words.end());
  const auto before = std::exchange(state_.positionals, std::move(arguments));
  read_inner(words[i].glyphs, index, false);
  state_.positionals = before;
}

/// Reads a string as a script of its own; what it sets stays with `keeps_changes` only.
void ShellReader::read_inner(Glyphs glyphs, std::uint32_t index, bool keeps_changes) {
  if (glyphs.empty() || !state_.spend(glyphs.size())) return;
  const Unit* unit = parse(ShellText(std::move(glyphs)), false);
  if (unit == nullptr) return;
  const std::uint32_t inside = std::exchange(inside_, index);
  const Flow flow = flow_;
  const std::size_t mark = state_.mark();
  (void)read(*unit, *unit->root);
  inside_ = inside;
  if (keeps_changes) return;
  flow_ = flow;
  keep_exports(mark);
  state_.roll_back(mark);
}

/// Here-documents that a shell reads are commands; the others are recorded.
void ShellReader::here_documents(const Unit& unit, const ShellNode& node, const std::vector<Field>& words,
                                 std::uint32_t index) {
  std::vector<std::string> texts;
  for (const Field& word : words) texts.push_back(text_of(word.glyphs));
  const bool remote =
      !texts.empty() && base_name(texts.front()) == "ssh" && remote_command(texts) >= texts.size();
  const bool reads =
      !texts.empty() &&
      (remote || is_shell(texts.back()) || base_name(texts.front()) == "sbatch" ||
       (texts.size() > 1 && texts.back().starts_with('-') && is_shell(texts[texts.size() - 2])));
  for (const ShellRedirection& redirection : node.redirections) {
    if (!redirection.here_document || redirection.body_begin >= redirection.body_end) continue;
    if (!reads) {
      state_.note(Unevaluated::Kind::here_document,
                  unit.text.span(redirection.body_begin, redirection.body_end));
      continue;
    }
    Glyphs glyphs;
    for (std::uint32_t p = redirection.body_begin; p < redirection.body_end; ++p)
      glyphs.push_back(unit.text.glyph(p));
    if (!state_.spend(glyphs.size())) return;
    if (!redirection.literal) {
      const ShellText body(std::move(glyphs));
      ShellParser parser(body, state_.limits.depth);
      const ShellWord word = parser.here_document();
      if (parser.failure()) {
        state_.note(Unevaluated::Kind::here_document,
                    unit.text.span(redirection.body_begin, redirection.body_end));
        continue;
      }
      glyphs = ShellExpander(state_, body).whole(word).glyphs;
    }
    read_inner(std::move(glyphs), index, false);
  }
}

}  // namespace headroom::source
