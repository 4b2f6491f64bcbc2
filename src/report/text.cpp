// The look is rustc's: headline, place, excerpt with underlines, notes.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "excerpt.hpp"
#include "headroom/report/report.hpp"
#include "own_words.hpp"

namespace headroom::report {
namespace {

constexpr std::size_t max_related = 8;

Style style_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return Style::red;
    case rules::Severity::warning:
      return Style::yellow;
    case rules::Severity::ignored:
      return Style::magenta;
    case rules::Severity::memory:
      return Style::red;
    case rules::Severity::slow:
      return Style::cyan;
    case rules::Severity::advice:
      return Style::green;
  }
  return Style::plain;
}

// The same fix on two findings has the same key.
std::string key_of(const rules::Fix& fix, const FileReport& file) {
  std::vector<std::string> words = fix_words(fix, file);
  std::sort(words.begin(), words.end());
  return fmt::format("{}", fmt::join(words, " "));
}

class Printer {
 public:
  Printer(const FileReport& file, const TextOptions& options) : file_(file), options_(options) {}

  std::string print() {
    for (const auto& d : file_.diagnostics) diagnostic(d);
    for (const auto& note : file_.notes) {
      headline("note", Style::green, note);
      out_ += blue(" --> ") + name() + "\n\n";
    }
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string blue(std::string_view text) const {
    return paint(text, Style::blue, options_.color);
  }

  // Of the text where there is one: `<stdin>` rather than `-`.
  [[nodiscard]] std::string name() const {
    return printable(file_.text != nullptr ? file_.text->name() : file_.path);
  }

  void headline(const std::string& label, Style style, std::string_view message) {
    const std::string shown = printable(message);
    const auto lines = wrap(shown, options_.width > 4 ? options_.width - 4 : 1, display_width(label) + 2);
    out_ += paint(label, style, options_.color) + paint(":", Style::bold, options_.color);
    bool first = true;
    for (const auto& line : lines) {
      if (!first) out_ += "\n    ";
      if (!line.empty()) out_ += (first ? " " : "") + paint(line, Style::bold, options_.color);
      first = false;
    }
    out_ += "\n";
  }

  [[nodiscard]] bool in_file(const rules::Mark& mark) const {
    return file_.text != nullptr && mark.source == file_.text->name();
  }

  // ` --> path:line:col`, then the excerpt. What the user gave on the command line has no excerpt.
  void place(const rules::Diagnostic& d) {
    gutter_ = 2;
    std::vector<Underline> marks;
    const auto add = [&](const rules::Mark& mark, bool primary) {
      if (!in_file(mark)) return;
      marks.push_back({mark.location, primary, primary ? std::string() : name_of(mark)});
    };
    if (d.primary) add(*d.primary, true);
    for (const auto& mark : d.related) {
      if (marks.size() < max_related) add(mark, false);
    }
    std::string where = name();
    if (!marks.empty()) {
      const source::Position at = marks.front().location.start;
      where += fmt::format(":{}:{}", at.line, at.column);
    }
    if (marks.empty()) {
      out_ += blue("  --> ") + where + "\n";
      return;
    }
    const Excerpt shown =
        excerpt(*file_.text, std::move(marks), style_of(d.severity), options_.width, options_.color);
    gutter_ = shown.gutter;
    out_ += blue(std::string(gutter_, ' ') + "--> ") + where + "\n" + shown.text;
  }

  [[nodiscard]] std::string name_of(const rules::Mark& mark) const {
    return mark.written_name.empty() ? own_name(mark.field, file_) : mark.written_name;
  }

  void note(std::string_view label, const std::string& text) {
    const std::string head = fmt::format("{} = {}: ", std::string(gutter_, ' '), label);
    const auto lines =
        wrap(printable(text), options_.width > head.size() ? options_.width - unsigned(head.size()) : 1);
    out_ +=
        blue(std::string(gutter_ + 1, ' ') + "=") + " " + paint(label, Style::bold, options_.color) + ": ";
    for (std::size_t i = 0; i < lines.size(); ++i) {
      out_ += (i == 0 ? "" : std::string(head.size(), ' ')) + lines[i] + "\n";
    }
  }

  void given_elsewhere(const rules::Diagnostic& d) {
    std::map<std::string, std::vector<std::string>> names;  // option -> fields
    const auto add = [&](const rules::Mark& mark) {
      if (!in_file(mark) && !mark.source.empty() && mark.source != file_.path)
        names[mark.source].push_back(name_of(mark));
    };
    if (d.primary) add(*d.primary);
    for (const auto& mark : d.related) add(mark);
    for (const auto& [option, fields] : names) {
      note("note", fmt::format("{} given by {}", fmt::join(fields, ", "), option));
    }
  }

  // Fields that are blamed and stand nowhere in the file or on the command line. Where two are shown, the
  // others are spellings or alternatives that nobody misses.
  void not_written(const rules::Diagnostic& d) {
    if (d.primary && !d.related.empty()) return;
    std::vector<std::string> absent;
    for (const auto& field : d.fields) {
      const auto marked = [&](const rules::Mark& mark) { return mark.field == field; };
      if (d.primary && marked(*d.primary)) continue;
      if (std::any_of(d.related.begin(), d.related.end(), marked)) continue;
      absent.push_back(own_name(field, file_));
    }
    if (!absent.empty()) note("note", fmt::format("not set in the config: {}", fmt::join(absent, ", ")));
  }

  void diagnostic(const rules::Diagnostic& d) {
    headline(fmt::format("{}[{}]", rules::to_string(d.severity), d.rule), style_of(d.severity),
             in_own_words(d.message, file_));
    place(d);
    given_elsewhere(d);
    not_written(d);
    if (d.severity == rules::Severity::error && d.fails_at != rules::FailsAt::startup) {
      note("note",
           d.fails_at == rules::FailsAt::model_build ? "fails at: model build" : "fails at: first step");
    }
    std::size_t shown = 0;
    for (const auto& fix : d.fixes) {
      if (shown++ == options_.max_fixes) {
        note("note", fmt::format("{} more in --format json", d.fixes.size() - options_.max_fixes));
        break;
      }
      help(fix);
    }
    out_ += "\n";
  }

  void help(const rules::Fix& fix) {
    std::string title = in_own_words(fix.title, file_);
    if (fix.safety == rules::Safety::training)
      title += title.empty() ? "changes results" : " (changes results)";
    const auto [found, fresh] = printed_.emplace(key_of(fix, file_), title);
    if (!fresh) {
      note("help", found->second.empty() ? "same fix as above" : "same fix as above: " + found->second);
      return;
    }
    const std::vector<std::string> words = fix_words(fix, file_);
    if (title.empty()) {
      note("help", fmt::format("{}", fmt::join(words, " ")));
    } else {
      note("help", title);
      edits(words);
    }
    const std::string effect = effect_of(fix);
    if (!effect.empty()) note("effect", effect);
    for (const auto& quote : fix.quotes) note("evidence", quote);
  }

  void edits(const std::vector<std::string>& words) {
    const std::string indent(gutter_ + 9, ' ');
    const unsigned room = options_.width > indent.size() ? options_.width - unsigned(indent.size()) : 1;
    std::vector<std::string> lines(1);
    for (const auto& word : words) {  // a word is never broken: it is there to be copied
      const std::string text = printable(word);
      // Environment edits stand before a command, field edits after it.
      const bool alone = text.starts_with("env ");
      if (!lines.back().empty() && (alone || display_width(lines.back()) + 1 + display_width(text) > room)) {
        lines.emplace_back();
      }
      lines.back() += (lines.back().empty() ? "" : " ") + text;
    }
    for (const auto& line : lines) out_ += indent + paint(line, Style::green, options_.color) + "\n";
  }

  const FileReport& file_;
  const TextOptions& options_;
  std::string out_;
  unsigned gutter_ = 1;
  std::map<std::string, std::string> printed_;  // fixes already shown: key -> title
};

}  // namespace

std::string error_text(const source::Error& error, const source::SourceText* text,
                       const TextOptions& options) {
  std::string out = paint("error", Style::red, options.color) + paint(":", Style::bold, options.color);
  const auto lines = wrap(printable(error.message), options.width > 4 ? options.width - 4 : 1, 7);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    out += (i == 0 ? (lines[i].empty() ? "" : " ") : "\n    ") + paint(lines[i], Style::bold, options.color);
  }
  out += "\n";
  if (error.source.empty()) return out;
  std::string where = printable(error.source);
  if (error.has_location) {
    where += fmt::format(":{}:{}", error.location.start.line, error.location.start.column);
  }
  if (!error.has_location || text == nullptr)
    return out + paint("  --> ", Style::blue, options.color) + where + "\n";
  const Excerpt shown =
      excerpt(*text, {{error.location, true, {}}}, Style::red, options.width, options.color);
  return out + paint(std::string(shown.gutter, ' ') + "--> ", Style::blue, options.color) + where + "\n" +
         shown.text;
}

std::string text(const FileReport& file, const TextOptions& options) {
  if (file.unreadable) return error_text(*file.unreadable, file.text.get(), options) + "\n";
  return Printer(file, options).print();
}

}  // namespace headroom::report
