#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "builtins.hpp"
#include "functions.hpp"
#include "headroom/lang/expr.hpp"
#include "operand.hpp"

namespace headroom::lang {
namespace {

using Kind = Operand::Kind;

// A config can make lists long; nested list methods then multiply. Past this many steps an expression is
// unknown.
constexpr std::uint64_t max_work = 1u << 22;

class Evaluator {
 public:
  Evaluator(const ExprPool& pool, const Scope& scope, std::vector<schema::FieldId>* causes)
      : pool_(pool), scope_(scope), causes_(causes) {}

  /// A known result has no causes: those that its parts noted are taken back.
  Operand eval(ExprId id) {
    if (++work_ > max_work) return Operand::unknown();
    const std::size_t mark = causes_ == nullptr ? 0 : causes_->size();
    Operand result = apply(pool_.nodes[id]);
    if (causes_ != nullptr && !result.is_unknown()) causes_->resize(mark);
    return result;
  }

 private:
  ExprId child(const ExprNode& n, std::size_t i) const { return pool_.children[n.first + i]; }

  Operand apply(const ExprNode& n) {
    switch (n.op) {
      case Op::literal_null:
        return {};
      case Op::literal_bool:
        return Operand::of(n.a != 0);
      case Op::literal_int:
        return Operand::of(n.integer);
      case Op::literal_float:
        return Operand::of(n.number);
      case Op::literal_string:
        return Operand::literal(n.text);
      case Op::field:
        return read(scope_.now, n.field);
      case Op::raw_field:
        return read(scope_.raw, n.field);
      case Op::has_field:
        return Operand::of(n.field < scope_.set.size() && scope_.set[n.field] != 0);
      case Op::variable:
        return n.a < slots_.size() ? slots_[n.a] : Operand();
      case Op::list:
        return list(n);
      case Op::choices:
        return choices(n.field);
      case Op::logical_and:
        return connective(n, false);
      case Op::logical_or:
        return connective(n, true);
      case Op::logical_not: {
        const Operand v = eval(child(n, 0));
        return v.is_unknown() ? v : Operand::of(!v.truthy());
      }
      case Op::negate:
        return negate(eval(child(n, 0)));
      case Op::conditional: {
        const Operand c = eval(child(n, 0));
        return c.is_unknown() ? c : eval(child(n, c.truthy() ? 1 : 2));
      }
      case Op::in:
        return membership(n);
      case Op::index:
        return index(eval(child(n, 0)), eval(child(n, 1)));
      case Op::call:
        return call(n);
      case Op::all:
      case Op::exists:
      case Op::filter:
      case Op::map:
        return comprehension(n);
      default:
        return binary(n);
    }
  }

  Operand read(std::span<const source::Value> values, schema::FieldId field) {
    if (field >= values.size()) return {};
    Operand v = Operand::borrow(values[field]);
    if (v.is_unknown() && causes_ != nullptr) causes_->push_back(field);
    return v;
  }

  Operand list(const ExprNode& n) {
    source::List items;
    items.reserve(n.count);
    bool unknown = false;
    for (std::size_t i = 0; i < n.count; ++i) {
      items.push_back(eval(child(n, i)).value());
      unknown = unknown || items.back().is_unknown();
    }
    return unknown ? Operand::unknown() : Operand::own(std::move(items));
  }

  Operand choices(schema::FieldId field) {
    source::List items;
    if (scope_.schema != nullptr)
      for (const auto c : scope_.schema->choices(field, scope_.release)) items.emplace_back(c);
    return Operand::own(std::move(items));
  }

  /// Kleene's && (decides on false) and || (decides on true).
  Operand connective(const ExprNode& n, bool decides) {
    bool unknown = false;
    for (std::size_t i = 0; i < n.count; ++i) {
      const Operand v = eval(child(n, i));
      if (v.is_unknown())
        unknown = true;
      else if (v.truthy() == decides)
        return Operand::of(decides);
    }
    return unknown ? Operand::unknown() : Operand::of(!decides);
  }

  /// Versions: 2.10 is above 2.9. Where a side is no version number, equality is that of the strings.
  static std::optional<schema::Version> version(const Operand& v) {
    if (!v.is(Kind::string)) return std::nullopt;
    // The snapshot goes by name; its own number is that of the release to come.
    if (v.text == "main" || v.text == "HEAD") return schema::info(schema::Release::main).bridge;
    return schema::parse_version(v.text);
  }

  static int compare(const Operand& a, const Operand& b, bool as_version) {
    if (as_version) {
      const auto x = version(a), y = version(b);
      if (x && y) return *x < *y ? -1 : *x == *y ? 0 : 1;
      if (a.is(Kind::string) && b.is(Kind::string)) return a.text == b.text ? 0 : 2;
    }
    return order(a, b);
  }

  static bool same(const Operand& a, const Operand& b, bool as_version) {
    return as_version && a.is(Kind::string) && b.is(Kind::string) ? compare(a, b, true) == 0 : equal(a, b);
  }

