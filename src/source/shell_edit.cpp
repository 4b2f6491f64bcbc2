// Edits of a script. Every candidate is applied to a copy and read again before it counts.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "chars.hpp"
#include "shell_layout.hpp"
#include "shell_place.hpp"

namespace headroom::source {

namespace {

/// Words [first, first + removed) of a command give way to others.
struct Change {
  std::size_t command = 0;
  std::size_t first = 0;
  std::size_t removed = 0;
  std::vector<std::string> words;
};

/// What the words of a command must be after the edit.
struct Expected {
  std::string text;
  bool known = true;
};
using Words = std::vector<Expected>;

bool prints_only(const Command& command) {
  if (command.words.empty()) return false;
  const std::string& program = command.words.front().text;
  return program == "echo" || program == "printf";
}

bool same_value(const Assignment& a, const Assignment& b) {
  return a.name == b.name && a.value.text == b.value.text && a.value.known == b.value.known;
}

class Check {
 public:
  Check(const Script& before, const std::vector<Edit>& edits) : before_(before), edits_(edits) {
    auto text = std::make_shared<const SourceText>(before.source->name(), apply_edits(*before.source, edits));
    auto read =
        before.form == Script::Form::words ? read_words(std::move(text)) : read_shell(std::move(text));
    if (read) after_ = std::move(*read);
  }

  /// The words are as wanted, everything else is as before.
  [[nodiscard]] bool gives(const Change& change) const {
    if (!same_frame() || !same_exports({})) return false;
    const std::size_t count = before_.commands.size();
    std::vector<bool> follows(count, false);  // may hold the changed text as a string for another shell
    std::vector<std::size_t> others;
    for (std::size_t i = 0; i < count; ++i) {
      const Command& command = before_.commands[i];
      const Command& now = after_->commands[i];
      if (!same_environment(command, now, {})) return false;
      if (i != change.command && (prints_only(command) || holds(now, as_before(command)))) continue;
      const bool target = i == change.command;
      if (target ? holds(now, with_change(i, change.first, change)) : holds(now, mirrored(i, change))) {
        for (auto c = command.inside; c != no_command; c = before_.commands[c].inside) follows[c] = true;
      } else {
        others.push_back(i);
      }
    }
    return std::all_of(others.begin(), others.end(),
                       [&](std::size_t i) { return i != change.command && follows[i]; });
  }

  /// The variable `name` of `command` is `value`, everything else is as before.
  [[nodiscard]] bool gives(std::size_t command, std::string_view name, std::string_view value) const {
    if (!same_frame() || !same_exports(name)) return false;
    std::vector<std::size_t> around;
    for (auto c = before_.commands[command].inside; c != no_command; c = before_.commands[c].inside)
      around.push_back(c);
    for (std::size_t i = 0; i < before_.commands.size(); ++i) {
      const bool holds_string = std::find(around.begin(), around.end(), i) != around.end();
      if (!same_environment(before_.commands[i], after_->commands[i], name)) return false;
      const bool sets = i == command && std::any_of(before_.commands[i].environment.begin(),
                                                    before_.commands[i].environment.end(),
                                                    [&](const Assignment& a) { return a.name == name; });
      if (holds_string || sets || prints_only(before_.commands[i])) continue;
      if (!holds(after_->commands[i], as_before(before_.commands[i]))) return false;
    }
    const Assignment* found = find_last(after_->commands[command].environment, name);
    if (found == nullptr) found = find_last(after_->exports, name);
    return found != nullptr && found->value.known && found->value.text == value;
  }

  [[nodiscard]] static const Assignment* find_last(const std::vector<Assignment>& all,
                                                   std::string_view name) {
    const auto found =
        std::find_if(all.rbegin(), all.rend(), [&](const Assignment& a) { return a.name == name; });
    return found == all.rend() ? nullptr : &*found;
  }

 private:
  [[nodiscard]] static std::size_t syntax_errors(const Script& script) {
    return static_cast<std::size_t>(
        std::count_if(script.not_evaluated.begin(), script.not_evaluated.end(),
                      [](const Unevaluated& u) { return u.kind == Unevaluated::Kind::unknown_syntax; }));
  }

  /// Same commands at the same places in the flow, same directives.
  [[nodiscard]] bool same_frame() const {
    if (!after_ || after_->commands.size() != before_.commands.size()) return false;
    if (after_->directives.size() != before_.directives.size()) return false;
    if (syntax_errors(*after_) != syntax_errors(before_)) return false;
    for (std::size_t i = 0; i < before_.commands.size(); ++i) {
      const Command& a = before_.commands[i];
      const Command& b = after_->commands[i];
      if (a.conditional != b.conditional || a.dead != b.dead || a.inside != b.inside) return false;
    }
    for (std::size_t i = 0; i < before_.directives.size(); ++i) {
      const Directive& a = before_.directives[i];
      const Directive& b = after_->directives[i];
      const auto equal = [](const Word& x, const Word& y) { return x.text == y.text; };
      if (a.name != b.name ||
          !std::equal(a.words.begin(), a.words.end(), b.words.begin(), b.words.end(), equal))
        return false;
    }
    return true;
  }

