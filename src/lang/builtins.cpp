#include "builtins.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <utility>

#include "headroom/lang/layout.hpp"

namespace headroom::lang {
namespace {

using Kind = Operand::Kind;

// range(n) beyond this gives null: no count in a config comes near, and n may come from a hostile one.
constexpr std::int64_t max_range = 1 << 16;

std::int64_t signed_size(std::size_t n) {
  return static_cast<std::int64_t>(n);
}

Operand text_result(std::string s) {
  return Operand::own(source::Value(std::move(s)));
}

std::string lowered(std::string_view text) {
  std::string s(text);
  std::transform(s.begin(), s.end(), s.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return s;
}

Operand to_int(const Operand& a) {
  if (a.is_integer()) return Operand::of(a.integer);
  if (a.is(Kind::floating)) {
    constexpr double limit = 9223372036854775808.0;
    if (!(a.number > -limit && a.number < limit)) return {};
    return Operand::of(static_cast<std::int64_t>(a.number));
  }
  if (!a.is(Kind::string)) return {};
  auto text = a.text;
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  if (!text.empty() && text.front() == '+') text.remove_prefix(1);
  std::int64_t n = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), n);
  if (text.empty() || result.ec != std::errc() || result.ptr != text.data() + text.size()) return {};
  return Operand::of(n);
}

Operand to_string(const Operand& a) {
  if (a.is(Kind::string)) return a;
  if (a.is(Kind::boolean) || a.is_number()) return text_result(a.value().to_text());
  return {};
}

Operand extreme(const Operand& a, const Operand& b, bool smaller) {
  if (!a.is_number() || !b.is_number()) return {};
  return (order(b, a) == (smaller ? -1 : 1)) ? b : a;
}

Operand fold(const Operand& list, Arithmetic op, std::uint64_t& work) {
  if (!list.is(Kind::list)) return {};
  work += list.list->size();
  Operand total = Operand::of(std::int64_t{op == Arithmetic::multiply ? 1 : 0});
  for (const auto& v : *list.list) {
    const Operand item = Operand::borrow(v);
    if (item.is_unknown()) return item;
    if (!item.is_number()) return {};
    total = arithmetic(op, total, item);
  }
  return total;
}

Operand lcm(const Operand& a, const Operand& b) {
  if (!a.is_integer() || !b.is_integer()) return {};
  constexpr auto lowest = std::numeric_limits<std::int64_t>::min();
  if (a.integer == lowest || b.integer == lowest) return {};
  if (a.integer == 0 || b.integer == 0) return Operand::of(std::int64_t{0});
  const std::int64_t x = std::abs(a.integer), y = std::abs(b.integer);
  return arithmetic(Arithmetic::multiply, Operand::of(x / std::gcd(x, y)), Operand::of(y));
}

std::string_view last_part(std::string_view name) {
  const auto dot = name.rfind('.');
  return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

Operand range(const Operand& a, std::uint64_t& work) {
  if (!a.is_integer() || a.integer > max_range) return {};
  work += static_cast<std::uint64_t>(std::max<std::int64_t>(a.integer, 0));
  source::List list;
  for (std::int64_t i = 0; i < a.integer; ++i) list.emplace_back(i);
  return Operand::own(std::move(list));
}

Operand split(std::string_view text, std::string_view separator, std::uint64_t& work) {
  if (separator.empty()) return {};
  work += text.size();
  source::List parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end == std::string_view::npos ? end : end - begin));
    if (end == std::string_view::npos) break;
    begin = end + separator.size();
  }
  return Operand::own(std::move(parts));
}

Operand replace(std::string_view text, std::string_view from, std::string_view to, std::uint64_t& work) {
  if (from.empty()) return {};
  std::string out;
  for (std::size_t begin = 0;;) {
    const std::size_t end = text.find(from, begin);
    out += text.substr(begin, end == std::string_view::npos ? end : end - begin);
    if (end == std::string_view::npos) break;
    out += to;
    // Doubling replaced into itself again and again would grow without bound.
    if (out.size() > (1u << 20)) return {};
    begin = end + from.size();
  }
  work += out.size();
  return text_result(std::move(out));
}

