// Recursive descent over the tokens of one expression; builds nodes and checks them against the schema as it
// goes.
#pragma once
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "functions.hpp"
#include "headroom/lang/expr.hpp"
#include "token.hpp"

namespace headroom::lang {

/// A built node and what is known of its value before evaluation.
struct Typed {
  ExprId id = no_expr;
  Kinds kinds = k_any;
  Kinds element = k_any;                              ///< of a list
  schema::FieldId source = schema::no_field;          ///< strings are values of this field
  schema::FieldId element_source = schema::no_field;  ///< strings in the list are
  bool version = false;
  std::uint16_t depth = 1;
  std::size_t begin = 0, end = 0;  ///< bytes in the text
};

class Parser {
 public:
  Parser(PoolBuilder& pool, std::string_view text, const schema::Schema& schema)
      : pool_(pool), text_(text), schema_(schema), first_node_(static_cast<ExprId>(pool.nodes_.size())) {}

  /// The root, or nullopt with `fault()` filled; the pool may hold left-over nodes then.
  [[nodiscard]] std::optional<ExprId> run();
  [[nodiscard]] const Fault& fault() const { return fault_; }

 private:
  using Maybe = std::optional<Typed>;
  struct Variable {
    std::string name;
    Typed type;
  };

  // Grammar, lowest precedence first. parser.cpp
  Maybe expression();
  Maybe ternary();
  Maybe logical(bool disjunction);
  Maybe comparison();
  Maybe sum();
  Maybe product();
  Maybe unary();
  Maybe postfix();
  Maybe primary();
  Maybe list();
  Maybe literal();
  Maybe call(const Token& name);
  Maybe method(const Typed& receiver, const Token& name);
  Maybe comprehension(Op op, const Typed& receiver, const Token& name);
  Maybe subscript(const Typed& list);
  Maybe named();
  Maybe has_or_choices(const Token& name);
  bool arguments(std::vector<Typed>& out);
  /// Reads `a.b.c` without a trailing method name; `end` is the offset behind it.
  std::string dotted_name(std::size_t& end);
  Maybe resolve_name(std::string name, std::size_t begin, std::size_t end);

  // Checks. checker.cpp
  bool check_comparison(const Typed& a, const Typed& b, bool order, bool& as_version);
  bool check_membership(const Typed& item, const Typed& container, bool& as_version);
  bool check_version(const Typed& version, const Typed& other);
  bool check_disjoint(const Typed& a, const Typed& b);
  bool check_arithmetic(const Typed& a, const Typed& b, Tok op);
  bool check_arguments(const FunctionInfo& f, const std::vector<Typed>& args, const Token& name);
  bool check_literal(ExprId id, schema::FieldId field, const Typed& where);
  bool check_literals(const Typed& a, const Typed& b);
  bool no_section(const Typed& t, std::string_view where);
  Maybe unknown_name(const std::string& name, std::size_t begin, std::size_t end);
  Maybe unknown_function(const Token& name, bool method);
  [[nodiscard]] Typed type_of(schema::FieldId id) const;
  [[nodiscard]] Typed typed(ExprId id) const;  ///< a node built before
  [[nodiscard]] Typed result_of(const FunctionInfo& f, const std::vector<Typed>& args) const;
  [[nodiscard]] std::string called(const Typed& t) const;  ///< the source text of an operand

  // Building.
  Maybe node(ExprNode n, const std::vector<Typed>& children, Typed type);
  Maybe leaf(ExprNode n, Typed type);
  std::string_view keep(std::string text);
  Maybe binary(Op op, const Typed& a, const Typed& b, Kinds kinds, bool as_version = false);
  ExprNode& at(ExprId id) { return pool_.nodes_[id]; }

  const Token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(pos_ + ahead, tokens_.size() - 1)];
  }
  Token take();
  bool accept(Tok kind);
  bool expect(Tok kind, std::string_view what);
  std::nullopt_t fail(std::string message, std::size_t begin, std::size_t end);
  std::nullopt_t fail_at(const Token& token, std::string message);
  bool refuse(std::string message, const Typed& where);

  PoolBuilder& pool_;
  std::string_view text_;
  const schema::Schema& schema_;
  ExprId first_node_;
  std::vector<Typed> types_;  ///< of the nodes from `first_node_` on
  std::vector<Token> tokens_;
  std::size_t pos_ = 0;
  std::vector<Variable> variables_;
  std::uint16_t depth_ = 0;
  Fault fault_;
};

}  // namespace headroom::lang
