#include "run_lines.hpp"

#include <array>

#include "text.hpp"

namespace headroom::oom {
namespace {

constexpr double mib = 1024.0 * 1024, gib = 1024.0 * mib;
constexpr std::size_t most_reports = 256, most_arguments = 800, longest_value = 300;

enum Mark : std::uint32_t {
  megabytes,
  gigabytes,
  iterations,
  counts,
  footprints,
  worlds,
  dots,
  roots,
  ranks,
  exits
};
constexpr std::array<std::string_view, 10> marks{
    "memory (MB)",         "memory (GB)",        "iteration ", "number of parameters on",
    "memory footprints: ", "using world size: ", " ........",  "Root Cause (first",
    "(local_rank: ",       "exitcode "};

std::string_view trimmed(std::string_view s) {
  const auto begin = s.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::int64_t> whole(std::string_view text, std::string_view name) {
  const auto rest = after(text, name);
  return rest ? leading_integer(*rest) : std::nullopt;
}

/// `name: 41.94` between bars.
void set_figure(MemoryReport& out, std::string_view name, double value, double unit) {
  const auto is = [&](std::string_view a, std::string_view b) {
    return name == a ||
           (name.starts_with(b) && name.substr(b.size()).find("count") == std::string_view::npos);
  };
  if (name == "mem-alloc-retires" || name == "mem-alloc-retries")
    out.retries = static_cast<std::int64_t>(value);
  if (is("allocated", "mem-allocated-")) out.allocated = value * unit;
  if (is("max allocated", "mem-max-allocated-")) out.max_allocated = value * unit;
  if (is("reserved", "mem-reserved-")) out.reserved = value * unit;
  if (is("max reserved", "mem-max-reserved-")) out.max_reserved = value * unit;
  if (is("device usage", "total device memory used")) out.device_used = value * unit;
}

}  // namespace

std::span<const std::string_view> run_line_marks() {
  return marks;
}

bool RunLines::read(std::uint64_t line, std::string_view text, const Prefix& prefix, std::uint32_t present) {
  const auto holds_mark = [&](Mark m) { return ((present >> m) & 1u) != 0; };
  if (holds_mark(iterations) && iteration(line, text)) return true;
  if ((holds_mark(megabytes) || holds_mark(gigabytes)) && memory_report(line, text, prefix)) return true;
  if ((holds_mark(roots) || holds_mark(ranks) || holds_mark(exits)) && summary(line, text)) return true;
  if (holds_mark(dots) && argument(text)) return true;
  if (holds_mark(worlds) && world(text)) return true;
  if (holds_mark(counts) && parameters(text)) return true;
  return holds_mark(footprints) && footprint(text);
}

bool RunLines::memory_report(std::uint64_t line, std::string_view text, const Prefix& prefix) {
  const bool decimal = holds(text, "memory (GB)");  // Bridge divides by 1e9
  auto rest = after(text, decimal ? "memory (GB)" : "memory (MB)");
  if (!rest) return false;
  MemoryReport report;
  report.line = line;
  report.rank = prefix.rank;
  report.iteration = whole(text, "(after ");
  for (rest = after(*rest, "|"); rest; rest = after(*rest, "|")) {
    const std::string_view cell = rest->substr(0, rest->find('|'));
    const auto colon = cell.find(':');
    if (colon == std::string_view::npos) continue;
    if (const auto value = leading_number(cell.substr(colon + 1)); value && *value >= 0)
      set_figure(report, trimmed(cell.substr(0, colon)), *value, decimal ? 1e9 : mib);
  }
  if (!report.allocated && !report.max_allocated) return false;
  const std::int64_t key = report.rank.value_or(-1);
  if (reports_.size() < most_reports || reports_.contains(key)) reports_.insert_or_assign(key, report);
  return true;
}

bool RunLines::iteration(std::uint64_t line, std::string_view text) {
  for (auto rest = after(text, "iteration "); rest; rest = after(*rest, "iteration ")) {
    const auto number = leading_integer(*rest);
    if (!number || *number < 0) continue;
    const auto slash = rest->substr(0, 40).find('/');
    if (slash == std::string_view::npos) continue;
    const auto of = leading_integer(rest->substr(slash + 1));
    if (!of || *of <= 0 || !holds(*rest, "|")) continue;
    Counted& into = first_.number < 0 ? first_ : last_;
    into.line = line;
    into.number = *number;
    into.of = *of;
    into.text.assign(text.substr(0, 1500));
    return true;
  }
  return false;
}

Iteration RunLines::read_rest(const Counted& counted) {
  Iteration out;
  out.line = counted.line;
  out.number = counted.number;
  out.of = counted.of;
  if (const auto rest = after(counted.text, "load_balancing_loss: "))
    out.load_balancing_loss = leading_number(*rest);
  out.nan = whole(counted.text, "number of nan iterations:").value_or(0);
  out.skipped = whole(counted.text, "number of skipped iterations:").value_or(0);
  return out;
}

bool RunLines::parameters(std::string_view text) {
  const auto rest = after(text, "model parallel rank (");
  if (!holds(text, "number of parameters on") || !rest) return false;
  const auto close = rest->find("): ");
  if (close == std::string_view::npos) return true;
  const std::string_view ranks = rest->substr(0, close);
  const auto comma = ranks.rfind(',');
  const auto stage =
      comma == std::string_view::npos ? std::nullopt : leading_integer(ranks.substr(comma + 1));
  const auto count = leading_number(rest->substr(close + 3));
  if (stage && *stage >= 0 && *stage < 4096 && count && *count > 0) layout_.parameters[*stage] = *count;
  return true;
}

bool RunLines::footprint(std::string_view text) {
  const auto rest = after(text, "memory footprints: ");
  if (!rest) return false;
  const auto figure = [&](std::string_view name) -> std::optional<double> {
    const auto value = after(*rest, name);
    if (!value) return std::nullopt;
    const auto number = leading_number(*value);  // both are binary, whatever their names
    const bool giga = holds(value->substr(0, 30), " GB") && !holds(value->substr(0, value->find(',')), " MB");
    return number ? std::optional(*number * (giga ? gib : mib)) : std::nullopt;
  };
  layout_.footprint_states = figure("weight and optimizer=");
  layout_.footprint_activations = figure("activation=");
  return true;
}

bool RunLines::world(std::string_view text) {
  if (!holds(text, "using world size: ")) return false;
  layout_.world = whole(text, "using world size: ");
  layout_.data = whole(text, "data-parallel size: ");
  layout_.context = whole(text, ", context-parallel size: ");
  layout_.tensor = whole(text, "tensor-model-parallel size: ");
  layout_.pipeline = whole(text, "pipeline-model-parallel size: ");
  return true;
}

bool RunLines::argument(std::string_view text) {
  const auto dots = text.find(" ........");
  if (dots == std::string_view::npos) return false;
  auto begin = text.substr(0, dots).find_last_of(" \t:");
  const std::string_view name =
      text.substr(begin == std::string_view::npos ? 0 : begin + 1, dots - (begin + 1));
  const auto end = text.find_first_not_of('.', dots + 1);
  if (name.empty() || end == std::string_view::npos || text[end] != ' ') return false;
  if (name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") !=
      std::string_view::npos)
    return false;
  if (layout_.arguments.size() < most_arguments)
    layout_.arguments.emplace(cleaned(name, 80), cleaned(trimmed(text.substr(end)), longest_value));
  return true;
}

bool RunLines::summary(std::uint64_t line, std::string_view text) {
  if (holds(text, "Root Cause (first observed failure)")) {
    in_root_ = true;
    root_line_ = line;
    return true;
  }
  if (!in_root_) return false;
  if (holds(text, "(local_rank: ") && !root_rank_) {
    root_rank_ = whole(text, ": ");
    return true;
  }
  if (const auto rest = after(text, "exitcode "); rest && !root_exit_) {
    const auto colon = rest->find(':');
    if (colon != std::string_view::npos) root_exit_ = leading_integer(rest->substr(colon + 1));
    in_root_ = false;
  }
  return false;  // signal 9 in it is for the table
}

void RunLines::finish(LogFacts& out) {
  out.layout = std::move(layout_);
  for (auto& [rank, report] : reports_) out.reports.push_back(report);
  if (first_.number >= 0) out.first_iteration = read_rest(first_);
  if (last_.number >= 0)
    out.last_iteration = read_rest(last_);
  else
    out.last_iteration = out.first_iteration;
  out.root_rank = root_rank_;
  out.root_exit = root_exit_;
  out.root_line = root_line_;
}

}  // namespace headroom::oom