std::optional<std::size_t> index_of(const source::List& list, const Operand& x, std::uint64_t& work) {
  work += list.size();
  for (std::size_t i = 0; i < list.size(); ++i)
    if (equal(Operand::borrow(list[i]), x)) return i;
  return std::nullopt;
}

Operand contains(const Operand& in, const Operand& x, std::uint64_t& work) {
  if (in.is(Kind::string))
    return Operand::of(x.is(Kind::string) && in.text.find(x.text) != std::string_view::npos);
  if (!in.is(Kind::list)) return Operand::of(false);
  if (index_of(*in.list, x, work)) return Operand::of(true);
  const bool open =
      std::any_of(in.list->begin(), in.list->end(), [](const auto& v) { return v.is_unknown(); });
  return open ? Operand::unknown() : Operand::of(false);
}

Operand unique(const Operand& in, std::uint64_t& work) {
  if (!in.is(Kind::list)) return {};
  source::List out;
  for (const auto& v : *in.list) {
    work += out.size();
    if (work > (1u << 24)) return Operand::unknown();
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  }
  return Operand::own(std::move(out));
}

/// Python's index: negative counts from the end.
std::optional<std::size_t> position(const Operand& index, std::size_t size) {
  if (!index.is_integer()) return std::nullopt;
  const std::int64_t i = index.integer < 0 ? index.integer + signed_size(size) : index.integer;
  if (i < 0 || i >= signed_size(size)) return std::nullopt;
  return static_cast<std::size_t>(i);
}

char letter(const Operand& a) {
  return a.is(Kind::string) && a.text.size() == 1 ? a.text[0] : '\0';
}

Operand layout(Fn fn, std::span<const Operand> args) {
  const auto parsed = parse_layout(args[0].value());
  if (fn == Fn::layout_valid) return Operand::of(parsed.has_value());
  if (!parsed) return {};
  const auto& stages = parsed->stages;
  switch (fn) {
    case Fn::layout_stages:
      return Operand::of(signed_size(stages.size()));
    case Fn::layout_count:
      return Operand::of(parsed->count(letter(args[1])));
    case Fn::layout_first:
    case Fn::layout_last: {
      const std::string flat = parsed->flat();
      if (flat.empty()) return text_result("");
      return text_result(std::string(1, fn == Fn::layout_first ? flat.front() : flat.back()));
    }
    default:
      break;
  }
  const auto stage = position(args[1], stages.size());
  if (!stage) return {};
  if (fn == Fn::layout_stage) return text_result(stages[*stage]);
  const auto& letters = stages[*stage];
  return Operand::of(static_cast<std::int64_t>(std::count(letters.begin(), letters.end(), letter(args[2]))));
}

Operand hybrid(Fn fn, std::span<const Operand> args, schema::Release release) {
  if (!args[0].is(Kind::string)) return fn == Fn::hybrid_valid ? Operand::of(false) : Operand();
  const auto parsed = parse_hybrid(args[0].text, release);
  switch (fn) {
    case Fn::hybrid_valid:
      return Operand::of(parsed.valid);
    case Fn::hybrid_layers:
      return Operand::of(parsed.layers());
    case Fn::hybrid_count:
      return Operand::of(parsed.count(letter(args[1])));
    case Fn::hybrid_stages:
      return Operand::of(signed_size(parsed.segments.size()));
    default:
      return Operand::of(parsed.mtp_depths);
  }
}

Operand text_method(Fn fn, std::span<const Operand> args, std::uint64_t& work) {
  const bool test = fn == Fn::starts_with || fn == Fn::ends_with;
  const bool texts =
      std::all_of(args.begin(), args.end(), [](const Operand& a) { return a.is(Kind::string); });
  if (!texts) return test ? Operand::of(false) : Operand();
  const auto s = args[0].text;
  switch (fn) {
    case Fn::starts_with:
      return Operand::of(s.substr(0, args[1].text.size()) == args[1].text);
    case Fn::ends_with:
      return Operand::of(s.size() >= args[1].text.size() &&
                         s.substr(s.size() - args[1].text.size()) == args[1].text);
    case Fn::split:
      return split(s, args[1].text, work);
    case Fn::lower:
      return text_result(lowered(s));
    default:
      return replace(s, args[1].text, args[2].text, work);
  }
}

