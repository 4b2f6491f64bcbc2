#include "parser.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::lang {
namespace {

// Both bound recursion: the first while parsing, the second (left-deep chains like a+a+a…) while evaluating.
constexpr std::uint16_t max_nesting = 64;
constexpr std::uint16_t max_tree_depth = 200;
constexpr std::size_t max_variables = 8;

std::uint16_t deepest(const std::vector<Typed>& children) {
  std::uint16_t d = 0;
  for (const auto& c : children) d = std::max(d, c.depth);
  return d;
}

}  // namespace

Token Parser::take() {
  const Token t = peek();
  if (pos_ + 1 < tokens_.size()) ++pos_;
  return t;
}

bool Parser::accept(Tok kind) {
  if (peek().kind != kind) return false;
  take();
  return true;
}

bool Parser::expect(Tok kind, std::string_view what) {
  if (accept(kind)) return true;
  fail_at(peek(), fmt::format("expected {}, found {}", what, describe(peek(), text_)));
  return false;
}

std::nullopt_t Parser::fail(std::string message, std::size_t begin, std::size_t end) {
  // The first fault counts: those after it may follow from it.
  if (fault_.message.empty()) fault_ = {std::move(message), begin, end};
  return std::nullopt;
}

std::nullopt_t Parser::fail_at(const Token& token, std::string message) {
  return fail(std::move(message), token.begin, std::max(token.end, token.begin + 1));
}

bool Parser::refuse(std::string message, const Typed& where) {
  fail(std::move(message), where.begin, where.end);
  return false;
}

std::string_view Parser::keep(std::string text) {
  pool_.strings_.push_back(std::make_unique<std::string>(std::move(text)));
  return *pool_.strings_.back();
}

Parser::Maybe Parser::node(ExprNode n, const std::vector<Typed>& children, Typed type) {
  type.depth = static_cast<std::uint16_t>(deepest(children) + 1);
  if (type.depth > max_tree_depth)
    return fail(fmt::format("the expression is deeper than {} levels", max_tree_depth), type.begin, type.end);
  n.first = static_cast<decltype(n.first)>(pool_.children_.size());
  n.count = static_cast<decltype(n.count)>(children.size());
  for (const auto& c : children) pool_.children_.push_back(c.id);
  type.id = static_cast<ExprId>(pool_.nodes_.size());
  pool_.nodes_.push_back(n);
  types_.push_back(type);
  return type;
}

Parser::Maybe Parser::leaf(ExprNode n, Typed type) {
  return node(n, {}, type);
}

Parser::Maybe Parser::binary(Op op, const Typed& a, const Typed& b, Kinds kinds, bool as_version) {
  ExprNode n;
  n.op = op;
  n.a = as_version ? 1 : 0;
  Typed type;
  type.kinds = kinds;
  type.begin = a.begin;
  type.end = b.end;
  return node(n, {a, b}, type);
}

std::optional<ExprId> Parser::run() {
  if (text_.size() > (1u << 16)) return fail("an expression is at most 64 KiB long", 0, 1);
  if (!tokenize(text_, tokens_, fault_)) return std::nullopt;
  if (tokens_.size() == 1) return fail("an expression is missing here", 0, text_.size());
  const auto root = expression();
  if (!root) return std::nullopt;
  if (peek().kind != Tok::end)
    return fail_at(peek(), fmt::format("unexpected {} after the expression", describe(peek(), text_)));
  return root->id;
}

Parser::Maybe Parser::expression() {
  if (depth_ >= max_nesting)
    return fail_at(peek(), fmt::format("the expression nests deeper than {} levels", max_nesting));
  ++depth_;
  auto result = ternary();
  --depth_;
  return result;
}

Parser::Maybe Parser::ternary() {
  const auto condition = logical(true);
  if (!condition || !accept(Tok::question)) return condition;
  const auto yes = expression();
  if (!yes || !expect(Tok::colon, "':' of '?:'")) return std::nullopt;
  const auto no = expression();
  if (!no) return std::nullopt;
  Typed type;
  type.kinds = yes->kinds | no->kinds;
  type.element = yes->element | no->element;
  if (yes->source == no->source) type.source = yes->source;
  if (yes->element_source == no->element_source) type.element_source = yes->element_source;
  type.begin = condition->begin;
  type.end = no->end;
  ExprNode n;
  n.op = Op::conditional;
  return node(n, {*condition, *yes, *no}, type);
}

