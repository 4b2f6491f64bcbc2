#include "arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "words.hpp"

namespace headroom::dialect {

using schema::Arity;
using schema::DialectRow;
using source::Command;
using source::Value;
using source::Word;

namespace {

/// `--name`, or a short flag that the table has: `-tp`. A negative number is no flag.
bool is_flag(std::string_view word, const schema::Schema& schema, const schema::DialectTable& table) {
  if (word.size() > 2 && word.starts_with("--") && word[2] != '-') return true;
  return word.size() > 1 && word.front() == '-' && find_row(schema, table, flag_name(word)) != nullptr;
}

/// Most words that a flag takes.
std::size_t most_values(const DialectRow* row, bool joined) {
  if (joined) return 0;
  if (row == nullptr) return 1;  // a flag of another program: one value, if a word that is no flag follows
  switch (row->arity) {
    case Arity::none:
      return 0;
    case Arity::one:
      return 1;
    case Arity::count:
      return row->count;
    case Arity::some:
    case Arity::any:
      return std::size_t{1} << 20U;
  }
  return 1;
}

class FlagReader {
 public:
  FlagReader(const Opened& opened, Settings& out, Mapper& mapper, const schema::Schema& schema)
      : source_(opened.text), command_(opened.script->commands[opened.command]), out_(out), mapper_(mapper) {
    flags_ = split_flags(command_, opened.arguments, schema, *opened.table);
  }

  void read() {
    for (const FlagWords& f : flags_) read_one(f);
  }

 private:
  Place place(const FlagWords& f, std::string_view name) const {
    const Word& flag = command_.words[f.flag];
    source::Span value = flag.span;
    if (f.end > f.flag + 1) {
      value = {command_.words[f.flag + 1].span.begin, command_.words[f.end - 1].span.end};
      // Words of different places have no span in common.
      if (value.begin > value.end) value = command_.words[f.flag + 1].span;
    }
    return {source_, flag.span, value, From::file, std::string(name)};
  }

  /// The word behind a flag that no row describes.
  Value value_of(const FlagWords& f) const {
    const std::string& flag = command_.words[f.flag].text;
    if (f.joined) return flag.substr(flag.find('=') + 1);
    return f.end > f.flag + 1 ? Value(command_.words[f.flag + 1].text) : Value();
  }

  void read_one(const FlagWords& f) {
    const Word& flag = command_.words[f.flag];
    const std::string_view name = flag_name(flag.text);
    const DialectRow* row = mapper_.row(name);
    if (row == nullptr) return mapper_.unknown(name, value_of(f), place(f, name));
    if (!flag.known) return mapper_.apply(*row, Value::unknown(), place(f, name));
    if (row->arity == Arity::none && !f.joined) {
      mapper_.apply(*row, Value(row->action), place(f, name));
      return;
    }
    std::vector<Value> values;
    if (f.joined && !add(values, *row, std::string_view(flag.text).substr(name.size() + 1), f)) return;
    for (std::uint32_t i = f.flag + 1; i < f.end; ++i) {
      const Word& word = command_.words[i];
      if (!word.known) {
        values.push_back(Value::unknown());
      } else if (f.end == f.flag + 2 && is_bracketed(*row, word.text)) {
        if (!add_bracketed(values, *row, word.text, f)) return;
      } else if (!add(values, *row, word.text, f)) {
        return;
      }
    }
    apply(*row, std::move(values), f);
  }

  /// `'[core_attn mlp]'`: one word for the parser, a list for whoever wrote it (and for test files that drop
  /// the brackets before the launch).
  static bool is_bracketed(const DialectRow& row, std::string_view word) {
    return (row.arity == Arity::some || row.arity == Arity::any || row.arity == Arity::count) &&
           word.size() >= 2 && word.front() == '[' && word.back() == ']' &&
           row.type != schema::WordType::frequency;
  }

  bool add_bracketed(std::vector<Value>& values, const DialectRow& row, std::string_view word,
                     const FlagWords& f) {
    const std::string inner(word.substr(1, word.size() - 2));
    std::string_view rest = inner;
    while (!rest.empty()) {
      const std::size_t begin = std::min(rest.find_first_not_of(" ,"), rest.size());
      const std::size_t end = std::min(rest.find_first_of(" ,", begin), rest.size());
      if (end > begin && !add(values, row, rest.substr(begin, end - begin), f)) return false;
      rest.remove_prefix(end);
    }
    const std::string name(flag_name(command_.words[f.flag].text));
    out_.problems.push_back(
        {"schema-check/bracketed-list",
         row.fields.empty() ? name : field_name(row),
         fmt::format("{} takes its values as separate words; {} is a single one", row.name, word),
         place(f, name),
         {},
         {}});
    return true;
  }

  static std::string field_name(const DialectRow& row) {
    return std::string(schema::embedded_schema().field(row.fields.front()).name);
  }

