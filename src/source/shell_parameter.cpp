// `${name…}`: values, defaults, and the changes that an expansion makes to them.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "chars.hpp"
#include "shell_expand.hpp"

namespace headroom::source {

namespace {

constexpr std::size_t longest_pattern_text = 4096;
constexpr std::size_t max_pattern_cost = 1u << 22;

std::string shown(const std::string& name) {
  return !name.empty() && is_digit(name.front()) ? "$" + name : name;
}

/// Index behind a `[…]` at `p` of the pattern and whether it holds `c`; `p` where it is none.
std::pair<std::size_t, bool> match_class(const Glyphs& pattern, std::size_t p, char c) {
  std::size_t q = p + 1;
  const bool negated = q < pattern.size() && (pattern[q].c == '!' || pattern[q].c == '^');
  if (negated) ++q;
  bool found = false;
  for (const std::size_t first = q; q < pattern.size() && (pattern[q].c != ']' || q == first); ++q) {
    const bool range = q + 2 < pattern.size() && pattern[q + 1].c == '-' && pattern[q + 2].c != ']';
    found = found || (range ? pattern[q].c <= c && c <= pattern[q + 2].c : pattern[q].c == c);
    if (range) q += 2;
  }
  if (q >= pattern.size()) return {p, false};
  return {q + 1, found != negated};
}

}  // namespace

bool glob_match(const Glyphs& pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t star_text = 0;
  while (t < text.size() || p < pattern.size()) {
    const bool special = p < pattern.size() && !pattern[p].quoted;
    if (special && pattern[p].c == '*') {
      star = p++;
      star_text = t;
      continue;
    }
    if (p < pattern.size() && t < text.size()) {
      if (special && pattern[p].c == '[') {
        const auto [next, holds] = match_class(pattern, p, text[t]);
        if (next > p && holds) {
          p = next;
          ++t;
          continue;
        }
      }
      if ((special && pattern[p].c == '?') || pattern[p].c == text[t]) {
        ++p;
        ++t;
        continue;
      }
    }
    if (star == std::string_view::npos || star_text >= text.size()) return false;
    p = star + 1;
    t = ++star_text;
  }
  return true;
}

ShellExpander::Value ShellExpander::positional(const ShellPart& part, const std::string& name) {
  Value value;
  value.kind = Value::Kind::absent;
  if (!state_.positionals) return value;
  const std::vector<Field>& all = *state_.positionals;
  std::size_t bytes = all.size();
  for (const Field& field : all) bytes += field.glyphs.size();
  if (!state_.spend(bytes)) return value;
  if (name == "#") return computed_number(part, all.size(), 0);
  if (name == "@" || name == "*") {
    value.kind = Value::Kind::list;
    value.list = all;
    return value;
  }
  std::size_t index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  if (error != std::errc() || end != name.data() + name.size() || index == 0) return value;
  value.kind = index <= all.size() ? Value::Kind::text : Value::Kind::unset;
  if (index <= all.size()) value.glyphs = all[index - 1].glyphs;
  return value;
}

ShellExpander::Value ShellExpander::element(const ShellParameter& parameter, const ShellVariable& variable) {
  const ShellValue& stored = *variable.value;
  Value value;
  value.given = stored.given;
  if (stored.state == ShellValue::State::unknown) return value;
  if (stored.state == ShellValue::State::unset) {
    value.kind = Value::Kind::unset;
    return value;
  }
  using Subscript = ShellParameter::Subscript;
  if (parameter.subscript == Subscript::at || parameter.subscript == Subscript::star) {
    std::size_t bytes = stored.fields.size();
    for (const Field& field : stored.fields) bytes += field.glyphs.size();
    if (!state_.spend(bytes)) return value;
    value.kind = Value::Kind::list;
    value.list = stored.fields;
    return value;
  }
  std::size_t index = 0;
  if (parameter.subscript == Subscript::index) {
    std::uint32_t given = 0;
    const auto number = arithmetic(parameter.index, given);
    if (!number || *number < 0) return value;
    index = static_cast<std::size_t>(*number);
    value.given = state_.givens.join(value.given, given);
  }
  value.kind = index < stored.fields.size() ? Value::Kind::text : Value::Kind::unset;
  if (value.kind == Value::Kind::text) {
    if (!state_.spend(stored.fields[index].glyphs.size())) return Value{};
    value.glyphs = stored.fields[index].glyphs;
    // An element that may be several words makes the count unknown.
    const bool open =
        stored.state == ShellValue::State::array && !is_known(value.glyphs) && value.glyphs.front().loose;
    if (open) value = Value{};
  }
  return value;
}

ShellExpander::Value ShellExpander::look_up(const ShellPart& part, const ShellParameter& parameter) {
  if (parameter.indirect) return Value{};
  if (parameter.name.empty() || !(is_alpha(parameter.name.front()) || parameter.name.front() == '_')) {
    return positional(part, parameter.name);
  }
  const ShellVariable* variable = state_.find(parameter.name);
  if (variable == nullptr || variable->value == nullptr) {
    Value value;
    value.kind = Value::Kind::absent;
    return value;
  }
  return element(parameter, *variable);
}

ShellExpander::Value ShellExpander::evaluate(const ShellPart& part) {
  const ShellParameter& parameter = *part.parameter;
  Value value = look_up(part, parameter);
  if (parameter.length) return length(part, parameter, value);
  if (parameter.op.empty()) return value;
  const std::string& op = parameter.op;
  if (op == "?@") {
    state_.note(Unevaluated::Kind::parameter, text_.span(part.begin, part.end));
    return Value{};
  }
  const char last = op.back();
  if (op != ":" && (last == '-' || last == '=' || last == '+' || last == '?')) {
    return with_default(parameter, std::move(value));
  }
  if (value.kind == Value::Kind::unset || value.kind == Value::Kind::absent) return value;
  const bool plain = value.kind == Value::Kind::text && is_known(value.glyphs) &&
                     value.glyphs.size() <= longest_pattern_text;
  if (plain && op == ":") return substring(parameter, std::move(value));
  if (plain && op.front() == '/') return replaced(parameter, std::move(value));
  if (plain) return changed(parameter, std::move(value));
  state_.note(Unevaluated::Kind::parameter, text_.span(part.begin, part.end));
  return Value{};
}

ShellExpander::Value ShellExpander::operand(const ShellParameter& parameter, std::size_t index) {
  Value value;
  value.kind = Value::Kind::text;
  if (index < parameter.operands.size()) value.glyphs = whole(parameter.operands[index]).glyphs;
  return value;
}

/// `:-`, `-`, `:=`, `=`, `:+`, `+`, `:?`, `?`. A variable that only the environment could have set is taken
/// as not set, which is an assumption.
ShellExpander::Value ShellExpander::with_default(const ShellParameter& parameter, Value value) {
  const bool also_empty = parameter.op.size() == 2;
  const char kind = parameter.op.back();
  const bool list = value.kind == Value::Kind::list;
  const bool empty =
      list ? value.list.empty() : value.kind == Value::Kind::text && value.glyphs.empty() && also_empty;
  const bool absent = value.kind == Value::Kind::absent;
  const bool missing = absent || value.kind == Value::Kind::unset || empty;
  if (value.kind == Value::Kind::unknown || kind == '?') return value;
  if (kind == '+') {
    if (!missing) return is_known(value.glyphs) ? operand(parameter, 0) : Value{};
    Value none;
    none.kind = Value::Kind::text;
    none.given = value.given;
    if (absent) {
      // Nothing carries the assumption into the word: it is listed.
      none.given = state_.assume(fmt::format("{} is taken as not set", shown(parameter.name)));
    }
    return none;
  }
  if (!missing) return value;
  const std::uint32_t given = value.given;
  value = operand(parameter, 0);
  value.given = given;
  if (absent && is_known(value.glyphs)) {
    const std::string text = text_of(value.glyphs);
    value.given = state_.assume(text.empty() ? fmt::format("{} is taken as not set", shown(parameter.name))
                                             : fmt::format("{} is taken as its default {}",
                                                           shown(parameter.name), text.substr(0, 200)));
  }
  if (kind == '=' && parameter.subscript == ShellParameter::Subscript::none) {
    ShellVariable variable;
    if (const ShellVariable* before = state_.find(parameter.name)) variable = *before;
    auto stored = std::make_shared<ShellValue>();
    stored->state = ShellValue::State::scalar;
    stored->given = value.given;
    stored->fields.push_back({value.glyphs, {}, false});
    variable.value = std::move(stored);
    state_.set(parameter.name, std::move(variable));
  }
  return value;
}

/// `${X%…}`, `${X##…}`, `${X,,}`, `${X^}`.
ShellExpander::Value ShellExpander::changed(const ShellParameter& parameter, Value value) {
  const std::string& op = parameter.op;
  const Value pattern = operand(parameter, 0);
  if (!is_known(pattern.glyphs)) return Value{};
  if (op.front() == '^' || op.front() == ',') {
    if (!pattern.glyphs.empty()) return Value{};
    for (std::size_t i = 0;
         i < (op.size() == 2 ? value.glyphs.size() : std::min<std::size_t>(1, value.glyphs.size())); ++i) {
      char& c = value.glyphs[i].c;
      const char other = op.front() == ','              ? lower(c)
                         : is_alpha(c) && c == lower(c) ? static_cast<char>(c - 'a' + 'A')
                                                        : c;
      value.glyphs[i].computed = value.glyphs[i].computed || other != c;
      c = other;
    }
    return value;
  }
  const std::size_t cost =
      (value.glyphs.size() + 1) * (value.glyphs.size() + 1) * (pattern.glyphs.size() + 1);
  if (cost > max_pattern_cost || !state_.spend(cost / 64)) return Value{};
  const bool prefix = op.front() == '#';
  const bool longest = op.size() == 2;
  const std::string text = text_of(value.glyphs);
  const std::size_t size = text.size();
  for (std::size_t i = 0; i <= size; ++i) {
    const std::size_t length = longest ? size - i : i;
    const std::string_view candidate =
        prefix ? std::string_view(text).substr(0, length) : std::string_view(text).substr(size - length);
    if (!glob_match(pattern.glyphs, candidate)) continue;
    const auto begin = value.glyphs.begin() + static_cast<std::ptrdiff_t>(prefix ? 0 : size - length);
    value.glyphs.erase(begin, begin + static_cast<std::ptrdiff_t>(length));
    break;
  }
  return value;
}

/// `${X/a/b}` and `${X//a/b}` where `a` holds no pattern.
ShellExpander::Value ShellExpander::replaced(const ShellParameter& parameter, Value value) {
  const Value pattern = operand(parameter, 0);
  const Value with = operand(parameter, 1);
  const bool plain = is_known(pattern.glyphs) && is_known(with.glyphs) && !pattern.glyphs.empty() &&
                     std::none_of(pattern.glyphs.begin(), pattern.glyphs.end(), [](const Glyph& g) {
                       return !g.quoted && (g.c == '*' || g.c == '?' || g.c == '[');
                     });
  if (!plain || (parameter.op != "/" && parameter.op != "//")) return Value{};
  const std::string text = text_of(value.glyphs);
  const std::string wanted = text_of(pattern.glyphs);
  Glyphs out;
  std::size_t at = 0;
  bool more = true;
  while (at < text.size()) {
    if (!more || text.compare(at, wanted.size(), wanted) != 0) {
      out.push_back(value.glyphs[at++]);
      continue;
    }
    if (!state_.spend(with.glyphs.size())) return Value{};
    out.insert(out.end(), with.glyphs.begin(), with.glyphs.end());
    at += wanted.size();
    more = parameter.op == "//";
  }
  value.glyphs = std::move(out);
  return value;
}

/// `${X:offset:length}`
ShellExpander::Value ShellExpander::substring(const ShellParameter& parameter, Value value) {
  const std::string text = text_of(operand(parameter, 0).glyphs);
  const std::size_t colon = std::min(text.find(':'), text.size());
  const auto number = [&](std::string_view digits, std::int64_t& out) {
    while (!digits.empty() && is_blank(digits.front())) digits.remove_prefix(1);
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
    return error == std::errc() && end == digits.data() + digits.size();
  };
  const auto size = static_cast<std::int64_t>(value.glyphs.size());
  std::int64_t offset = 0;
  std::int64_t count = size;
  if (!number(std::string_view(text).substr(0, colon), offset)) return Value{};
  if (colon < text.size() && !number(std::string_view(text).substr(colon + 1), count)) return Value{};
  if (offset < 0) offset += size;
  if (offset < 0 || count < 0) return Value{};
  offset = std::min(offset, size);
  count = std::min(count, size - offset);
  value.glyphs = Glyphs(value.glyphs.begin() + offset, value.glyphs.begin() + offset + count);
  return value;
}

/// `${#X}`, `${#A[@]}`
ShellExpander::Value ShellExpander::length(const ShellPart& part, const ShellParameter& parameter,
                                           const Value& value) {
  using Kind = Value::Kind;
  if (value.kind == Kind::absent || value.kind == Kind::unknown || !parameter.op.empty()) return value;
  if (value.kind == Kind::text && !is_known(value.glyphs)) return Value{};
  for (const Field& field : value.list) {
    if (!is_known(field.glyphs)) return Value{};
  }
  std::size_t count = value.list.size();
  if (value.kind == Kind::text) {
    count =
        static_cast<std::size_t>(std::count_if(value.glyphs.begin(), value.glyphs.end(), [](const Glyph& g) {
          return (static_cast<unsigned char>(g.c) & 0xC0U) != 0x80U;
        }));
  }
  return computed_number(part, count, value.given);
}

ShellExpander::Value ShellExpander::computed_number(const ShellPart& part, std::size_t number,
                                                    std::uint32_t given) {
  Value out;
  out.kind = Value::Kind::text;
  out.given = given;
  for (const char c : std::to_string(number)) {
    Glyph glyph;
    glyph.c = c;
    glyph.computed = true;
    glyph.site = site_of(part);
    out.glyphs.push_back(glyph);
  }
  return out;
}

}  // namespace headroom::source
