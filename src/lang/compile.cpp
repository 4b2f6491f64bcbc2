#include <algorithm>

#include "headroom/lang/expr.hpp"
#include "parser.hpp"

namespace headroom::lang {
namespace {

/// The place of byte `offset` of `text`, whose first character stands at `origin`.
source::Position place(std::string_view text, std::size_t offset, source::Position origin) {
  for (std::size_t i = 0; i < std::min(offset, text.size()); ++i) {
    if (text[i] == '\n') {
      ++origin.line;
      origin.column = 1;
    } else if ((static_cast<unsigned char>(text[i]) & 0xc0) != 0x80) {
      ++origin.column;
    }
  }
  return origin;
}

}  // namespace

source::Result<ExprId> PoolBuilder::compile(std::string_view text, const schema::Schema& schema,
                                            const std::string& file, source::Position origin) {
  const auto nodes = nodes_.size(), children = children_.size(), strings = strings_.size();
  Parser parser(*this, text, schema);
  if (const auto root = parser.run()) return *root;
  nodes_.resize(nodes);
  children_.resize(children);
  strings_.resize(strings);
  const Fault& fault = parser.fault();
  source::Error error;
  error.message = fault.message;
  error.source = file;
  error.has_location = true;
  error.location.start = place(text, fault.begin, origin);
  error.location.end = place(text, std::max(fault.end, fault.begin), origin);
  return tl::unexpected(std::move(error));
}

std::vector<schema::FieldId> PoolBuilder::fields_of(ExprId id) const {
  std::vector<schema::FieldId> fields;
  if (id == no_expr) return fields;
  std::vector<ExprId> open{id};
  while (!open.empty()) {
    const ExprNode& n = nodes_[open.back()];
    open.pop_back();
    if (n.op == Op::field || n.op == Op::raw_field || n.op == Op::has_field || n.op == Op::choices)
      fields.push_back(n.field);
    open.insert(open.end(), children_.begin() + n.first, children_.begin() + n.first + n.count);
  }
  std::sort(fields.begin(), fields.end());
  fields.erase(std::unique(fields.begin(), fields.end()), fields.end());
  return fields;
}

}  // namespace headroom::lang
