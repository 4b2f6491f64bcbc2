#include "diff_words.hpp"

#include <fmt/format.h>

namespace headroom::report {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;

std::string fits(bool yes) {
  return yes ? "fits" : "does not fit";
}

}  // namespace

std::string shown_gib(std::optional<double> bytes) {
  return bytes ? fmt::format("{:.2f}", *bytes / gibibyte) : std::string("-");
}

std::string shown_change(std::optional<double> before, std::optional<double> after) {
  return before && after ? fmt::format("{:+.2f}", (*after - *before) / gibibyte) : std::string();
}

std::string shown_origin(const resolve::Origin& origin) {
  using resolve::OriginKind;
  const std::string by = origin.by.empty() ? std::string() : fmt::format(" by {}", origin.by);
  switch (origin.kind) {
    case OriginKind::default_value:
      return "default";
    case OriginKind::file:
      return "file";
    case OriginKind::set_option:
      return "set";
    case OriginKind::model_facts:
      return "model";
    case OriginKind::recipe:
      return origin.by.empty() ? std::string("recipe") : std::string(origin.by);
    case OriginKind::rewritten:
      return "rewritten" + by;
    case OriginKind::environment:
      return "environment";
    case OriginKind::launch:
      return "launch";
    case OriginKind::derived:
      return "derived";
  }
  return {};
}

std::string shown_value(const source::Value& value) {
  constexpr std::size_t longest = 48;
  std::string text = value.to_text();
  if (text.size() > longest) text = text.substr(0, longest - 1) + "…";
  return text;
}

std::string memory_line(const diff::Memory& m) {
  std::string out = fmt::format("peak {} GiB -> {} GiB ({}), used {} -> {}", shown_gib(m.before_peak),
                                shown_gib(m.after_peak), shown_change(m.before_peak, m.after_peak),
                                shown_gib(m.before_used), shown_gib(m.after_used));
  if (m.after_capacity <= 0) return out;
  out += fmt::format(" of {}: ", shown_gib(m.after_capacity));
  if (m.before_fits != m.after_fits) out += fits(m.before_fits) + " -> ";
  return out + fits(m.after_fits);
}

std::string time_line(const diff::Diff& d) {
  if (!d.time) return {};
  std::string out = fmt::format("step time {:.2f} times ({:.2f} to {:.2f}), modelled", d.time->value,
                                d.time->low, d.time->high);
  if (!d.time_parts.empty()) out += fmt::format(": {}", fmt::join(d.time_parts, ", "));
  return out;
}

}  // namespace headroom::report
