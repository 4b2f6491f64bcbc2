#include "headroom/lint/printed_arguments.hpp"

#include <algorithm>

namespace headroom::lint {
namespace {

using schema::Arity;
using schema::DialectRow;
using schema::DialectTable;

bool plain(std::string_view word) {
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._/+-";
  return !word.empty() && word.find_first_not_of(letters) == std::string_view::npos;
}

std::string flag_of(std::string_view name) {
  std::string flag = "--" + std::string(name);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return flag;
}

/// `['core_attn', 'mlp']` as `core_attn mlp`; empty where an item is none that a shell would take as it is.
std::string items(std::string_view list) {
  std::string out, word;
  for (const char c : list) {
    if (c == '[' || c == ']' || c == '\'' || c == '"' || c == ' ') continue;
    if (c != ',') {
      word += c;
      continue;
    }
    if (!plain(word)) return {};
    out += " " + word;
    word.clear();
  }
  if (!word.empty() && !plain(word)) return {};
  return word.empty() ? out : out + " " + word;
}

/// A switch whose presence gives the field of that name this value: `--disable-bias-linear` for
/// add_bias_linear False.
const DialectRow* switch_for(const DialectTable& table, const schema::Schema& schema, std::string_view name,
                             bool value) {
  for (const DialectRow& row : table.rows) {
    if (row.arity != Arity::none || row.kind != schema::RowKind::fields || row.action != value) continue;
    for (const schema::FieldId id : row.fields) {
      const std::string_view field = schema.field(id).name;
      if (field.size() > name.size() && field.ends_with(name) && field[field.size() - name.size() - 1] == '.')
        return &row;
    }
  }
  return nullptr;
}

std::string words_of(const DialectTable& table, const schema::Schema& schema, const std::string& name,
                     const std::string& value) {
  const bool is_switch = value == "True" || value == "False";
  const DialectRow* row = table.find(flag_of(name));
  if (row != nullptr && row->arity == Arity::none)
    return value == "True" ? " " + flag_of(name) : std::string();
  if (is_switch) {
    row = switch_for(table, schema, name, value == "True");
    return row == nullptr ? std::string() : " " + std::string(row->name);
  }
  if (row == nullptr || value == "None") return {};
  if (value.starts_with('[')) {
    const std::string words = items(value);
    return words.empty() || row->arity == Arity::one ? std::string() : " " + flag_of(name) + words;
  }
  return plain(value) ? " " + flag_of(name) + " " + value : std::string();
}

}  // namespace

std::string launch_line(const std::map<std::string, std::string>& arguments, const schema::Schema& schema) {
  const DialectTable* table = schema.find_dialect("megatron-lm");
  for (const char* needed : {"num_layers", "hidden_size", "seq_length"})
    if (!arguments.contains(needed)) return {};
  if (table == nullptr) return {};
  std::string line = "torchrun";
  if (const auto world = arguments.find("world_size"); world != arguments.end() && plain(world->second))
    line += " --nproc_per_node " + world->second;
  line += " pretrain_gpt.py";
  for (const auto& [name, value] : arguments) line += words_of(*table, schema, name, value);
  return line + "\n";
}

}  // namespace headroom::lint
