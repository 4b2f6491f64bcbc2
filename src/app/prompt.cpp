#include "prompt.hpp"

#include <fmt/format.h>

#include <charconv>
#include <functional>
#include <set>

#include "headroom/lang/check.hpp"
#include "headroom/lint/fix_text.hpp"
#include "headroom/report/terminal.hpp"
#include "headroom/source/edit.hpp"
#include "line_editor.hpp"
#include "output.hpp"
#include "planning.hpp"
#include "trial.hpp"

namespace headroom::app {
namespace {

constexpr std::size_t most_questions = 5, most_fixes = 10;

constexpr std::string_view help_text =
    "why                     what speaks for the cause, and for others\n"
    "fix [N]                 what to change, best first; only number N\n"
    "what-if key=value ...   the same run with other settings: peak and verdict\n"
    "plan                    configs that fit, ranked\n"
    "diff [N]                fix N, or the last what-if, as a change of the config\n"
    "save FILE [N]           the config with that change\n"
    "help                    this list\n"
    "quit                    end (also end of input)\n";

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> out;
  std::string word;
  char quote = '\0';
  bool any = false;
  for (const char c : line) {
    if (quote != '\0') {
      if (c == quote)
        quote = '\0';
      else
        word += c;
    } else if (c == '\'' || c == '"') {
      quote = c;
      any = true;
    } else if (c == ' ' || c == '\t') {
      if (!word.empty() || any) out.push_back(std::exchange(word, std::string()));
      any = false;
    } else {
      word += c;
    }
  }
  if (!word.empty() || any) out.push_back(word);
  return out;
}

class Conversation {
 public:
  Conversation(const Options& options, Explaining& explaining) : options_(options), explaining_(explaining) {}

  ExitStatus run() {
    if (!refresh()) return exit_usage;
    const bool asked = ask();
    say(report::explain_text(report_, look()));
    if (asked || !report_.fixes.empty()) say("\n`help` lists what can be asked\n");
    while (const auto line = read_line("headroom> ", true)) {
      const auto words = words_of(*line);
      if (!words.empty() && !obey(words)) return exit_clean;
    }
    say("\n");
    return exit_clean;
  }

 private:
  [[nodiscard]] report::TextOptions look() const { return text_options(options_, stdout); }
  void say(std::string_view text) const { static_cast<void>(write(stdout, text)); }
  void say(const source::Error& error) const { say(report::error_text(error, nullptr, look())); }

  bool refresh() {
    auto report = explaining_.run();
    if (!report) {
      say(report.error());
      return false;
    }
    report_ = std::move(*report);
    return true;
  }

  /// Whether anything was asked. An answer may make other questions the most telling ones.
  bool ask() {
    std::set<std::string> asked;
    while (asked.size() < most_questions) {
      const oom::Question* next = nullptr;
      for (const auto& q : report_.diagnosis.questions)
        if (next == nullptr && !asked.contains(q.key)) next = &q;
      if (next == nullptr) break;
      if (asked.empty()) say(headline() + "Enter takes what stands in brackets.\n");
      asked.insert(next->key);
      if (!put(*next)) break;
    }
    if (!asked.empty()) say("\n");
    return !asked.empty();
  }

  [[nodiscard]] std::string headline() const {
    return fmt::format("{}: {}\n", oom::to_string(report_.diagnosis.cause),
                       oom::in_words(report_.diagnosis.cause));
  }

  /// False at the end of input.
  bool put(const oom::Question& question) {
    const std::string key = question.key,
                      otherwise = question.assumed ? question.default_value : std::string();
    const std::string text = fmt::format("{} [{}] ", question.text, question.default_value);
    while (true) {
      const auto line = read_line(text, false);
      if (!line) return false;
      const auto words = words_of(*line);
      if (words.empty() && otherwise.empty()) return true;
      const auto taken = explaining_.answer(key, words.empty() ? otherwise : words.front());
      if (taken && refresh()) return true;
      if (!taken) say(taken.error());
    }
  }

  /// False for `quit`.
  bool obey(const std::vector<std::string>& words) {
    const std::string& word = words.front();
    const std::vector<std::string> rest(words.begin() + 1, words.end());
    if (word == "quit" || word == "exit" || word == "q") return false;
    const bool alone = word == "why" || word == "plan" || word == "help";
    if (alone && !rest.empty())
      say(fmt::format("`{}` stands alone{}\n", word,
                      word == "why" ? ": it speaks of the cause; `fix N` of a change" : ""));
    else if (word == "why")
      say(report::evidence_text(report_, look()));
    else if (word == "fix")
      fix(rest);
    else if (word == "what-if")
      what_if(rest);
    else if (word == "plan")
      plan();
    else if (word == "diff")
      diff(rest);
    else if (word == "save")
      save(rest);
    else if (word == "help")
      say(help_text);
    else
      unknown(word);
    return true;
  }

