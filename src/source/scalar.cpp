#include "scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <limits>

#include "chars.hpp"

// The patterns are those of PyYAML's resolver.py and OmegaConf's get_yaml_loader, written as scans:
// std::regex would take most of the reading time.
namespace headroom::source {
namespace {

/// A cursor over one scalar; each step consumes what it matches.
class Scan {
 public:
  explicit Scan(std::string_view text) : rest_(text) {}
  [[nodiscard]] bool done() const { return rest_.empty(); }
  [[nodiscard]] std::string_view rest() const { return rest_; }
  bool one_of(std::string_view set) {
    if (rest_.empty() || set.find(rest_.front()) == std::string_view::npos) return false;
    rest_.remove_prefix(1);
    return true;
  }
  template <class Predicate>
  std::size_t run(Predicate accepts) {
    std::size_t n = 0;
    while (n < rest_.size() && accepts(rest_[n])) ++n;
    rest_.remove_prefix(n);
    return n;
  }
  std::size_t digits() { return run(is_digit); }
  std::size_t digits_and_underscores() {
    return run([](char c) { return is_digit(c) || c == '_'; });
  }
  bool digit_then_underscores() {
    return !rest_.empty() && is_digit(rest_.front()) && digits_and_underscores() > 0;
  }
  bool word(std::string_view w) {
    if (!rest_.starts_with(w)) return false;
    rest_.remove_prefix(w.size());
    return true;
  }
  /// `(:[0-5]?[0-9])+`
  bool sexagesimal_groups() {
    bool any = false;
    while (!rest_.empty() && rest_.front() == ':') {
      std::string_view digits = rest_.substr(1, 2);
      std::size_t n = 0;
      if (digits.size() == 2 && digits[0] <= '5' && is_digit(digits[0]) && is_digit(digits[1])) {
        n = 2;
      } else if (!digits.empty() && is_digit(digits[0])) {
        n = 1;
      }
      if (n == 0) return false;
      rest_.remove_prefix(1 + n);
      any = true;
    }
    return any;
  }