// One node for a whole chain of && or ||: long conditions stay flat.
Parser::Maybe Parser::logical(bool disjunction) {
  const Tok op = disjunction ? Tok::or_ : Tok::and_;
  std::vector<Typed> parts;
  do {
    const auto part = disjunction ? logical(false) : comparison();
    if (!part) return std::nullopt;
    parts.push_back(*part);
  } while (accept(op));
  if (parts.size() == 1) return parts[0];
  ExprNode n;
  n.op = disjunction ? Op::logical_or : Op::logical_and;
  Typed type;
  type.kinds = k_bool;
  type.begin = parts.front().begin;
  type.end = parts.back().end;
  return node(n, parts, type);
}

Parser::Maybe Parser::comparison() {
  const auto op_of = [](Tok t) {
    switch (t) {
      case Tok::equal:
        return std::optional(Op::equal);
      case Tok::not_equal:
        return std::optional(Op::not_equal);
      case Tok::less:
        return std::optional(Op::less);
      case Tok::less_equal:
        return std::optional(Op::less_equal);
      case Tok::greater:
        return std::optional(Op::greater);
      case Tok::greater_equal:
        return std::optional(Op::greater_equal);
      case Tok::in:
        return std::optional(Op::in);
      default:
        return std::optional<Op>();
    }
  };
  const auto left = sum();
  if (!left) return std::nullopt;
  const auto op = op_of(peek().kind);
  if (!op) return left;
  take();
  const auto right = sum();
  if (!right) return std::nullopt;
  bool as_version = false;
  const bool order = *op != Op::equal && *op != Op::not_equal;
  const bool ok = *op == Op::in ? check_membership(*left, *right, as_version)
                                : check_comparison(*left, *right, order, as_version);
  if (!ok) return std::nullopt;
  if (op_of(peek().kind)) return fail_at(peek(), "comparisons do not chain; write 'a < b && b < c'");
  return binary(*op, *left, *right, k_bool, as_version);
}

Parser::Maybe Parser::sum() {
  auto left = product();
  while (left && (peek().kind == Tok::plus || peek().kind == Tok::minus)) {
    const Tok op = take().kind;
    const auto right = product();
    if (!right || !check_arithmetic(*left, *right, op)) return std::nullopt;
    Kinds kinds = k_null | k_int | k_float;
    if (op == Tok::plus) kinds = static_cast<Kinds>(kinds | (left->kinds & (k_string | k_list)));
    left = binary(op == Tok::plus ? Op::add : Op::subtract, *left, *right, kinds);
  }
  return left;
}

Parser::Maybe Parser::product() {
  auto left = unary();
  while (left && (peek().kind == Tok::star || peek().kind == Tok::slash || peek().kind == Tok::percent)) {
    const Tok op = take().kind;
    const auto right = unary();
    if (!right || !check_arithmetic(*left, *right, op)) return std::nullopt;
    const Op which = op == Tok::star ? Op::multiply : op == Tok::slash ? Op::divide : Op::modulo;
    left = binary(which, *left, *right, k_null | k_int | k_float);
  }
  return left;
}

Parser::Maybe Parser::unary() {
  const Token token = peek();
  if (token.kind != Tok::not_ && token.kind != Tok::minus) return postfix();
  if (depth_ >= max_nesting)
    return fail_at(token, fmt::format("the expression nests deeper than {} levels", max_nesting));
  take();
  ++depth_;
  const auto operand = unary();
  --depth_;
  if (!operand) return std::nullopt;
  if (token.kind == Tok::minus && !check_arithmetic(*operand, *operand, Tok::minus)) return std::nullopt;
  ExprNode n;
  n.op = token.kind == Tok::not_ ? Op::logical_not : Op::negate;
  Typed type;
  type.kinds = token.kind == Tok::not_ ? k_bool : k_null | k_int | k_float;
  type.begin = token.begin;
  type.end = operand->end;
  return node(n, {*operand}, type);
}

Parser::Maybe Parser::postfix() {
  auto value = primary();
  while (value) {
    if (peek().kind == Tok::dot) {
      take();
      if (peek().kind != Tok::name) return fail_at(peek(), "expected a method name after '.'");
      const Token name = take();
      if (peek().kind != Tok::left_paren)
        return fail_at(name,
                       fmt::format("'{}' is no method call; parts of a value cannot be named", name.text));
      value = method(*value, name);
    } else if (peek().kind == Tok::left_bracket) {
      value = subscript(*value);
    } else {
      break;
    }
  }
  return value;
}

Parser::Maybe Parser::subscript(const Typed& value) {
  take();
  const auto index = expression();
  if (!index || !expect(Tok::right_bracket, "']'")) return std::nullopt;
  if (never(value.kinds, k_list | k_string)) {
    refuse(fmt::format("{} cannot be indexed", called(value)), value);
    return std::nullopt;
  }
  if (never(index->kinds, k_number)) {
    refuse("an index is a number", *index);
    return std::nullopt;
  }
  Typed type;
  type.kinds = static_cast<Kinds>(value.element | k_null);
  if ((value.kinds & k_string) != 0) type.kinds |= k_string;
  type.source = value.element_source;
  type.begin = value.begin;
  type.end = index->end + 1;
  ExprNode n;
  n.op = Op::index;
  return node(n, {value, *index}, type);
}

