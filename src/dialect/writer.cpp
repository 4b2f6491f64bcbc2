// Changes written into the text.
#include "headroom/dialect/writer.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.hpp"
#include "flag_words.hpp"
#include "headroom/source/edit.hpp"
#include "tree.hpp"

namespace headroom::dialect {

using schema::Schema;
using source::Edit;
using source::Result;
using source::Script;
using source::Value;

namespace {

source::Error error(const Opened& opened, std::string message) {
  return {std::move(message), opened.text->name(), {}, false};
}

std::vector<std::string> split(std::string_view dotted) {
  std::vector<std::string> path;
  while (true) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    path.emplace_back(dotted.substr(0, dot));
    if (dot == dotted.size()) return path;
    dotted.remove_prefix(dot + 1);
  }
}

Result<std::string> edited(const source::SourceText& text, Result<std::vector<Edit>> edits) {
  if (!edits) return tl::unexpected(edits.error());
  return source::apply_edits(text, std::move(*edits));
}

class DocumentWriter {
 public:
  DocumentWriter(const Opened& opened, const Settings& settings) : opened_(opened), settings_(settings) {}

  Result<std::string> write(const Spelling& s) const {
    const std::vector<std::string> path = path_of(s);
    if (!s.value) return edited(*opened_.text, source::remove_key(*opened_.document, path));
    return edited(*opened_.text, source::set_value(*opened_.document, path, *s.value));
  }

 private:
  std::vector<std::string> path_of(const Spelling& s) const {
    if (s.kind == Spelling::Kind::variable) return variable_path(s.name);
    if (s.kind == Spelling::Kind::key) return split(s.name);
    return flag_path(s.name);
  }

  /// Where the file sets the variable; else Bridge's own place for it.
  std::vector<std::string> variable_path(const std::string& name) const {
    for (const Setting& setting : settings_.settings) {
      const std::string& written = setting.place.written_name;
      if (written == name || written.ends_with("." + name)) return split(written);
    }
    return {"env_vars", name};
  }

  /// A flag of a file whose keys are flags, with the dashes that it uses.
  std::vector<std::string> flag_path(const std::string& flag) const {
    const source::Document& doc = *opened_.document;
    std::vector<std::string> path;
    for (std::string_view key : opened_.table->detect)
      if (path.empty() && node_at(doc, key) != source::no_node) path = split(key);
    const source::NodeId map = flags_mapping(doc, *opened_.table);
    bool dashes = true;
    for (const source::Member& m : doc.node(map).members) {
      const std::string& key = doc.node(m.key).text;
      if (key == "headroom") continue;
      dashes = key.starts_with("--");
      if (flag_of_key(key) != flag) continue;
      path.push_back(key);
      return path;
    }
    path.push_back(dashes ? flag : flag.substr(2));
    return path;
  }

  const Opened& opened_;
  const Settings& settings_;
};

class ScriptWriter {
 public:
  ScriptWriter(const Opened& opened, const Schema& schema) : opened_(opened), schema_(schema) {}

  Result<std::string> write(const Spelling& s) const {
    if (opened_.command >= opened_.script->commands.size())
      return tl::unexpected(error(opened_, "the script starts no training program that is known"));
    switch (s.kind) {
      case Spelling::Kind::variable:
        return variable(s);
      case Spelling::Kind::flag:
        return flag(s);
      case Spelling::Kind::key:
        return override_word(s);
    }
    return opened_.text->text();
  }

 private:
  [[nodiscard]] const source::Command& command() const { return opened_.script->commands[opened_.command]; }

  Result<std::string> variable(const Spelling& s) const {
    if (!s.value)
      return tl::unexpected(error(opened_, fmt::format("{} is set outside of what can be edited", s.name)));
    return edited(*opened_.text, source::set_environment(*opened_.script, opened_.command, s.name,
                                                         flag_words(*s.value).front()));
  }