 private:
  std::string_view rest_;
};

enum class Exponent { none, signed_only, any };

/// `[eE][-+]?[0-9]+`, the sign obligatory for PyYAML.
bool exponent(Scan& scan, Exponent form) {
  if (form == Exponent::none || !scan.one_of("eE")) return false;
  const bool has_sign = scan.one_of("-+");
  if (!has_sign && form == Exponent::signed_only) return false;
  return scan.digits() > 0;
}

bool is_infinity(std::string_view s) {
  Scan scan(s);
  scan.one_of("-+");
  return scan.word(".inf") || scan.word(".Inf") || scan.word(".INF") ? scan.done() : false;
}

bool is_nan(std::string_view s) {
  return s == ".nan" || s == ".NaN" || s == ".NAN";
}

/// `[-+]?[0-9][0-9_]*\.[0-9_]*(exponent)?`
bool is_point_float(std::string_view s, Exponent form) {
  Scan scan(s);
  scan.one_of("-+");
  if (!scan.digit_then_underscores() || !scan.one_of(".")) return false;
  scan.digits_and_underscores();
  return scan.done() || (exponent(scan, form) && scan.done());
}

bool is_sexagesimal_float(std::string_view s) {
  Scan scan(s);
  scan.one_of("-+");
  if (!scan.digit_then_underscores() || !scan.sexagesimal_groups() || !scan.one_of(".")) return false;
  scan.digits_and_underscores();
  return scan.done();
}

/// `\.[0-9][0-9_]*(exponent with sign)?`; OmegaConf also lets an underscore follow the point.
bool is_fraction(std::string_view s, bool underscore_first) {
  Scan scan(s);
  if (!scan.one_of(".")) return false;
  // `._` matches OmegaConf's pattern, but then Python's float() fails on it: no float either way.
  const std::string_view body = scan.rest();
  const std::size_t length = scan.digits_and_underscores();
  const std::size_t digit = body.substr(0, length).find_first_of("0123456789");
  if (digit == std::string_view::npos || (digit > 0 && !underscore_first)) return false;
  return scan.done() || (exponent(scan, Exponent::signed_only) && scan.done());
}

bool is_exponent_float(std::string_view s) {
  Scan scan(s);
  scan.one_of("-+");
  return scan.digit_then_underscores() && exponent(scan, Exponent::any) && scan.done();
}

bool is_yaml_float(std::string_view s, Loader loader) {
  const bool py = is_point_float(s, Exponent::signed_only) || is_fraction(s, false) ||
                  is_sexagesimal_float(s) || is_infinity(s) || is_nan(s);
  if (py || loader != Loader::omega_conf) return py;
  return is_point_float(s, Exponent::any) || is_exponent_float(s) || is_fraction(s, true);
}

enum class IntForm { none, binary, octal, decimal, hexadecimal, sexagesimal };

IntForm int_form(std::string_view s) {
  Scan scan(s);
  scan.one_of("-+");
  const std::string_view body = scan.rest();
  const auto whole = [](std::string_view digits, auto accepts) {
    return !digits.empty() && std::all_of(digits.begin(), digits.end(), accepts);
  };
  if (body.empty() || !is_digit(body[0])) return IntForm::none;
  const bool zero = body[0] == '0';
  if (zero && body.size() > 2 && body[1] == 'b') {
    return whole(body.substr(2), [](char c) { return c == '0' || c == '1' || c == '_'; }) ? IntForm::binary
                                                                                          : IntForm::none;
  }
  if (zero && body.size() > 2 && body[1] == 'x') {
    return whole(body.substr(2), [](char c) { return is_hex_digit(c) || c == '_'; }) ? IntForm::hexadecimal
                                                                                     : IntForm::none;
  }
  if (zero && body.size() > 1) {
    return whole(body.substr(1), [](char c) { return is_octal_digit(c) || c == '_'; }) ? IntForm::octal
                                                                                       : IntForm::none;
  }
  scan.digits_and_underscores();
  if (scan.done()) return IntForm::decimal;
  return !zero && scan.sexagesimal_groups() && scan.done() ? IntForm::sexagesimal : IntForm::none;
}

std::string without_underscores(std::string_view s) {
  std::string out(s);
  std::erase(out, '_');
  return out;
}

/// Digits in `base`; a double where 64 bits do not hold it (Python's integers have no limit).
std::optional<Value> integer_in_base(std::string_view digits, int base, bool negative) {
  if (digits.empty()) return std::nullopt;
  std::uint64_t value = 0;
  double approximate = 0;
  bool fits = true;
  for (const char c : digits) {
    const int digit = is_digit(c) ? c - '0' : lower(c) - 'a' + 10;
    if (digit >= base) return std::nullopt;
    approximate = approximate * base + digit;
    fits =
        fits && value <= (std::numeric_limits<std::uint64_t>::max() - 36) / static_cast<std::uint64_t>(base);
    if (fits) value = value * static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(digit);
  }
  const auto limit = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  if (fits && value <= limit) {
    const auto signed_value = static_cast<std::int64_t>(value);
    return Value(negative ? -signed_value : signed_value);
  }
  if (fits && negative && value == limit + 1) return Value(std::numeric_limits<std::int64_t>::min());
  if (base == 10) approximate = to_double(std::string(digits));
  return Value(negative ? -approximate : approximate);
}

double sexagesimal(std::string_view body) {
  double total = 0;
  while (!body.empty()) {
    const std::size_t colon = body.find(':');
    total = total * 60 + to_double(std::string(body.substr(0, colon)));
    body = colon == std::string_view::npos ? std::string_view{} : body.substr(colon + 1);
  }
  return total;
}

std::optional<Value> yaml_int(std::string_view text) {
  const std::string clean = without_underscores(text);
  std::string_view body = clean;
  const bool negative = body.starts_with('-');
  if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
  switch (int_form(text)) {
    case IntForm::none:
      return std::nullopt;
    case IntForm::binary:
      return integer_in_base(body.substr(2), 2, negative);
    case IntForm::hexadecimal:
      return integer_in_base(body.substr(2), 16, negative);
    case IntForm::octal:
      return body == "0" ? Value(0) : integer_in_base(body, 8, negative);
    case IntForm::decimal:
      return integer_in_base(body, 10, negative);
    case IntForm::sexagesimal:
      break;
  }
  const double total = negative ? -sexagesimal(body) : sexagesimal(body);
  if (total > -9e18 && total < 9e18) return Value(static_cast<std::int64_t>(total));
  return Value(total);
}

double yaml_float(std::string_view text) {
  std::string clean = without_underscores(text);
  const bool negative = clean.starts_with('-');
  std::string_view body = clean;
  if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
  double value = 0;
  if (equals_ignoring_case(body, ".inf")) {
    value = std::numeric_limits<double>::infinity();
  } else if (equals_ignoring_case(body, ".nan")) {
    value = std::numeric_limits<double>::quiet_NaN();
  } else if (body.find(':') != std::string_view::npos) {
    value = sexagesimal(body);
  } else {
    value = to_double(std::string(body));
  }
  return negative ? -value : value;
}

std::optional<bool> yaml_bool(std::string_view s) {
  if (s.size() < 2 || s.size() > 5) return std::nullopt;
  static constexpr std::array<std::string_view, 9> truths = {"true", "True", "TRUE", "yes", "Yes",
                                                             "YES",  "on",   "On",   "ON"};
  static constexpr std::array<std::string_view, 9> lies = {"false", "False", "FALSE", "no", "No",
                                                           "NO",    "off",   "Off",   "OFF"};
  if (std::find(truths.begin(), truths.end(), s) != truths.end()) return true;
  if (std::find(lies.begin(), lies.end(), s) != lies.end()) return false;
  return std::nullopt;
}

bool yaml_null(std::string_view s) {
  return s.empty() || s == "~" || s == "null" || s == "Null" || s == "NULL";
}

bool may_start_number(char c) {
  return is_digit(c) || c == '-' || c == '+' || c == '.';
}

Value resolve_yaml(std::string_view text, Loader loader) {
  if (yaml_null(text)) return {};
  if (const auto truth = yaml_bool(text)) return {*truth};
  if (may_start_number(text.front())) {
    if (is_yaml_float(text, loader)) return {yaml_float(text)};
    if (const auto number = yaml_int(text)) return *number;
  }
  return {text};
}

Value resolve_json(std::string_view text) {
  if (text == "null") return {};
  if (text == "true") return {true};
  if (text == "false") return {false};
  Scan scan(text);
  const bool negative = scan.one_of("-");
  const std::string_view digits = scan.rest();
  if (scan.digits() == 0 || (digits[0] == '0' && digits.size() > 1 && is_digit(digits[1]))) return {text};
  if (scan.done()) return *integer_in_base(digits, 10, negative);
  if (scan.one_of(".") && scan.digits() == 0) return {text};
  if (!scan.done() && !(exponent(scan, Exponent::any) && scan.done())) return {text};
  return {to_double(std::string(text))};
}

/// Hydra's INT_UNSIGNED tail: digits with single underscores between them.
std::size_t grouped_digits(Scan& scan) {
  std::size_t count = 0;
  while (true) {
    Scan ahead = scan;
    if (count > 0) ahead.one_of("_");
    if (!ahead.one_of("0123456789")) return count;
    scan = ahead;
    ++count;
  }
}

/// `0 | [1-9] (_? digit)*`
bool unsigned_int(Scan& scan) {
  if (scan.one_of("0")) return true;
  return !scan.rest().empty() && is_digit(scan.rest().front()) && grouped_digits(scan) > 0;
}

bool is_hydra_float(std::string_view s) {
  Scan scan(s);
  scan.one_of("-+");
  if (equals_ignoring_case(scan.rest(), "inf") || equals_ignoring_case(scan.rest(), "nan")) return true;
  const bool whole = unsigned_int(scan);
  const bool point = scan.one_of(".");
  const std::size_t fraction = point ? grouped_digits(scan) : 0;
  if (!whole && fraction == 0) return false;
  if (scan.done()) return point;
  if (!scan.one_of("eE")) return false;
  scan.one_of("-+");
  return grouped_digits(scan) > 0 && scan.done();
}

bool reads_as_number(std::string_view s) {
  std::string_view body = s;
  if (body.starts_with('-') || body.starts_with('+')) body.remove_prefix(1);
  if (equals_ignoring_case(body, "inf") || equals_ignoring_case(body, "nan") ||
      equals_ignoring_case(body, "infinity")) {
    return true;
  }
  if (body.starts_with("0o") && body.size() > 2) {
    return std::all_of(body.begin() + 2, body.end(), is_octal_digit);
  }
  Scan scan(body);
  const std::size_t whole = scan.digits();
  const std::size_t fraction = scan.one_of(".") ? scan.digits() : 0;
  if (whole + fraction == 0) return false;
  return scan.done() || (exponent(scan, Exponent::any) && scan.done());
}

}  // namespace

double to_double(const std::string& text) {
  return std::strtod(text.c_str(), nullptr);
}

Value resolve_hydra(std::string_view text) {
  if (equals_ignoring_case(text, "null")) return {};
  if (equals_ignoring_case(text, "true")) return {true};
  if (equals_ignoring_case(text, "false")) return {false};
  Scan scan(text);
  scan.one_of("-+");
  const std::string clean = without_underscores(text);
  if (unsigned_int(scan) && scan.done()) {
    const bool negative = clean[0] == '-';
    const bool sign = negative || clean[0] == '+';
    return *integer_in_base(std::string_view(clean).substr(sign ? 1 : 0), 10, negative);
  }
  if (is_hydra_float(text)) return {to_double(clean)};
  return {text};
}

Value resolve_scalar(std::string_view text, Loader loader) {
  switch (loader) {
    case Loader::json:
      return resolve_json(text);
    case Loader::hydra:
      return resolve_hydra(text);
    default:
      return resolve_yaml(text, loader);
  }
}

bool is_scalar_tag(std::string_view tag) {
  static constexpr std::array<std::string_view, 8> known = {"!",      "!!str",  "!!int",    "!!float",
                                                            "!!bool", "!!null", "!!binary", "!!timestamp"};
  return std::find(known.begin(), known.end(), tag) != known.end();
}

bool is_collection_tag(std::string_view tag, NodeKind kind) {
  if (tag == "!") return true;
  if (kind == NodeKind::mapping) return tag == "!!map" || tag == "!!set";
  return tag == "!!seq" || tag == "!!omap" || tag == "!!pairs";
}

std::optional<Value> resolve_tagged(std::string_view text, std::string_view tag, Loader loader) {
  if (tag == "!") return resolve_yaml(text, loader);
  if (tag == "!!null") return Value();
  if (tag == "!!bool") {
    std::string low(text);
    std::transform(low.begin(), low.end(), low.begin(), lower);
    const auto truth = yaml_bool(low);
    return truth ? std::optional<Value>(*truth) : std::nullopt;
  }
  if (tag == "!!int") return yaml_int(text);
  if (tag == "!!float") {
    if (is_yaml_float(text, Loader::omega_conf) || int_form(text) == IntForm::decimal)
      return Value(yaml_float(text));
    return std::nullopt;
  }
  return Value(text);
}

std::optional<Surprise> surprise_in(std::string_view text, const Value& value, Loader loader) {
  if (loader == Loader::json || loader == Loader::hydra || text.empty()) return std::nullopt;
  const std::string_view who = loader == Loader::omega_conf ? "OmegaConf" : "PyYAML";
  const auto reads = [&](std::string_view as) {
    return Surprise{Remark::Kind::surprising_scalar, fmt::format("{} reads `{}` as {}", who, text, as)};
  };
  if (value.is_string()) {
    if (!reads_as_number(text)) return std::nullopt;
    return Surprise{Remark::Kind::number_is_string,
                    fmt::format("{} reads `{}` as a string, not as a number", who, text)};
  }
  if (value.is_bool()) {
    return lower(text[0]) == 't' || lower(text[0]) == 'f' ? std::nullopt
                                                          : std::optional(reads(value.to_text()));
  }
  if (!value.is_number()) return std::nullopt;
  const bool odd = text.find_first_of(":_") != std::string_view::npos || int_form(text) == IntForm::octal;
  return odd ? std::optional(reads("the number " + value.to_text())) : std::nullopt;
}

}  // namespace headroom::source
