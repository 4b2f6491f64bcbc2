#include "detect.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "arguments.hpp"
#include "tree.hpp"

namespace headroom::dialect {

using schema::DialectTable;
using schema::Schema;
using schema::WordForm;
using source::Command;
using source::Document;
using source::NodeKind;

namespace {

/// Fewest flags of a language that mark it where nothing else does.
constexpr std::size_t fewest_flags = 3;

bool has_bridge_section(const Document& doc, const Schema& schema) {
  return std::ranges::any_of(doc.node(doc.root).members, [&](const source::Member& m) {
    const std::string& key = doc.node(m.key).text;
    return key == "_target_" || schema.find_section(key) != nullptr;
  });
}

/// Keys of the root that are flags of the table.
std::size_t flags_in(const Document& doc, const Schema& schema, const DialectTable& table) {
  return static_cast<std::size_t>(
      std::ranges::count_if(doc.node(doc.root).members, [&](const source::Member& m) {
        return find_row(schema, table, flag_of_key(doc.node(m.key).text)) != nullptr;
      }));
}

/// Whether `words` from `i` on are the program: `pretrain_gpt.py` by its path's end, `-m a.b` and `megatron
/// sft` word by word. Returns the words it takes, 0 where it is not there.
std::uint32_t program_words(const Command& command, std::size_t i, std::string_view program) {
  std::uint32_t taken = 0;
  while (!program.empty()) {
    if (i + taken >= command.words.size()) return 0;
    const std::size_t blank = std::min(program.find(' '), program.size());
    const std::string_view part = program.substr(0, blank);
    const std::string_view word = command.words[i + taken].text;
    const bool path =
        word.size() > part.size() && word.ends_with(part) && word[word.size() - part.size() - 1] == '/';
    if (word != part && !(taken == 0 && path)) return 0;
    ++taken;
    program.remove_prefix(std::min(blank + 1, program.size()));
  }
  return taken;
}

struct Found {
  const DialectTable* table = nullptr;
  std::uint32_t command = 0, program = 0, arguments = 0;
  std::size_t score = 0;  ///< flags of the table among the arguments
  bool named = false;     ///< by its program
  std::string name;       ///< the program
};

class CommandDetector {
 public:
  CommandDetector(const Opened& opened, const Schema& schema) : opened_(opened), schema_(schema) {}

  Found run() {
    const auto& commands = opened_.script->commands;
    for (std::uint32_t c = 0; c < commands.size(); ++c) {
      if (commands[c].dead) continue;
      for (const DialectTable& table : schema_.dialects) {
        if (opened_.table == nullptr || opened_.table == &table) look_at(c, commands[c], table);
      }
    }
    return best_;
  }

 private:
  void look_at(std::uint32_t c, const Command& command, const DialectTable& table) {
    if (table.words == WordForm::none) return;
    bool named = false;
    for (std::uint32_t i = 0; i < command.words.size(); ++i) {
      for (std::string_view program : table.programs) {
        const std::uint32_t taken = program_words(command, i, program);
        if (taken == 0) continue;
        named = true;
        consider({&table, c, i, i + taken, score(command, i + taken, table), true, std::string(program)});
      }
    }
    if (named || table.words != WordForm::flags) return;
    const std::uint32_t first = first_flag(command, table);
    const std::size_t known = score(command, first, table);
    const std::size_t all = split_flags(command, first, schema_, table).size();
    const bool forced = opened_.table != nullptr || opened_.script->form == source::Script::Form::words;
    if (known >= (forced ? 1 : fewest_flags) && known * 2 >= all)
      consider({&table, c, first, first, known, false, ""});
  }

  /// Where the arguments of a program that no table names begin: behind the last word that ends in `.py`, or
  /// behind the launcher's.
  static std::uint32_t first_flag(const Command& command, const DialectTable& /*table*/) {
    std::uint32_t out = 0;
    for (std::uint32_t i = 0; i < command.words.size(); ++i)
      if (command.words[i].text.ends_with(".py")) out = i + 1;
    return out;
  }

  std::size_t score(const Command& command, std::uint32_t first, const DialectTable& table) const {
    std::size_t out = 0;
    for (const FlagWords& f : split_flags(command, first, schema_, table))
      if (find_row(schema_, table, flag_name(command.words[f.flag].text)) != nullptr) ++out;
    if (table.words != WordForm::overrides) return out;
    for (std::uint32_t i = first; i < command.words.size(); ++i)
      if (command.words[i].text.find('=') != std::string::npos) ++out;
    return out;
  }

  void consider(Found found) {
    const auto rank = [](const Found& f) { return std::pair(f.named, f.score); };
    if (best_.table == nullptr || rank(best_) < rank(found)) best_ = std::move(found);
  }

  const Opened& opened_;
  const Schema& schema_;
  Found best_;
};

}  // namespace

void detect_tree(Opened& opened, const Schema& schema) {
  const Document& doc = *opened.document;
  if (doc.root == source::no_node || doc.node(doc.root).kind != NodeKind::mapping) return;
  for (const DialectTable& table : schema.dialects) {
    for (std::string_view key : table.detect) {
      if (node_at(doc, key) == source::no_node) continue;
      opened.table = &table;
      opened.why = fmt::format("it has the key {}", key);
      return;
    }
  }
  if (has_bridge_section(doc, schema)) return;
  std::size_t most = fewest_flags - 1;
  for (const DialectTable& table : schema.dialects) {
    if (table.words != WordForm::flags) continue;
    const std::size_t known = flags_in(doc, schema, table);
    if (known <= most) continue;
    most = known;
    opened.table = &table;
    opened.why = fmt::format("{} of its keys are arguments of {}", known, table.title);
  }
}

void detect_command(Opened& opened, const Schema& schema) {
  const Found found = CommandDetector(opened, schema).run();
  if (found.table == nullptr) {
    opened.trains = false;
    opened.command = static_cast<std::uint32_t>(opened.script->commands.size());
    return;
  }
  opened.command = found.command;
  opened.program = found.program;
  opened.arguments = found.arguments;
  if (opened.table == nullptr) {
    opened.why = found.named
                     ? fmt::format("it starts {}", found.name)
                     : fmt::format("{} of its flags are arguments of {}", found.score, found.table->title);
  }
  opened.table = found.table;
}

}  // namespace headroom::dialect
