// The static half of docs/rule-language.md: what can be refused before any config is seen.
#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"
#include "parser.hpp"

namespace headroom::lang {
namespace {

using schema::has;
using schema::Type;

Kinds kinds_of(schema::TypeSet type) {
  Kinds k = k_null;
  if (has(type, Type::any)) return k_any;
  if (has(type, Type::boolean)) k |= k_bool;
  if (has(type, Type::integer)) k |= k_int;
  if (has(type, Type::floating)) k |= k_int | k_float;
  for (const Type t : {Type::string, Type::enumeration, Type::dtype, Type::callable, Type::version})
    if (has(type, t)) k |= k_string;
  if (has(type, Type::list)) k |= k_list;
  for (const Type t : {Type::config, Type::dict, Type::section})
    if (has(type, t)) k |= k_opaque;
  return k;
}

/// Kinds that can be equal or ordered: numbers and booleans are one group, as in Python.
Kinds comparable(Kinds k) {
  if ((k & k_number) != 0) k |= k_number;
  return static_cast<Kinds>(k & ~k_null);
}

std::string kind_text(Kinds k) {
  k = static_cast<Kinds>(k & ~k_null);
  if (k == 0) return "null";
  std::string out;
  const auto add = [&](Kinds which, std::string_view text) {
    if ((k & which) != 0) out += (out.empty() ? "" : " or ") + std::string(text);
  };
  if ((k & (k_int | k_float)) != 0)
    add(k_int | k_float, "a number");
  else
    add(k_bool, "a boolean");
  add(k_string, "a string");
  add(k_list, "a list");
  add(k_opaque, "a mapping");
  return out;
}

}  // namespace

std::string Parser::called(const Typed& t) const {
  constexpr std::size_t longest = 60;
  const auto text = text_.substr(t.begin, t.end - t.begin);
  return fmt::format("'{}{}'", text.substr(0, longest), text.size() > longest ? "…" : "");
}

Typed Parser::typed(ExprId id) const {
  Typed t = types_[id - first_node_];
  t.id = id;
  return t;
}

Typed Parser::type_of(schema::FieldId id) const {
  const auto& field = schema_.field(id);
  Typed type;
  type.kinds = kinds_of(field.type);
  if (field.space == schema::Space::section) type.kinds |= k_opaque;
  type.element = field.element == 0 ? k_any : kinds_of(field.element);
  type.version = has(field.type, Type::version);
  type.source = id;
  type.element_source = id;
  return type;
}

Typed Parser::result_of(const FunctionInfo& f, const std::vector<Typed>& args) const {
  Typed type;
  type.kinds = f.result;
  switch (f.fn) {
    case Fn::either:
    case Fn::coalesce:
      type.kinds = args[0].kinds | args[1].kinds;
      type.element = args[0].element | args[1].element;
      // `either(model.a, 'none')`: still compared with values of that field by most rules, but the other
      // value need not be one of them, so no choices are known.
      break;
    case Fn::split:
      type.element = k_string;
      break;
    case Fn::unique:
      type.element = args[0].element;
      type.element_source = args[0].element_source;
      break;
    case Fn::range:
      type.element = k_int;
      break;
    default:
      break;
  }
  return type;
}

bool Parser::no_section(const Typed& t, std::string_view where) {
  if ((t.kinds & ~(k_opaque | k_null)) != 0 || (t.kinds & k_opaque) == 0) return true;
  return refuse(
      fmt::format("{} is a whole mapping: it can only be compared with null, not {}", called(t), where), t);
}

bool Parser::check_version(const Typed& version, const Typed& other) {
  if ((other.kinds & ~k_null) == 0) return true;
  if (!other.version && (other.kinds & k_string) == 0)
    return refuse(fmt::format("{} is a version: compare it with a string, as in '2.10'", called(version)),
                  other);
  ExprNode& n = at(other.id);
  if (n.op != Op::literal_string) return true;
  const bool snapshot = n.text == "main" || n.text == "HEAD";
  if (!snapshot && !schema::parse_version(n.text))
    return refuse(fmt::format("'{}' is no version number", n.text), other);
  return true;
}

bool Parser::check_disjoint(const Typed& a, const Typed& b) {
  if ((b.kinds & ~k_null) != 0 && !no_section(a, "with a value")) return false;
  if ((a.kinds & ~k_null) != 0 && !no_section(b, "with a value")) return false;
  const Kinds left = comparable(a.kinds), right = comparable(b.kinds);
  if (left == 0 || right == 0 || (left & right) != 0) return true;
  return refuse(fmt::format("{} is {}, {} is {}: they are never equal", called(a), kind_text(a.kinds),
                            called(b), kind_text(b.kinds)),
                b);
}

bool Parser::check_literal(ExprId id, schema::FieldId source, const Typed& where) {
  if (source == schema::no_field) return true;
  ExprNode& n = at(id);
  if (n.op != Op::literal_string || n.text.empty()) return true;
  const auto& field = schema_.field(source);
  const auto type = static_cast<schema::TypeSet>(field.type | field.element);
  if (has(type, Type::any)) return true;
  const auto choices = all_choices(field);
  if (!choices.empty()) {
    if (std::find(choices.begin(), choices.end(), n.text) != choices.end()) return true;
    if (has(type, Type::dtype)) {
      if (const auto dtype = schema::canonical_dtype(n.text)) {
        n.text = *dtype;
        return true;
      }
    }
    std::string hint = did_you_mean(n.text, choices);
    if (hint.empty()) {
      hint = "; choices:";
      for (const auto c : choices) hint += fmt::format(" '{}'", c);
    }
    return refuse(fmt::format("{} never has the value '{}'{}", field.name, n.text, hint), where);
  }
  if (!has(type, Type::dtype)) return true;
  if (const auto dtype = schema::canonical_dtype(n.text)) {
    n.text = *dtype;
    return true;
  }
  if (has(type, Type::string) || has(type, Type::enumeration)) return true;
  return refuse(fmt::format("'{}' is no dtype", n.text), where);
}

/// Literals of `b` against the field that `a` comes from: `model.x == 'y'`, `model.l == ['y']`.
bool Parser::check_literals(const Typed& a, const Typed& b) {
  if (!check_literal(b.id, a.source, b)) return false;
  const ExprNode n = at(b.id);
  if (n.op != Op::list) return true;
  for (std::uint32_t i = 0; i < n.count; ++i) {
    const ExprId id = pool_.children_[n.first + i];
    if (!check_literal(id, a.element_source, typed(id))) return false;
  }
  return true;
}

bool Parser::check_comparison(const Typed& a, const Typed& b, bool order, bool& as_version) {
  if (a.version || b.version) {
    as_version = (a.kinds & ~k_null) != 0 && (b.kinds & ~k_null) != 0;
    return a.version ? check_version(a, b) : check_version(b, a);
  }
  if (!check_disjoint(a, b)) return false;
  if (order) {
    for (const Typed* side : {&a, &b})
      if (never(side->kinds, k_number | k_string))
        return refuse(fmt::format("{} is {} and has no order", called(*side), kind_text(side->kinds)), *side);
    return true;
  }
  return check_literals(a, b) && check_literals(b, a);
}

bool Parser::check_membership(const Typed& item, const Typed& container, bool& as_version) {
  if (never(container.kinds, k_list | k_string))
    return refuse(fmt::format("'in' needs a list; {} is {}", called(container), kind_text(container.kinds)),
                  container);
  if (!no_section(item, "looked up in a list")) return false;
  const ExprNode n = at(container.id);
  if (n.op != Op::list) {
    if ((container.kinds & k_list) == 0 && never(item.kinds, k_string))
      return refuse(fmt::format("{} is a string: only a string can be in it", called(container)), item);
    if ((container.kinds & k_string) == 0 && container.element != 0) {
      const Kinds left = comparable(item.kinds), right = comparable(container.element);
      if (left != 0 && right != 0 && (left & right) == 0)
        return refuse(fmt::format("{} lists {}; {} is {}", called(container), kind_text(container.element),
                                  called(item), kind_text(item.kinds)),
                      item);
    }
    // Where the field may also be a string, `x in field` can look for a part of it.
    return (container.kinds & k_string) != 0 || check_literal(item.id, container.element_source, item);
  }
  as_version = item.version;
  for (std::uint32_t i = 0; i < n.count; ++i) {
    Typed element = typed(pool_.children_[n.first + i]);
    if (item.version ? !check_version(item, element) : !check_disjoint(item, element)) return false;
    if (!item.version && !check_literal(element.id, item.source, element)) return false;
  }
  return true;
}

bool Parser::check_arithmetic(const Typed& a, const Typed& b, Tok op) {
  for (const Typed* side : {&a, &b}) {
    if (side->version) return refuse(fmt::format("{} is a version, not a number", called(*side)), *side);
    Kinds allowed = k_number;
    if (op == Tok::plus) allowed |= k_string | k_list;
    if (never(side->kinds, allowed))
      return refuse(fmt::format("{} is {}, not a number", called(*side), kind_text(side->kinds)), *side);
  }
  if (op != Tok::plus) return true;
  const Kinds left = comparable(a.kinds), right = comparable(b.kinds);
  if (left == 0 || right == 0 || (left & right) != 0) return true;
  return refuse(fmt::format("{} is {}, {} is {}: they cannot be added", called(a), kind_text(a.kinds),
                            called(b), kind_text(b.kinds)),
                b);
}

bool Parser::check_arguments(const FunctionInfo& f, const std::vector<Typed>& args, const Token& name) {
  const std::size_t wanted = f.arguments, offset = f.method ? 1 : 0;
  if (args.size() - offset != wanted) {
    fail_at(name, fmt::format("{}() takes {} argument{}, not {}", f.name, wanted, wanted == 1 ? "" : "s",
                              args.size() - offset));
    return false;
  }
  for (std::size_t i = 0; i < args.size(); ++i) {
    const Kinds accepted = f.accepts[i];
    if (!never(args[i].kinds, accepted)) continue;
    return refuse(fmt::format("{}() works on {}; {} is {}", f.name, kind_text(accepted), called(args[i]),
                              kind_text(args[i].kinds)),
                  args[i]);
  }
  if (f.fn == Fn::contains || f.fn == Fn::index_of) {
    if ((args[0].kinds & k_string) == 0) return check_literal(args[1].id, args[0].element_source, args[1]);
  }
  if (f.fn == Fn::subclass) {
    const ExprNode& n = at(args[1].id);
    if (n.op == Op::literal_string && !schema_.classes.empty() && schema_.find_class(n.text) == nullptr) {
      std::vector<std::string_view> known;
      for (const auto& c : schema_.classes) known.push_back(c.name);
      return refuse(fmt::format("no class '{}' is known{}", n.text, did_you_mean(n.text, known)), args[1]);
    }
  }
  return true;
}

Parser::Maybe Parser::unknown_name(const std::string& name, std::size_t begin, std::size_t end) {
  std::string message = fmt::format("no field is called '{}'", name);
  if (name.rfind("env.", 0) == 0)
    message = fmt::format("environment variable '{}' is not in the schema", name);
  if (name.rfind("launch.", 0) == 0) message = fmt::format("'{}' is no launch fact", name);
  if (name.rfind("derived.", 0) == 0) message = fmt::format("no derived value is called '{}'", name);
  if (name.find('.') == std::string::npos)
    message = fmt::format("no section or variable is called '{}'", name);
  std::string hints;
  for (const auto s : schema_.suggest(name, schema::newest_release))
    hints += fmt::format("{} '{}'", hints.empty() ? "; did you mean" : " or", s);
  return fail(message + (hints.empty() ? "" : hints + "?"), begin, end);
}

Parser::Maybe Parser::unknown_function(const Token& name, bool method) {
  // The same word as the other form is the likeliest slip.
  if (find_function(name.text, !method) != nullptr)
    return fail_at(name, method ? fmt::format("{0} is a function: write {0}(x)", name.text)
                                : fmt::format("{0} is a method: write x.{0}()", name.text));
  if (name.text == "len") return fail_at(name, "no function is called 'len'; did you mean 'size'?");
  std::vector<std::string_view> known;
  for (const auto& f : functions())
    if (f.method == method) known.push_back(f.name);
  if (method)
    known.insert(known.end(), {"all", "exists", "filter", "map"});
  else
    known.insert(known.end(), {"has", "choices"});
  return fail_at(name, fmt::format("no {} is called '{}'{}", method ? "method" : "function", name.text,
                                   did_you_mean(name.text, known)));
}

}  // namespace headroom::lang
