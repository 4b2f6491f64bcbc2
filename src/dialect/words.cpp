#include "words.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "headroom/lang/layout.hpp"
#include "headroom/source/document.hpp"

namespace headroom::dialect {

using schema::WordType;
using source::List;
using source::Value;

namespace {

std::string_view trimmed(std::string_view s) {
  constexpr std::string_view blank = " \t\r\n";
  const std::size_t begin = s.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blank) - begin + 1);
}

/// Python's int(): blanks around, a sign, digits with single underscores between them.
std::optional<std::int64_t> whole_number(std::string_view word) {
  std::string digits;
  word = trimmed(word);
  bool after_digit = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const char c = word[i];
    if (c >= '0' && c <= '9') {
      digits += c;
    } else if (c == '_' && after_digit && i + 1 < word.size()) {
      after_digit = false;
      continue;
    } else if (!(i == 0 && (c == '-' || c == '+'))) {
      return std::nullopt;
    } else if (c == '-') {
      digits += c;
    }
    after_digit = c >= '0' && c <= '9';
  }
  std::int64_t out = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), out);
  if (digits.empty() || error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return out;
}

std::optional<double> real_number(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with('+')) word.remove_prefix(1);
  double out = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), out);
  if (word.empty() || error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  return out;
}

std::optional<Value> truth(std::string_view word) {
  constexpr std::array<std::string_view, 5> yes{"true", "1", "yes", "t", "y"};
  constexpr std::array<std::string_view, 5> no{"false", "0", "no", "f", "n"};
  std::string lower(trimmed(word));
  std::ranges::transform(lower, lower.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (std::ranges::find(yes, lower) != yes.end()) return Value(true);
  if (std::ranges::find(no, lower) != no.end()) return Value(false);
  return std::nullopt;
}

/// `[0]*3+([1]*2)*4`: lists of whole numbers, sums and multiples, brackets.
class PythonList {
 public:
  explicit PythonList(std::string_view text) : rest_(text) {}

  std::optional<List> read() {
    auto out = sum(0);
    skip();
    return rest_.empty() ? out : std::nullopt;
  }

 private:
  static constexpr std::size_t most_items = 100'000;
  static constexpr int most_depth = 20;

  void skip() {
    while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\t')) rest_.remove_prefix(1);
  }
  bool take(char c) {
    skip();
    if (rest_.empty() || rest_.front() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  std::optional<std::int64_t> number() {
    skip();
    const std::size_t end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    auto out = whole_number(rest_.substr(0, end));
    rest_.remove_prefix(end);
    return out;
  }
  // NOLINTNEXTLINE(misc-no-recursion): bounded by most_depth
  std::optional<List> sum(int depth) {
    auto out = product(depth);
    while (out && take('+')) {
      const auto more = product(depth);
      if (!more || out->size() + more->size() > most_items) return std::nullopt;
      out->insert(out->end(), more->begin(), more->end());
    }
    return out;
  }
  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<List> product(int depth) {
    auto out = atom(depth);
    while (out && take('*')) {
      const auto times = number();
      if (!times || static_cast<std::uint64_t>(*times) * std::max<std::size_t>(out->size(), 1) > most_items)
        return std::nullopt;
      const List once = *out;
      out->clear();
      for (std::int64_t i = 0; i < *times; ++i) out->insert(out->end(), once.begin(), once.end());
    }
    return out;
  }
  // NOLINTNEXTLINE(misc-no-recursion)
  std::optional<List> atom(int depth) {
    if (depth > most_depth) return std::nullopt;
    if (take('(')) {
      auto out = sum(depth + 1);
      return out && take(')') ? out : std::nullopt;
    }
    if (!take('[')) return std::nullopt;
    List out;
    if (take(']')) return out;
    do {
      const auto n = number();
      if (!n) return std::nullopt;
      out.emplace_back(*n);
    } while (take(','));
    return take(']') ? std::optional(std::move(out)) : std::nullopt;
  }

  std::string_view rest_;
};

/// Megatron-LM's frequencies: a number, or a list in Python's notation.
std::optional<Value> frequency(std::string_view word) {
  if (auto number = whole_number(word)) return Value(*number);
  if (auto list = python_list(word)) return Value(std::move(*list));
  return std::nullopt;
}

/// `127,0` and `(127, 0)`.
std::optional<Value> whole_numbers(std::string_view word) {
  word = trimmed(word);
  if (word.starts_with('(') && word.ends_with(')')) word = word.substr(1, word.size() - 2);
  List out;
  while (true) {
    const std::size_t comma = std::min(word.find(','), word.size());
    const auto number = whole_number(word.substr(0, comma));
    if (!number) return std::nullopt;
    out.emplace_back(*number);
    if (comma == word.size()) return Value(std::move(out));
    word.remove_prefix(comma + 1);
  }
}

/// Runs of equal items: `([0]*3+[1]*45)`.
std::string python_text(const List& list) {
  std::string out;
  for (std::size_t i = 0; i < list.size();) {
    std::size_t end = i + 1;
    while (end < list.size() && list[end] == list[i]) ++end;
    const Value& v = list[i];
    out += (out.empty() ? "[" : "+[") + (v.is_bool() ? (v.as_bool() ? "1" : "0") : v.to_text()) + "]";
    if (end - i > 1) out += "*" + std::to_string(end - i);
    i = end;
  }
  return "(" + out + ")";
}

/// `Et*3|t*4|mL`: the letters of every stage, runs counted.
std::string layout_text(const lang::PipelineLayout& layout) {
  std::string out;
  for (const std::string& stage : layout.stages) {
    if (&stage != &layout.stages.front()) out += '|';
    for (std::size_t i = 0; i < stage.size();) {
      std::size_t end = std::min(stage.find_first_not_of(stage[i], i), stage.size());
      out += stage[i];
      if (end - i > 1) out += "*" + std::to_string(end - i);
      i = end;
    }
  }
  return out;
}

bool is_list_of_lists(const Value& v) {
  return v.is_list() && !v.as_list().empty() && v.as_list().front().is_list();
}

}  // namespace

std::optional<List> python_list(std::string_view text) {
  return PythonList(trimmed(text)).read();
}

std::optional<Value> typed_word(std::string_view word, WordType type) {
  switch (type) {
    case WordType::integer: {
      const auto number = whole_number(word);
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    case WordType::floating: {
      const auto number = real_number(word);
      return number ? std::optional(Value(*number)) : std::nullopt;
    }
    case WordType::text:
      return Value(word);
    case WordType::boolean:
      return truth(word);
    case WordType::json:
      return Value(source::Opaque{});
    case WordType::frequency:
      return frequency(word);
    case WordType::tuple:
      return whole_numbers(word);
  }
  return std::nullopt;
}

Value sayable(Value value, const schema::DialectRow& row) {
  const bool one_word = row.arity == schema::Arity::one;
  if (value.is_double() && row.type == WordType::integer) {
    const auto whole = static_cast<std::int64_t>(value.as_double());
    return static_cast<double>(whole) == value.as_double() ? Value(whole) : value;
  }
  if (!value.is_list() || !one_word) return value;
  if (row.type == WordType::frequency) return Value(python_text(value.as_list()));
  if (row.type == WordType::tuple) {
    std::string out;
    for (const Value& item : value.as_list()) out += (out.empty() ? "" : ",") + item.to_text();
    return Value(out);
  }
  if (is_list_of_lists(value)) {
    if (const auto layout = lang::parse_layout(value)) return Value(layout_text(*layout));
  }
  return value;
}

Value typed_value(Value value, const schema::DialectRow& row) {
  if (value.is_string()) {
    auto typed = typed_word(value.as_string(), row.type);
    return typed ? std::move(*typed) : value;
  }
  return value;
}

std::string_view words_for(WordType type) {
  switch (type) {
    case WordType::integer:
      return "a whole number";
    case WordType::floating:
      return "a number";
    case WordType::boolean:
      return "true or false";
    case WordType::frequency:
      return "a whole number or a list such as ([0]*3+[1]*45)";
    case WordType::tuple:
      return "whole numbers such as 127,0";
    case WordType::text:
    case WordType::json:
      break;
  }
  return "a word";
}

}  // namespace headroom::dialect