  [[nodiscard]] std::optional<FlagWords> last_flag(const std::string& name) const {
    std::optional<FlagWords> out;
    const auto wanted = find_row(schema_, *opened_.table, name);
    for (const FlagWords& f : split_flags(command(), opened_.arguments, schema_, *opened_.table)) {
      const std::string_view written = flag_name(command().words[f.flag].text);
      if (written == name || (wanted != nullptr && find_row(schema_, *opened_.table, written) == wanted))
        out = f;
    }
    return out;
  }

  Result<std::string> flag(const Spelling& s) const {
    const auto there = last_flag(s.name);
    if (!there) {
      if (!s.value) return opened_.text->text();
      std::vector<std::string> words{s.name};
      if (!s.bare)
        for (std::string& word : flag_words(*s.value)) words.push_back(std::move(word));
      return insert(words);
    }
    if (!s.value)
      return edited(*opened_.text, source::remove_words(*opened_.script, {opened_.command, there->flag},
                                                        there->end - there->flag));
    if (s.bare) return opened_.text->text();
    return values(*there, flag_words(*s.value));
  }

  Result<std::string> values(const FlagWords& there, const std::vector<std::string>& words) const {
    const source::WordId flag{opened_.command, there.flag};
    if (there.joined && words.size() == 1) {
      const std::string name(flag_name(command().words[there.flag].text));
      return edited(*opened_.text, source::replace_word(*opened_.script, flag, name + "=" + words.front()));
    }
    if (words.size() == 1 && there.end == there.flag + 2)
      return edited(*opened_.text,
                    source::replace_word(*opened_.script, {opened_.command, there.flag + 1U}, words.front()));
    // Another number of words: the new ones behind the flag, then the old ones go.
    auto more = edited(*opened_.text, source::insert_words(*opened_.script, flag, words));
    const std::size_t old = there.end - there.flag - 1U;
    if (!more || old == 0) return more;
    auto text = std::make_shared<const source::SourceText>(opened_.text->name(), std::move(*more));
    auto script =
        opened_.script->form == Script::Form::words ? source::read_words(text) : source::read_shell(text);
    if (!script) return tl::unexpected(script.error());
    return edited(*text,
                  source::remove_words(*script, {opened_.command, there.flag + 1U + words.size()}, old));
  }

  Result<std::string> insert(const std::vector<std::string>& words) const {
    std::size_t size = command().words.size();
    // Before `$@`: what is given at the launch goes on to win.
    while (size > opened_.arguments + 1U && command().words[size - 1].any_number) --size;
    if (size == 0) return tl::unexpected(error(opened_, "there is no argument to insert behind"));
    return edited(*opened_.text, source::insert_words(*opened_.script, {opened_.command, size - 1}, words));
  }

  Result<std::string> override_word(const Spelling& s) const {
    std::optional<std::size_t> at;
    for (std::size_t i = opened_.arguments; i < command().words.size(); ++i) {
      std::string_view key = command().words[i].text;
      key.remove_prefix(std::min(key.find_first_not_of('+'), key.size()));
      if (key.substr(0, key.find('=')) == s.name) at = i;
    }
    if (!s.value) {
      if (!at) return opened_.text->text();
      return edited(*opened_.text, source::remove_words(*opened_.script, {opened_.command, *at}, 1));
    }
    const std::string value = source::to_yaml(*s.value, source::Loader::hydra);
    if (!at) return insert({fmt::format("{}{}={}", s.addition ? "++" : "", s.name, value)});
    const std::string& old = command().words[*at].text;
    return edited(*opened_.text, source::replace_word(*opened_.script, {opened_.command, *at},
                                                      old.substr(0, old.find('=') + 1) + value));
  }

  const Opened& opened_;
  const Schema& schema_;
};

}  // namespace

Result<std::string> write(const Opened& opened, const Settings& settings, const Schema& schema,
                          const Spelling& spelling) {
  if (opened.document != nullptr) return DocumentWriter(opened, settings).write(spelling);
  if (opened.table == nullptr)
    return tl::unexpected(error(opened, "the script starts no training program that is known"));
  return ScriptWriter(opened, schema).write(spelling);
}

}  // namespace headroom::dialect