  [[nodiscard]] static bool same_environment(const Command& a, const Command& b, std::string_view but) {
    return std::equal(a.environment.begin(), a.environment.end(), b.environment.begin(), b.environment.end(),
                      [&](const Assignment& x, const Assignment& y) {
                        return same_value(x, y) || (x.name == but && y.name == but);
                      });
  }

  /// Exports are as before, but for those whose own text was edited, and `name`.
  [[nodiscard]] bool same_exports(std::string_view name) const {
    const auto edited = [&](const Assignment& assignment) {
      return assignment.name == name || std::any_of(edits_.begin(), edits_.end(), [&](const Edit& edit) {
               return assignment.span.begin <= edit.span.begin && edit.span.end <= assignment.span.end;
             });
    };
    std::size_t at = 0;
    for (const Assignment& assignment : after_->exports) {
      const bool is_next = at < before_.exports.size() && before_.exports[at].name == assignment.name;
      if (!is_next && assignment.name == name) continue;  // new
      if (!is_next || (!same_value(before_.exports[at], assignment) && !edited(before_.exports[at])))
        return false;
      ++at;
    }
    return at == before_.exports.size();
  }

  [[nodiscard]] static Words as_before(const Command& command) {
    Words out;
    for (const Word& word : command.words) out.push_back({word.text, word.known});
    return out;
  }

  [[nodiscard]] Words with_change(std::size_t command, std::size_t first, const Change& change) const {
    Words out = as_before(before_.commands[command]);
    const auto at = out.begin() + static_cast<std::ptrdiff_t>(first);
    out.erase(at, at + static_cast<std::ptrdiff_t>(change.removed));
    Words fresh;
    for (const std::string& word : change.words) fresh.push_back({word, true});
    out.insert(out.begin() + static_cast<std::ptrdiff_t>(first), fresh.begin(), fresh.end());
    return out;
  }

  [[nodiscard]] static bool same_word(const Word& a, const Word& b) {
    return a.span == b.span && a.text == b.text;
  }

  /// The words of another command that takes the changed ones from the same place.
  [[nodiscard]] Words mirrored(std::size_t command, const Change& change) const {
    const auto& source = before_.commands[change.command].words;
    const auto& words = before_.commands[command].words;
    for (std::size_t i = 0; i + change.removed <= words.size(); ++i) {
      bool same = change.removed > 0 ||
                  (i > 0 && change.first > 0 && same_word(words[i - 1], source[change.first - 1]));
      for (std::size_t k = 0; k < change.removed && same; ++k)
        same = same_word(words[i + k], source[change.first + k]);
      // The same variable may be the value of another flag there, which is another matter.
      const bool replaces = change.removed > 0 && !change.words.empty();
      if (replaces && i > 0 && change.first > 0)
        same = same && words[i - 1].text == source[change.first - 1].text;
      if (same) return with_change(command, i, change);
    }
    return as_before(before_.commands[command]);
  }

  [[nodiscard]] static bool holds(const Command& command, const Words& words) {
    return std::equal(command.words.begin(), command.words.end(), words.begin(), words.end(),
                      [](const Word& word, const Expected& wanted) {
                        return word.text == wanted.text && word.known == wanted.known;
                      });
  }

