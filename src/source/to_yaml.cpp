#include <fmt/format.h>

#include <cmath>

#include "chars.hpp"
#include "headroom/source/edit.hpp"

namespace headroom::source {
namespace {

bool is_plain_first(char c) {
  return is_alpha(c) || is_digit(c) || c == '_' || c == '/' || c == '.' || c == '$';
}

/// Whether `text` can stand without quotes, in block and in flow context, and every YAML loader reads a
/// string.
bool is_plain_safe(std::string_view text) {
  if (text.empty() || !is_plain_first(text.front()) || text.back() == ' ' || text.back() == ':') return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return false;
    if (std::string_view(",[]{}\"'`").find(c) != std::string_view::npos) return false;
    if (c == '#' && text[i - 1] == ' ') return false;
    if (c == ':' && text[i + 1] == ' ') return false;
  }
  if (text.starts_with("...") || static_cast<unsigned char>(text.front()) >= 0x80) return false;
  return resolve_scalar(text, Loader::py_yaml).is_string() &&
         resolve_scalar(text, Loader::omega_conf).is_string();
}

bool has_control(std::string_view text) {
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) return true;
  }
  return text.find("\xC2") != std::string_view::npos || text.find("\xE2\x80") != std::string_view::npos ||
         text.find("\xEF") !=
             std::string_view::npos;  // U+0085, U+2028, the byte order mark: breaks to some readers
}

/// Double quotes with JSON's escapes, which YAML has too. `\x7f` is written as \u007f for both.
std::string double_quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      out += '\\';
      out += c;
    } else if (c == '\n') {
      out += "\\n";
    } else if (c == '\t') {
      out += "\\t";
    } else if (c == '\r') {
      out += "\\r";
    } else if (byte < 0x20 || byte == 0x7F) {
      out += fmt::format("\\u{:04x}", byte);
    } else {
      out += c;
    }
  }
  return out + '"';
}

std::string single_quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out.append(c == '\'' ? 2 : 1, c);
  return out + '\'';
}

std::string write_string(std::string_view text, Loader loader) {
  if (loader == Loader::json) return double_quoted(text);
  if (loader == Loader::hydra) {
    const auto word = parse_override(fmt::format("k={}", text), "");
    if (!text.empty() && word && word->value == Value(text)) return std::string(text);
    std::string out = "'";
    for (std::size_t i = 0; i < text.size(); ++i) {
      std::size_t run = 0;
      while (i < text.size() && text[i] == '\\') ++run, ++i;
      const bool before_quote = i == text.size() || text[i] == '\'';
      out.append(before_quote ? 2 * run : run, '\\');
      if (i == text.size()) break;
      if (text[i] == '\'') out += '\\';
      out += text[i];
    }
    return out + '\'';
  }
  if (is_plain_safe(text)) return std::string(text);
  return has_control(text) ? double_quoted(text) : single_quoted(text);
}

/// Shortest text that reads back as the same double: PyYAML wants a point and a signed exponent.
std::string write_double(double value, Loader loader) {
  if (std::isnan(value)) return loader == Loader::json ? "NaN" : loader == Loader::hydra ? "nan" : ".nan";
  if (std::isinf(value)) {
    const std::string_view word = loader == Loader::json    ? "Infinity"
                                  : loader == Loader::hydra ? "inf"
                                                            : ".inf";
    return (value < 0 ? "-" : "") + std::string(word);
  }
  std::string text = fmt::format("{}", value);
  const std::size_t exponent = text.find('e');
  if (text.find('.') == std::string::npos)
    text.insert(exponent == std::string::npos ? text.size() : exponent, ".0");
  return text;
}

void write(const Value& value, Loader loader, std::string& out) {
  if (value.is_null()) {
    out += "null";
  } else if (value.is_bool()) {
    out += value.as_bool() ? "true" : "false";
  } else if (value.is_int()) {
    out += fmt::format("{}", value.as_int());
  } else if (value.is_double()) {
    out += write_double(value.as_double(), loader);
  } else if (value.is_string()) {
    out += write_string(value.as_string(), loader);
  } else if (value.is_list()) {
    out += '[';
    for (std::size_t i = 0; i < value.as_list().size(); ++i) {
      if (i > 0) out += loader == Loader::hydra ? "," : ", ";
      write(value.as_list()[i], loader, out);
    }
    out += ']';
  } else if (value.is_mapping()) {
    out += '{';
    for (std::size_t i = 0; i < value.as_mapping().size(); ++i) {
      const auto& [key, member] = value.as_mapping()[i];
      if (i > 0) out += loader == Loader::hydra ? "," : ", ";
      out += write_string(key, loader);
      out += loader == Loader::hydra ? ":" : ": ";
      write(member, loader, out);
    }
    out += '}';
  } else {
    out += value.is_unknown() ? "unknown" : "{…}";
  }
}

}  // namespace

std::string to_yaml(const Value& value, Loader loader) {
  std::string out;
  write(value, loader, out);
  return out;
}

}  // namespace headroom::source