Operand class_function(Fn fn, std::span<const Operand> args, const schema::Schema* schema) {
  if (!args[0].is(Kind::string)) return fn == Fn::subclass ? Operand::of(false) : Operand();
  const auto name = last_part(args[0].text);
  if (fn == Fn::class_name) {
    Operand o = args[0];
    o.owner = {};
    return args[0].owner.is_string() ? text_result(std::string(name)) : Operand::literal(name);
  }
  if (!args[1].is(Kind::string)) return Operand::of(false);
  const auto base = last_part(args[1].text);
  return Operand::of(name == base || (schema != nullptr && schema->is_subclass(name, base)));
}

Operand numeric(Fn fn, std::span<const Operand> args, std::uint64_t& work) {
  switch (fn) {
    case Fn::min:
    case Fn::max:
      return extreme(args[0], args[1], fn == Fn::min);
    case Fn::abs:
      if (!args[0].is_number()) return {};
      if (args[0].is_integer()) return args[0].integer < 0 ? negate(args[0]) : Operand::of(args[0].integer);
      return Operand::of(std::fabs(args[0].number));
    case Fn::sum:
      return fold(args[0], Arithmetic::add, work);
    case Fn::product:
      return fold(args[0], Arithmetic::multiply, work);
    case Fn::lcm:
      return lcm(args[0], args[1]);
    case Fn::range:
      return range(args[0], work);
    default:
      return to_int(args[0]);
  }
}

Operand size_of(const Operand& a) {
  if (a.is(Kind::string)) return Operand::of(signed_size(a.text.size()));
  return Operand::of(a.is(Kind::list) ? signed_size(a.list->size()) : std::int64_t{0});
}

}  // namespace

Operand call_builtin(Fn fn, std::span<const Operand> args, const schema::Schema* schema,
                     schema::Release release, std::uint64_t& work) {
  switch (fn) {
    case Fn::size:
      return size_of(args[0]);
    case Fn::to_string:
      return to_string(args[0]);
    case Fn::is_string:
      return Operand::of(args[0].is(Kind::string));
    case Fn::is_list:
      return Operand::of(args[0].is(Kind::list));
    case Fn::is_bool:
      return Operand::of(args[0].is(Kind::boolean));
    case Fn::is_int:
      return Operand::of(args[0].is(Kind::integer));
    case Fn::is_float:
      return Operand::of(args[0].is(Kind::floating));
    case Fn::class_name:
    case Fn::subclass:
      return class_function(fn, args, schema);
    case Fn::contains:
      return contains(args[0], args[1], work);
    case Fn::unique:
      return unique(args[0], work);
    case Fn::index_of: {
      if (!args[0].is(Kind::list)) return {};
      const auto found = index_of(*args[0].list, args[1], work);
      return found ? Operand::of(signed_size(*found)) : Operand();
    }
    case Fn::starts_with:
    case Fn::ends_with:
    case Fn::split:
    case Fn::lower:
    case Fn::replace:
      return text_method(fn, args, work);
    case Fn::layout_valid:
    case Fn::layout_stages:
    case Fn::layout_count:
    case Fn::layout_count_in:
    case Fn::layout_first:
    case Fn::layout_last:
    case Fn::layout_stage:
      return layout(fn, args);
    case Fn::hybrid_valid:
    case Fn::hybrid_layers:
    case Fn::hybrid_count:
    case Fn::hybrid_stages:
    case Fn::hybrid_mtp_depths:
      return hybrid(fn, args, release);
    default:
      return numeric(fn, args, work);
  }
}

}  // namespace headroom::lang