  void unknown(const std::string& word) const {
    const auto hint = lang::did_you_mean(word, {prompt_words.begin(), prompt_words.end()});
    say(fmt::format("no word '{}'{}\n", report::printable(word),
                    hint.empty() ? "; `help` lists them" : hint));
  }

  void fix(const std::vector<std::string>& words) const {
    if (report_.fixes.empty()) return say("nothing in the settings helps here\n");
    if (words.empty()) return say(report::remedies_text(report_, most_fixes, look()));
    const auto number = number_of(words);
    say(number ? report::remedies_text(report_, 1, look(), *number - 1) : no_such_fix());
  }

  /// Of a fix, from 1; nullopt where there is none of that number.
  [[nodiscard]] std::optional<std::size_t> number_of(const std::vector<std::string>& words) const {
    const std::string& text = words.front();
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = error == std::errc() && end == text.data() + text.size() && words.size() == 1;
    return whole && number > 0 && number <= report_.fixes.size() ? std::optional(number) : std::nullopt;
  }

  [[nodiscard]] std::string no_such_fix() const {
    return fmt::format("there is no such fix: `fix` shows {}\n",
                       report_.fixes.size() == 1 ? "one" : fmt::format("1 to {}", report_.fixes.size()));
  }

  /// Whole plans for the config as it stands; without one, or where nothing can be planned, the changes.
  void plan() {
    if (!explaining_.has_config()) return fix({});
    if (!refresh()) return;
    Single input;
    input.path = explaining_.config_path();
    input.text = explaining_.job().text;
    input.outcome = explaining_.outcome();
    const auto page = plan_page(options_, std::move(input), look());
    say(page ? *page : fmt::format("no plan: {}\n", report::printable(page.error().message)));
  }

  void what_if(const std::vector<std::string>& words) {
    if (words.empty()) return say("what-if needs settings: what-if train.micro_batch_size=1\n");
    if (!explaining_.has_config()) return say("what-if needs the config (--config)\n");
    const auto trial = try_words(explaining_, report_, words);
    if (!trial) return say(trial.error());
    for (const auto& line : report::wrap(report::printable(trial->text), look().width))
      if (!line.empty()) say(line + "\n");
    chosen_ = trial->fix;
  }

  /// Fix `number`, or the last what-if, or the first fix.
  [[nodiscard]] std::optional<rules::Fix> pick(const std::vector<std::string>& words) const {
    if (words.empty() && chosen_) return chosen_;
    if (words.empty()) return report_.fixes.empty() ? std::nullopt : std::optional(report_.fixes.front());
    const auto number = number_of(words);
    return number ? std::optional(report_.fixes[*number - 1]) : std::nullopt;
  }

  /// The text of the config with the change; null, and a remark, where there is none.
  std::shared_ptr<const source::SourceText> changed(const std::vector<std::string>& words) {
    if (!explaining_.has_config()) {
      say("there is no config to change (--config)\n");
      return nullptr;
    }
    const std::optional<rules::Fix> fix = pick(words);
    if (!fix) {
      say(report_.fixes.empty() ? "there is no such fix\n" : no_such_fix());
      return nullptr;
    }
    if (!refresh()) return nullptr;
    for (const auto& [name, value] : fix->env)
      say(value ? fmt::format("in the environment of the run: {}={}\n", name, *value)
                : fmt::format("not in the environment of the run: {}\n", name));
    auto text = lint::text_with(*fix, explaining_.job(), explaining_.outcome());
    if (text == nullptr) say("the config itself needs no change\n");
    return text;
  }

  void diff(const std::vector<std::string>& words) {
    if (const auto text = changed(words))
      static_cast<void>(write_own(
          stdout,
          source::unified_diff(explaining_.config_path(), explaining_.job().text->text(), text->text())));
  }

  void save(const std::vector<std::string>& words) {
    if (words.empty()) return say("save needs a file: save new.yaml [N]\n");
    const auto text = changed({words.begin() + 1, words.end()});
    if (text == nullptr) return;
    std::FILE* file = std::fopen(words.front().c_str(), "wx");  // never over another file
    const bool opened = file != nullptr;
    bool ok = opened && std::fwrite(text->text().data(), 1, text->text().size(), file) == text->text().size();
    if (opened) ok = std::fclose(file) == 0 && ok;
    say(ok ? fmt::format("wrote {}\n", words.front())
           : fmt::format("cannot write {}{}\n", words.front(),
                         opened ? "" : ": it is there, or its folder is not"));
  }

  const Options& options_;
  Explaining& explaining_;
  report::ExplainReport report_;
  std::optional<rules::Fix> chosen_;
};

}  // namespace

ExitStatus converse(const Options& options, Explaining& explaining) {
  return Conversation(options, explaining).run();
}

}  // namespace headroom::app