Parser::Maybe Parser::primary() {
  const Token token = peek();
  switch (token.kind) {
    case Tok::left_paren: {
      take();
      auto inner = expression();
      if (!inner || !expect(Tok::right_paren, "')'")) return std::nullopt;
      return inner;
    }
    case Tok::left_bracket:
      return list();
    case Tok::name:
      if (peek(1).kind == Tok::left_paren) return call(take());
      return named();
    case Tok::integer:
    case Tok::floating:
    case Tok::string:
    case Tok::true_:
    case Tok::false_:
    case Tok::null:
      return literal();
    default:
      return fail_at(token, fmt::format("expected a value, found {}", describe(token, text_)));
  }
}

Parser::Maybe Parser::literal() {
  const Token token = take();
  ExprNode n;
  Typed type;
  type.begin = token.begin;
  type.end = token.end;
  switch (token.kind) {
    case Tok::integer:
      n.op = Op::literal_int;
      n.integer = token.integer;
      type.kinds = k_int;
      break;
    case Tok::floating:
      n.op = Op::literal_float;
      n.number = token.number;
      type.kinds = k_float;
      break;
    case Tok::string:
      n.op = Op::literal_string;
      n.text = keep(token.text);
      type.kinds = k_string;
      break;
    case Tok::null:
      n.op = Op::literal_null;
      type.kinds = k_null;
      break;
    default:
      n.op = Op::literal_bool;
      n.a = token.kind == Tok::true_ ? 1 : 0;
      type.kinds = k_bool;
  }
  return leaf(n, type);
}

Parser::Maybe Parser::list() {
  const Token open = take();
  std::vector<Typed> items;
  Typed type;
  type.kinds = k_list;
  type.element = 0;
  while (peek().kind != Tok::right_bracket) {
    const auto item = expression();
    if (!item) return std::nullopt;
    type.element |= item->kinds;
    items.push_back(*item);
    if (!accept(Tok::comma)) break;
  }
  type.begin = open.begin;
  type.end = peek().end;
  if (!expect(Tok::right_bracket, "',' or ']'")) return std::nullopt;
  ExprNode n;
  n.op = Op::list;
  return node(n, items, type);
}

bool Parser::arguments(std::vector<Typed>& out) {
  if (!expect(Tok::left_paren, "'('")) return false;
  while (peek().kind != Tok::right_paren) {
    const auto argument = expression();
    if (!argument) return false;
    out.push_back(*argument);
    if (!accept(Tok::comma)) break;
  }
  return expect(Tok::right_paren, "',' or ')'");
}

Parser::Maybe Parser::call(const Token& name) {
  if (name.text == "has" || name.text == "choices") return has_or_choices(name);
  const auto* info = find_function(name.text, false);
  if (info == nullptr) return unknown_function(name, false);
  std::vector<Typed> args;
  if (!arguments(args) || !check_arguments(*info, args, name)) return std::nullopt;
  ExprNode n;
  n.op = Op::call;
  n.a = static_cast<std::uint8_t>(info->fn);
  Typed type = result_of(*info, args);
  type.begin = name.begin;
  type.end = tokens_[pos_ - 1].end;
  return node(n, args, type);
}

Parser::Maybe Parser::method(const Typed& receiver, const Token& name) {
  if (name.text == "all") return comprehension(Op::all, receiver, name);
  if (name.text == "exists") return comprehension(Op::exists, receiver, name);
  if (name.text == "filter") return comprehension(Op::filter, receiver, name);
  if (name.text == "map") return comprehension(Op::map, receiver, name);
  const auto* info = find_function(name.text, true);
  if (info == nullptr) return unknown_function(name, true);
  std::vector<Typed> args{receiver};
  if (!arguments(args) || !check_arguments(*info, args, name)) return std::nullopt;
  ExprNode n;
  n.op = Op::call;
  n.a = static_cast<std::uint8_t>(info->fn);
  Typed type = result_of(*info, args);
  type.begin = receiver.begin;
  type.end = tokens_[pos_ - 1].end;
  return node(n, args, type);
}

