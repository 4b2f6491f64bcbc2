#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "headroom/diff/diff.hpp"

namespace headroom::diff {
namespace {

/// A plain number; nullopt where something else follows.
std::optional<double> number(std::string_view text) {
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || !(value >= 0 && value <= 1e15)) return {};
  return value;
}

std::optional<double> share(std::string_view text) {
  if (!text.ends_with('%')) return {};
  const auto percent = number(text.substr(0, text.size() - 1));
  return percent ? std::optional(*percent / 100) : std::nullopt;
}

std::optional<double> bytes(std::string_view text) {
  static constexpr std::pair<std::string_view, double> units[] = {
      {"GiB", 1024.0 * 1024 * 1024}, {"MiB", 1024.0 * 1024}, {"GB", 1e9}, {"MB", 1e6}, {"", 1}};
  for (const auto& [unit, size] : units) {
    if (!text.ends_with(unit)) continue;
    const auto value = number(text.substr(0, text.size() - unit.size()));
    return value ? std::optional(*value * size) : std::nullopt;
  }
  return {};
}

std::string gib(double b) {
  return fmt::format("{:.2f} GiB", b / (1024.0 * 1024 * 1024));
}

std::optional<std::string> over_memory(const Diff& diff, const Budget& budget) {
  if (!diff.memory) return fmt::format("{}: the memory is not known ({})", budget.text, diff.no_memory);
  const double before = diff.memory->before_peak, more = diff.memory->after_peak - before;
  const double allowed = budget.kind == Budget::Kind::memory_bytes ? budget.amount : budget.amount * before;
  if (more <= allowed) return {};
  return fmt::format("{}: the peak rises by {}", budget.text, gib(more));
}

std::optional<std::string> over_time(const Diff& diff, const Budget& budget) {
  if (!diff.time) return fmt::format("{}: the step time is not known", budget.text);
  if (diff.time->value <= 1 + budget.amount) return {};
  return fmt::format("{}: a step takes {:.2f} times as long", budget.text, diff.time->value);
}

}  // namespace

std::optional<Budget> parse_budget(const std::string& text) {
  Budget out;
  out.text = text;
  if (text == "never") {
    out.kind = Budget::Kind::never;
    return out;
  }
  if (const auto severity = rules::parse_severity(text)) {
    out.severity = *severity;
    return out;
  }
  const std::size_t plus = text.find('+');
  if (plus == std::string::npos) return {};
  const std::string_view what = std::string_view(text).substr(0, plus),
                         amount = std::string_view(text).substr(plus + 1);
  const auto part = share(amount);
  const auto size = bytes(amount);
  if (what == "memory" && (part || size)) {
    out.kind = part ? Budget::Kind::memory_share : Budget::Kind::memory_bytes;
    out.amount = part ? *part : *size;
    return out;
  }
  if (what != "step-time" || !part) return {};
  out.kind = Budget::Kind::time_share;
  out.amount = *part;
  return out;
}

std::optional<std::string> exceeds(const Diff& diff, const Budget& budget) {
  switch (budget.kind) {
    case Budget::Kind::never:
      return {};
    case Budget::Kind::memory_bytes:
    case Budget::Kind::memory_share:
      return over_memory(diff, budget);
    case Budget::Kind::time_share:
      return over_time(diff, budget);
    case Budget::Kind::severity:
      break;
  }
  const auto counts = [&](const rules::Diagnostic& d) { return d.severity >= budget.severity; };
  const auto n = std::ranges::count_if(diff.appeared, counts);
  if (n == 0) return {};
  return fmt::format("{}: {} finding{} appeared", budget.text, n, n == 1 ? "" : "s");
}

}  // namespace headroom::diff