  /// False, with a finding, where the word is no such value.
  bool add(std::vector<Value>& values, const DialectRow& row, std::string_view word, const FlagWords& f) {
    const auto type = row.arity == Arity::none ? schema::WordType::boolean : row.type;
    auto value = typed_word(word, type);
    if (!value) {
      wrong(f, fmt::format("{} takes {}, not '{}'", row.name, words_for(type), word));
      return false;
    }
    values.push_back(std::move(*value));
    return true;
  }

  void wrong(const FlagWords& f, std::string message) {
    const std::string name(flag_name(command_.words[f.flag].text));
    const DialectRow* row = mapper_.row(name);
    out_.problems.push_back({"schema-check/flag-value",
                             row == nullptr || row->fields.empty() ? name : field_name(*row),
                             std::move(message),
                             place(f, name),
                             {},
                             {}});
  }

  void apply(const DialectRow& row, std::vector<Value> values, const FlagWords& f) {
    const std::string_view name = flag_name(command_.words[f.flag].text);
    const bool list = row.arity == Arity::some || row.arity == Arity::any || row.arity == Arity::count;
    if (values.empty() && row.arity != Arity::any) {
      return wrong(f, fmt::format("{} is given without its value", row.name));
    }
    if (row.arity == Arity::count && values.size() != row.count) {
      return wrong(f, fmt::format("{} takes {} values; {} are given", row.name, row.count, values.size()));
    }
    if (row.arity == Arity::none) {  // `--bf16 true` is refused, `--flag=true` of other parsers is not
      if (values.front().is_bool() && !values.front().as_bool()) return;
      return mapper_.apply(row, Value(row.action), place(f, name));
    }
    const bool unknown = std::ranges::any_of(values, [](const Value& v) { return v.is_unknown(); });
    Value value = unknown ? Value::unknown() : list ? Value(source::List(std::move(values))) : values.front();
    mapper_.apply(row, std::move(value), place(f, name));
  }

  std::shared_ptr<const source::SourceText> source_;
  const Command& command_;
  Settings& out_;
  Mapper& mapper_;
  std::vector<FlagWords> flags_;
};

class OverrideReader {
 public:
  OverrideReader(const Opened& opened, Settings& out, Mapper& mapper)
      : opened_(opened), out_(out), mapper_(mapper) {}

  void read() {
    const Command& command = opened_.script->commands[opened_.command];
    for (std::uint32_t i = opened_.arguments; i < command.words.size(); ++i) read_word(command.words[i]);
  }

 private:
  void read_word(const Word& word) {
    if (word.text.starts_with('-') || word.text.find('=') == std::string::npos) return;
    const std::size_t equals = word.text.find('=');
    if (!word.known) {
      std::string key = word.text.substr(0, equals);
      key.erase(0, key.find_first_not_of("+"));
      return apply(key, Value::unknown(), word);
    }
    auto parsed = source::parse_override(word.text, "argument");
    if (!parsed) {
      out_.notes.push_back(fmt::format("not read: {} ({})", word.text, parsed.error().message));
      return;
    }
    if (parsed->kind == source::Override::Kind::remove) return;
    if (parsed->members.empty()) return apply(parsed->key, parsed->value, word);
    for (const auto& [sub, value] : parsed->members)
      apply(fmt::format("{}.{}", parsed->key, sub), value, word);
  }

  void apply(const std::string& key, Value value, const Word& word) {
    Place place{opened_.text, word.span, word.span, From::file, key};
    if (const DialectRow* row = mapper_.row(key)) {
      mapper_.apply(*row, typed_value(std::move(value), *row), std::move(place));
      return;
    }
    const DialectRow* above = mapper_.row_above(key);
    if (above == nullptr) return;
    if (above->kind == schema::RowKind::environment) return;
    mapper_.apply_below(*above, key, std::move(value), std::move(place));
  }

  const Opened& opened_;
  Settings& out_;
  Mapper& mapper_;
};

}  // namespace

std::string_view flag_name(std::string_view word) {
  return word.substr(0, word.find('='));
}

std::vector<FlagWords> split_flags(const Command& command, std::uint32_t first, const schema::Schema& schema,
                                   const schema::DialectTable& table) {
  std::vector<FlagWords> out;
  const auto size = static_cast<std::uint32_t>(command.words.size());
  for (std::uint32_t i = first; i < size;) {
    const std::string& text = command.words[i].text;
    if (!is_flag(text, schema, table)) {
      ++i;
      continue;
    }
    FlagWords f{i, i + 1, text.find('=') != std::string::npos};
    const std::size_t most = most_values(find_row(schema, table, flag_name(text)), f.joined);
    while (f.end < size && f.end - i - 1 < most && !is_flag(command.words[f.end].text, schema, table))
      ++f.end;
    i = f.end;
    out.push_back(f);
  }
  return out;
}

void read_flags(const Opened& opened, Settings& out, Mapper& mapper, const schema::Schema& schema) {
  FlagReader(opened, out, mapper, schema).read();
}

void read_overrides(const Opened& opened, Settings& out, Mapper& mapper) {
  OverrideReader(opened, out, mapper).read();
}

}  // namespace headroom::dialect
