#include "writer.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace headroom::embed {

namespace {

/// Characters that a string literal can hold as they are; `?` is escaped so that no trigraph can form.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      case '?':
        out += "\\?";
        break;
      default: {
        auto byte = static_cast<unsigned char>(c);
        // Octal escapes take at most three digits and so never swallow what follows.
        if (byte < 0x20 || byte >= 0x7f) {
          out += fmt::format("\\{:03o}", byte);
        } else {
          out += c;
        }
      }
    }
  }
  return out;
}

}  // namespace

std::string cpp_text(std::string_view text) {
  if (text.empty()) return "{}";
  // Long texts are split at their lines so that the generated file can be read.
  std::string out = "{";
  std::size_t start = 0;
  while (start < text.size()) {
    std::size_t end = text.size() > 120 ? text.find('\n', start) : std::string_view::npos;
    end = end == std::string_view::npos ? text.size() : end + 1;
    out += fmt::format("{}\"{}\"", start == 0 ? "" : "\n    ", escaped(text.substr(start, end - start)));
    start = end;
  }
  return out + fmt::format(", {}}}", text.size());
}

std::string cpp_number(double value) {
  if (std::isnan(value)) return "std::numeric_limits<double>::quiet_NaN()";
  if (std::isinf(value))
    return fmt::format("{}std::numeric_limits<double>::infinity()", value < 0 ? "-" : "");
  std::string out = fmt::format("{}", value);
  return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
}

std::string cpp_number(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "std::numeric_limits<std::int64_t>::min()";
  return fmt::format("{}", value);
}

std::string cpp_expr(lang::ExprId id) {
  return id == lang::no_expr ? std::string("lang::no_expr") : fmt::format("{}", id);
}

std::string ArrayPool::span(const std::vector<std::string>& items) {
  if (items.empty()) return "{}";
  std::string key;
  for (const auto& item : items) key += item + '\x01';
  auto [it, fresh] = runs_.try_emplace(key, items_.size());
  if (fresh) items_.insert(items_.end(), items.begin(), items.end());
  return fmt::format("{{{} + {}, {}}}", name_, it->second, items.size());
}

std::string ArrayPool::texts(std::span<const std::string_view> items) {
  std::vector<std::string> out;
  out.reserve(items.size());
  for (std::string_view item : items) out.push_back(cpp_text(item));
  return span(out);
}

std::string ArrayPool::definition() const {
  if (items_.empty()) return {};
  std::string out = fmt::format("constexpr {} {}[] = {{\n", type_, name_);
  std::string line = "   ";
  for (const auto& item : items_) {
    if (line.size() + item.size() > 108 && line.size() > 3) {
      out += line + '\n';
      line = "   ";
    }
    line += ' ' + item + ',';
  }
  return out + line + "\n};\n";
}

std::string pool_arrays(const lang::ExprPool& pool, std::string_view name) {
  std::string out;
  if (!pool.nodes.empty()) {
    out += fmt::format("constexpr lang::ExprNode {}_nodes[] = {{\n", name);
    for (const auto& n : pool.nodes)
      out += fmt::format("    {{static_cast<lang::Op>({}), {}, {}, {}, {}, {}, {}, {}}},\n",
                         static_cast<int>(n.op), n.a, n.field, n.first, n.count, cpp_number(n.integer),
                         cpp_number(n.number), cpp_text(n.text));
    out += "};\n";
  }
  if (!pool.children.empty()) {
    out += fmt::format("constexpr std::uint32_t {}_children[] = {{", name);
    for (std::size_t i = 0; i < pool.children.size(); ++i)
      out += fmt::format("{}{},", i % 20 == 0 ? "\n    " : " ", pool.children[i]);
    out += "\n};\n";
  }
  return out;
}

std::string pool_value(const lang::ExprPool& pool, std::string_view name) {
  std::string nodes = pool.nodes.empty() ? "{}" : fmt::format("{{{}_nodes, {}}}", name, pool.nodes.size());
  std::string children =
      pool.children.empty() ? "{}" : fmt::format("{{{}_children, {}}}", name, pool.children.size());
  return fmt::format("{{{}, {}}}", nodes, children);
}

}  // namespace headroom::embed