  Operand binary(const ExprNode& n) {
    const Operand a = eval(child(n, 0));
    const Operand b = eval(child(n, 1));
    if (a.is_unknown() || b.is_unknown()) return Operand::unknown();
    const bool as_version = n.a != 0;
    switch (n.op) {
      case Op::equal:
        return Operand::of(same(a, b, as_version));
      case Op::not_equal:
        return Operand::of(!same(a, b, as_version));
      case Op::less:
        return Operand::of(compare(a, b, as_version) == -1);
      case Op::greater:
        return Operand::of(compare(a, b, as_version) == 1);
      case Op::less_equal: {
        const int c = compare(a, b, as_version);
        return Operand::of(c == -1 || c == 0);
      }
      case Op::greater_equal: {
        const int c = compare(a, b, as_version);
        return Operand::of(c == 1 || c == 0);
      }
      case Op::add:
        return limited(arithmetic(Arithmetic::add, a, b));
      case Op::subtract:
        return arithmetic(Arithmetic::subtract, a, b);
      case Op::multiply:
        return arithmetic(Arithmetic::multiply, a, b);
      case Op::divide:
        return arithmetic(Arithmetic::divide, a, b);
      default:
        return arithmetic(Arithmetic::modulo, a, b);
    }
  }

  Operand limited(Operand v) {
    if (v.is(Kind::list)) work_ += v.list->size();
    if (v.is(Kind::string)) work_ += v.text.size() / 16;
    return v;
  }

  /// A literal list on the right is looked through without being built.
  Operand membership(const ExprNode& n) {
    const ExprNode& right = pool_.nodes[child(n, 1)];
    const Operand item = eval(child(n, 0));
    if (right.op != Op::list) {
      const Operand container = eval(child(n, 1));
      if (item.is_unknown() || container.is_unknown()) return Operand::unknown();
      const Operand args[] = {container, item};
      return call_builtin(Fn::contains, args, scope_.schema, scope_.release, work_);
    }
    if (item.is_unknown()) return item;
    bool unknown = false;
    for (std::size_t i = 0; i < right.count; ++i) {
      const Operand v = eval(child(right, i));
      if (v.is_unknown())
        unknown = true;
      else if (same(item, v, n.a != 0))
        return Operand::of(true);
    }
    return unknown ? Operand::unknown() : Operand::of(false);
  }

  static Operand index(const Operand& from, const Operand& at) {
    if (from.is_unknown() || at.is_unknown()) return Operand::unknown();
    if (!at.is_integer() || (!from.is(Kind::list) && !from.is(Kind::string))) return {};
    const auto size = static_cast<std::int64_t>(from.is(Kind::list) ? from.list->size() : from.text.size());
    const std::int64_t i = at.integer < 0 ? at.integer + size : at.integer;
    if (i < 0 || i >= size) return {};
    const auto u = static_cast<std::size_t>(i);
    if (from.is(Kind::list)) return Operand::own((*from.list)[u]);
    return Operand::own(source::Value(from.text.substr(u, 1)));
  }

  Operand call(const ExprNode& n) {
    const auto fn = static_cast<Fn>(n.a);
    if (fn == Fn::either || fn == Fn::coalesce) {
      Operand first = eval(child(n, 0));
      if (first.is_unknown()) return first;
      const bool take = fn == Fn::either ? first.truthy() : !first.is_null();
      return take ? first : eval(child(n, 1));
    }
    // Asks whether a value is known, so the unknown is an answer here and no cause of one.
    if (fn == Fn::known) {
      auto* causes = std::exchange(causes_, nullptr);
      const bool known = !eval(child(n, 0)).is_unknown();
      causes_ = causes;
      return Operand::of(known);
    }
    std::array<Operand, 3> args;
    const std::size_t count = std::min<std::size_t>(n.count, args.size());
    for (std::size_t i = 0; i < count; ++i) {
      args[i] = eval(child(n, i));
      if (args[i].is_unknown()) return Operand::unknown();
    }
    return call_builtin(fn, std::span(args).first(count), scope_.schema, scope_.release, work_);
  }

  Operand comprehension(const ExprNode& n) {
    const Operand list = eval(child(n, 0));
    if (list.is_unknown()) return list;
    static const source::List empty;
    const source::List& items = list.is(Kind::list) ? *list.list : empty;
    const ExprId body = child(n, 1);
    source::List kept;
    if (slots_.size() <= n.a) slots_.resize(n.a + std::size_t{1});
    bool unknown = false;
    for (const auto& item : items) {
      slots_[n.a] = Operand::borrow(item);
      const Operand v = eval(body);
      if (v.is_unknown()) {
        unknown = true;
        if (work_ > max_work) break;
        continue;
      }
      if (n.op == Op::map)
        kept.push_back(v.value());
      else if (n.op == Op::filter && v.truthy())
        kept.push_back(item);
      else if ((n.op == Op::all && !v.truthy()) || (n.op == Op::exists && v.truthy()))
        return Operand::of(n.op == Op::exists);
    }
    if (unknown) return Operand::unknown();
    if (n.op == Op::all || n.op == Op::exists) return Operand::of(n.op == Op::all);
    return Operand::own(std::move(kept));
  }

  const ExprPool& pool_;
  const Scope& scope_;
  std::vector<schema::FieldId>* causes_;
  std::vector<Operand> slots_;  ///< of variables; most expressions have none
  std::uint64_t work_ = 0;
};

}  // namespace

source::Value evaluate(const ExprPool& pool, ExprId id, const Scope& scope) {
  return Evaluator(pool, scope, nullptr).eval(id).value();
}

std::vector<schema::FieldId> unknown_causes(const ExprPool& pool, ExprId id, const Scope& scope) {
  std::vector<schema::FieldId> causes;
  static_cast<void>(Evaluator(pool, scope, &causes).eval(id));
  std::sort(causes.begin(), causes.end());
  causes.erase(std::unique(causes.begin(), causes.end()), causes.end());
  return causes;
}

}  // namespace headroom::lang