  const Script& before_;
  const std::vector<Edit>& edits_;
  std::optional<Script> after_;
};

tl::unexpected<Error> refuse(const Script& script, Span place, std::string_view what) {
  return tl::unexpected(
      error_at(*script.source, place,
               fmt::format("{} here needs an edit by hand: other words would change with it", what)));
}

tl::unexpected<Error> no_such_word(const Script& script) {
  return tl::unexpected(error_at(*script.source, {}, "no such word"));
}

bool exists(const Script& script, WordId id) {
  return id.command < script.commands.size() && id.word < script.commands[id.command].words.size();
}

/// Edits that replace bytes [begin, end) of a word by `text`, origin first.
std::vector<std::vector<Edit>> replacements(const Script& script, const Word& word, std::size_t begin,
                                            std::size_t end, std::string_view text) {
  std::vector<std::vector<Edit>> out;
  for (const WordPlace& place : places_of(word, begin, end)) {
    for (std::string& spelling : spellings(script.source->slice(place.span), text)) {
      out.push_back({Edit{place.span, std::move(spelling)}});
    }
  }
  return out;
}

/// Length of the part up to `=` that both texts start with.
std::size_t shared_key(std::string_view a, std::string_view b) {
  const std::size_t equals = a.find('=');
  const bool shared = equals != std::string_view::npos && equals + 1 < a.size() && equals + 1 < b.size() &&
                      a.substr(0, equals + 1) == b.substr(0, equals + 1);
  return shared ? equals + 1 : 0;
}

}  // namespace

Result<std::vector<Edit>> replace_word(const Script& script, WordId id, std::string_view text) {
  if (!exists(script, id)) return no_such_word(script);
  const Word& word = script.commands[id.command].words[id.word];
  if (word.text == text && word.known) return std::vector<Edit>{};
  const Change change{id.command, id.word, 1, {std::string(text)}};
  std::vector<std::vector<Edit>> candidates;
  if (const std::size_t key = shared_key(word.text, text)) {
    candidates = replacements(script, word, key, word.text.size(), text.substr(key));
    // Inside the quotes of the whole word the value needs none of its own.
    const std::string_view whole = script.source->slice(word.span);
    if (whole.starts_with('"') || whole.starts_with('\'')) {
      const WordPlace place = place_of(word, key, word.text.size());
      candidates.insert(candidates.begin(), {Edit{place.span, std::string(text.substr(key))}});
    }
  }
  for (auto& edits : replacements(script, word, 0, word.text.size(), text))
    candidates.push_back(std::move(edits));
  for (auto& edits : candidates) {
    if (Check(script, edits).gives(change)) return std::move(edits);
  }
  return refuse(script, word.span, "a new value");
}

Result<std::vector<Edit>> remove_words(const Script& script, WordId first, std::size_t count) {
  if (count == 0) return std::vector<Edit>{};
  if (!exists(script, first) || count > script.commands[first.command].words.size() - first.word)
    return no_such_word(script);
  const auto& words = script.commands[first.command].words;
  std::size_t depth = depth_of(words[first.word]);
  for (std::size_t i = 1; i < count; ++i)
    depth = std::min(depth, shared_depth(words[first.word], words[first.word + i]));
  const Change change{first.command, first.word, count, {}};
  for (std::size_t level = depth + 1; level-- > 0;) {
    std::vector<Span> tokens;
    for (std::size_t i = 0; i < count; ++i) {
      if (const auto token = token_at(words[first.word + i], level)) tokens.push_back(*token);
    }
    if (tokens.size() != count) continue;
    for (auto& edits : removals(script.source->text(), tokens)) {
      if (Check(script, edits).gives(change)) return std::move(edits);
    }
  }
  return refuse(script, words[first.word].span, "a removal");
}

Result<std::vector<Edit>> insert_words(const Script& script, WordId after,
                                       const std::vector<std::string>& texts) {
  if (texts.empty()) return std::vector<Edit>{};
  if (!exists(script, after)) return no_such_word(script);
  const auto& words = script.commands[after.command].words;
  const Word& anchor = words[after.word];
  // The list that the words around share is where a new one belongs, not the variable behind one of them.
  std::size_t depth = 0;
  if (after.word > 0) depth = shared_depth(words[after.word - 1], anchor);
  if (after.word + 1 < words.size()) depth = std::max(depth, shared_depth(anchor, words[after.word + 1]));
  const Change change{after.command, after.word + 1, 0, texts};
  std::vector<std::string> quoted;
  for (const std::string& text : texts) quoted.push_back(shell_quote(text));
  for (std::size_t level = depth + 1; level-- > 0;) {
    const auto token = token_at(anchor, level);
    if (!token) continue;
    for (const auto& written : {quoted, texts}) {
      for (Edit& edit : insertions(script.source->text(), *token, written)) {
        std::vector<Edit> edits{std::move(edit)};
        if (Check(script, edits).gives(change)) return edits;
      }
    }
  }
  return refuse(script, anchor.span, "a new argument");
}

Result<std::vector<Edit>> set_environment(const Script& script, std::size_t command, std::string_view name,
                                          std::string_view value) {
  if (command >= script.commands.size()) return no_such_word(script);
  const Assignment* found = Check::find_last(script.commands[command].environment, name);
  if (found == nullptr) found = Check::find_last(script.exports, name);
  std::vector<std::vector<Edit>> candidates;
  if (found != nullptr) {
    const Word& old = found->value;
    if (old.known && old.text == value) return std::vector<Edit>{};
    candidates = replacements(script, old, 0, old.text.size(), value);
    for (std::string& spelling : spellings({}, value))
      candidates.push_back({Edit{old.span, std::move(spelling)}});
  }
  std::size_t outer = command;
  while (script.commands[outer].inside != no_command) outer = script.commands[outer].inside;
  const std::string_view text = script.source->text();
  const std::uint32_t at = script.commands[outer].span.begin;
  const std::size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  std::size_t content = line;
  while (content < text.size() && is_blank(text[content])) ++content;
  const auto begin = static_cast<std::uint32_t>(line);
  const std::string indent(text.substr(line, content - line));
  const std::string_view line_end = text.find("\r\n") != std::string_view::npos ? "\r\n" : "\n";
  candidates.push_back(
      {Edit{{begin, begin}, fmt::format("{}export {}={}{}", indent, name, shell_quote(value), line_end)}});
  for (auto& edits : candidates) {
    if (Check(script, edits).gives(command, name, value)) return std::move(edits);
  }
  return refuse(script, script.commands[command].span, fmt::format("a value of {}", name));
}

}  // namespace headroom::source