Parser::Maybe Parser::comprehension(Op op, const Typed& receiver, const Token& name) {
  if (never(receiver.kinds, k_list)) {
    refuse(fmt::format("{}() works on lists; {} is none", name.text, called(receiver)), receiver);
    return std::nullopt;
  }
  if (!expect(Tok::left_paren, "'('")) return std::nullopt;
  if (peek().kind != Tok::name || peek(1).kind != Tok::comma)
    return fail_at(peek(),
                   fmt::format("{0}() needs a variable and an expression: list.{0}(v, …)", name.text));
  const Token variable = take();
  take();
  const bool reserved = variable.text == "raw" || variable.text == "env" || variable.text == "launch" ||
                        variable.text == "derived" || schema_.find(variable.text) != schema::no_field;
  if (reserved)
    return fail_at(variable, fmt::format("'{}' cannot be a variable: it is a section", variable.text));
  if (variables_.size() >= max_variables)
    return fail_at(variable, fmt::format("at most {} variables nest", max_variables));
  Typed element;
  element.kinds = receiver.element;
  element.source = receiver.element_source;
  variables_.push_back({variable.text, element});
  const auto body = expression();
  variables_.pop_back();
  if (!body || !expect(Tok::right_paren, "')'")) return std::nullopt;
  ExprNode n;
  n.op = op;
  n.a = static_cast<std::uint8_t>(variables_.size());
  Typed type = receiver;
  type.kinds = op == Op::all || op == Op::exists ? k_bool : k_list;
  if (op == Op::map) {
    type.element = body->kinds;
    type.element_source = body->source;
  }
  type.end = tokens_[pos_ - 1].end;
  return node(n, {receiver, *body}, type);
}

std::string Parser::dotted_name(std::size_t& end) {
  const Token first = take();
  std::string name = first.text;
  end = first.end;
  while (peek().kind == Tok::dot && peek(1).kind == Tok::name && peek(2).kind != Tok::left_paren) {
    take();
    const Token part = take();
    name += "." + part.text;
    end = part.end;
  }
  return name;
}

Parser::Maybe Parser::named() {
  const std::size_t begin = peek().begin;
  for (std::size_t i = variables_.size(); i-- > 0;) {
    if (variables_[i].name != peek().text) continue;
    Typed type = variables_[i].type;
    type.begin = begin;
    type.end = take().end;
    ExprNode n;
    n.op = Op::variable;
    n.a = static_cast<std::uint8_t>(i);
    return leaf(n, type);
  }
  std::size_t end = begin;
  std::string name = dotted_name(end);
  return resolve_name(std::move(name), begin, end);
}

Parser::Maybe Parser::resolve_name(std::string name, std::size_t begin, std::size_t end) {
  const bool raw = name.rfind("raw.", 0) == 0;
  if (raw) name.erase(0, 4);
  const auto id = schema_.find(name);
  if (id == schema::no_field) return unknown_name(name, begin, end);
  const auto space = schema_.field(id).space;
  if (raw && space != schema::Space::config && space != schema::Space::section &&
      space != schema::Space::extra)
    return fail(fmt::format("raw. is for config fields; {} has no other value as written", name), begin, end);
  ExprNode n;
  n.op = raw ? Op::raw_field : Op::field;
  n.field = id;
  Typed type = type_of(id);
  type.begin = begin;
  type.end = end;
  return leaf(n, type);
}

Parser::Maybe Parser::has_or_choices(const Token& function) {
  const bool is_has = function.text == "has";
  if (!expect(Tok::left_paren, "'('")) return std::nullopt;
  if (peek().kind != Tok::name)
    return fail_at(peek(), fmt::format("{}() takes the name of a field: {}(model.num_layers)", function.text,
                                       function.text));
  const std::size_t begin = peek().begin;
  std::size_t end = begin;
  const std::string name = dotted_name(end);
  const auto id = schema_.find(name);
  if (name.rfind("raw.", 0) == 0)
    return fail(fmt::format("{}() takes a name without raw.", function.text), begin, end);
  if (id == schema::no_field) return unknown_name(name, begin, end);
  const auto& field = schema_.field(id);
  if (field.space != schema::Space::config && field.space != schema::Space::section &&
      field.space != schema::Space::extra)
    return fail(fmt::format("{}() takes a config field; compare {} with null instead", function.text, name),
                begin, end);
  if (!is_has && field.choices.empty()) return fail(fmt::format("{} has no choices", name), begin, end);
  if (!expect(Tok::right_paren, "')'")) return std::nullopt;
  ExprNode n;
  n.op = is_has ? Op::has_field : Op::choices;
  n.field = id;
  Typed type;
  type.kinds = is_has ? k_bool : k_list;
  type.element = k_string;
  if (!is_has) type.element_source = id;
  type.begin = function.begin;
  type.end = tokens_[pos_ - 1].end;
  return leaf(n, type);
}

}  // namespace headroom::lang
