#include "tree.hpp"

#include <fmt/format.h>

#include "normalise.hpp"
#include "words.hpp"

namespace headroom::dialect {

using schema::DialectRow;
using schema::RowKind;
using source::Document;
using source::Member;
using source::Node;
using source::NodeId;
using source::NodeKind;
using source::Value;

namespace {

bool has_key(const Document& doc, NodeId node) {
  return node != source::no_node && doc.node(node).kind == NodeKind::mapping;
}

class TreeReader {
 public:
  TreeReader(const Opened& opened, Mapper& mapper) : doc_(*opened.document), mapper_(mapper) {}

  void read_paths() { walk(doc_.root, "", nullptr); }

  void read_flags(NodeId map) {
    for (const Member& m : doc_.node(map).members) {
      const std::string& key = doc_.node(m.key).text;
      if (key == "headroom") continue;
      const DialectRow* row = mapper_.row(flag_of_key(key));
      if (row == nullptr) {
        mapper_.unknown(key, node_value(doc_, m.value), place(m, key));
      } else {
        read_flag(*row, m);
      }
    }
  }

  /// Keys of `map` that rows name by themselves: environment and launch of a file whose flags lie elsewhere.
  void read_beside(NodeId map) {
    for (const Member& m : doc_.node(map).members)
      if (const DialectRow* row = mapper_.row(doc_.node(m.key).text)) take(*row, m, doc_.node(m.key).text);
  }

 private:
  Place place(const Member& m, std::string name) const {
    return {doc_.source, doc_.node(m.key).span, doc_.node(m.value).span, From::file, std::move(name)};
  }

  void read_flag(const DialectRow& row, const Member& m) {
    Value value = node_value(doc_, m.value);
    if (row.arity == schema::Arity::none) {
      // `--bf16: true` is the flag, false and null leave it out.
      if (value.is_bool() && !value.as_bool()) return;
      if (value.is_null()) return;
      mapper_.apply(row, Value(row.action), place(m, std::string(row.name)));
      return;
    }
    if (value.is_null()) return;
    const bool list = row.arity == schema::Arity::some || row.arity == schema::Arity::any;
    if (list && value.is_list() && value.as_list().size() == 1 && value.as_list().front().is_string()) {
      value =
          words_of(value.as_list().front().as_string(), row);  // `[core_attn mlp]` is a list of one in YAML
    } else if (list && value.is_string()) {
      value = words_of(value.as_string(), row);
    }
    if (list && !value.is_list()) value = source::List{std::move(value)};
    mapper_.apply(row, typed_value(std::move(value), row), place(m, std::string(row.name)));
  }

  /// `--recompute-modules: core_attn mlp`: several words in one scalar.
  static Value words_of(std::string_view text, const DialectRow& row) {
    source::List out;
    while (!text.empty()) {
      const std::size_t begin = text.find_first_not_of(" \t\r\n");
      if (begin == std::string_view::npos) break;
      const std::size_t end = std::min(text.find_first_of(" \t\r\n", begin), text.size());
      const std::string_view word = text.substr(begin, end - begin);
      auto typed = typed_word(word, row.type);
      out.push_back(typed ? std::move(*typed) : Value(word));
      text.remove_prefix(end);
    }
    return out;
  }

  // NOLINTNEXTLINE(misc-no-recursion): as deep as the document, which the reader bounds
  void walk(NodeId map, const std::string& prefix, const DialectRow* above) {
    for (const Member& m : doc_.node(map).members) {
      const std::string& key = doc_.node(m.key).text;
      if (prefix.empty() && key == "headroom") continue;
      const std::string path = prefix.empty() ? key : fmt::format("{}.{}", prefix, key);
      if (const DialectRow* row = mapper_.row(path)) {
        take(*row, m, path);
        continue;
      }
      const DialectRow* below = below_row(path);
      const bool mapping = has_key(doc_, m.value);
      if (mapping) {
        walk(m.value, path, below != nullptr ? below : above);
      } else if (above != nullptr) {
        mapper_.apply_below(*above, path, node_value(doc_, m.value), place(m, path));
      }
    }
  }

  const DialectRow* below_row(const std::string& path) const {
    const DialectRow* row = mapper_.row_above(path + ".");
    return row != nullptr && row->name == path ? row : nullptr;
  }

  void take(const DialectRow& row, const Member& m, const std::string& path) {
    if (row.kind != RowKind::environment) {
      mapper_.apply(row, typed_value(node_value(doc_, m.value), row), place(m, path));
      return;
    }
    if (!has_key(doc_, m.value)) return;
    for (const Member& var : doc_.node(m.value).members) {
      const Node& value = doc_.node(var.value);
      const std::string& name = doc_.node(var.key).text;
      const bool unset = value.kind != NodeKind::scalar || value.value.is_null();
      mapper_.set_environment(name, unset ? std::nullopt : std::optional(value.text),
                              place(var, fmt::format("{}.{}", path, name)));
    }
  }

  const Document& doc_;
  Mapper& mapper_;
};

}  // namespace

NodeId node_at(const Document& doc, std::string_view dotted) {
  NodeId at = doc.root;
  while (at != source::no_node && !dotted.empty()) {
    const std::size_t dot = std::min(dotted.find('.'), dotted.size());
    if (doc.node(at).kind != NodeKind::mapping) return source::no_node;
    at = doc.find(at, dotted.substr(0, dot));
    dotted.remove_prefix(std::min(dot + 1, dotted.size()));
  }
  return at;
}

std::string flag_of_key(std::string_view key) {
  return key.starts_with("--") ? std::string(key) : fmt::format("--{}", key);
}

NodeId flags_mapping(const Document& doc, const schema::DialectTable& table) {
  for (std::string_view key : table.detect) {
    const NodeId node = node_at(doc, key);
    if (has_key(doc, node)) return node;
  }
  return doc.root;
}

void read_tree(const Opened& opened, Settings& out, Mapper& mapper) {
  const Document& doc = *opened.document;
  out.document = opened.document;
  if (!has_key(doc, doc.root)) return;
  TreeReader reader(opened, mapper);
  if (opened.table->words != schema::WordForm::flags) return reader.read_paths();
  const NodeId flags = flags_mapping(doc, *opened.table);
  if (flags != doc.root) reader.read_beside(doc.root);
  reader.read_flags(flags);
}

}  // namespace headroom::dialect
