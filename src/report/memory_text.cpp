#include <fmt/format.h>

#include "headroom/report/memory.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

std::string gib(double bytes) {
  const double value = bytes / (1024.0 * 1024.0 * 1024.0);
  return value != 0 && value < 0.1 ? fmt::format("{:.3f}", value) : fmt::format("{:.2f}", value);
}

std::string stages(const memory::Peaks& p, const TextOptions& options) {
  std::vector<std::vector<std::string>> rows{
      {"stage", "layers", "weights", "grads", "optim", "other", "activ", "logits", "peak", "phase"}};
  for (const auto& s : p.stages) {
    rows.push_back({fmt::format("{}", s.stage), fmt::format("{}", s.layers), gib(s.weights), gib(s.gradients),
                    gib(s.optimizer), gib(s.workspace), gib(s.activations), gib(s.logits), gib(s.peak),
                    std::string(memory::name_of(s.phase))});
  }
  return table(rows, options.width, options.color);
}

std::string verdict_line(const MemoryReport& report, const TextOptions& options) {
  const memory::Peaks& p = report.ledger.peaks;
  std::string out =
      fmt::format("peak {} GiB allocated ({} to {}) on stage {}, {} reserved, {} used", gib(p.peak().peak),
                  gib(p.low), gib(p.high), p.peak().stage, gib(p.reserved), gib(p.used));
  const std::string_view word = memory::name_of(report.verdict);
  const bool sure = report.verdict == memory::Verdict::fits;
  if (p.capacity > 0) out += fmt::format(" of {}: {}", gib(p.capacity), word);
  if (p.capacity > 0 && report.verdict == memory::Verdict::may_not_fit)
    out += fmt::format(" (up to {} used)", gib(p.used_high()));
  if (p.fits() && !p.fits_with_margin())
    out += fmt::format(", but not beside the margin of {} GiB", gib(p.margin));
  out = fmt::format("{}\n", fmt::join(wrap(out, options.width), "\n"));
  const std::size_t at = p.capacity > 0 ? out.rfind(word) : std::string::npos;  // npos: broken over two lines
  if (at != std::string::npos)
    out.replace(at, word.size(), paint(word, sure ? Style::green : Style::red, options.color));
  if (p.host > 0) out += fmt::format("pinned host memory {} GiB a rank\n", gib(p.host));
  return out;
}

std::string lines(const memory::Ledger& ledger, const TextOptions& options) {
  std::string out;
  std::int32_t stage = -1;
  for (const auto& line : ledger.lines) {
    if (line.stage != stage) {
      stage = line.stage;
      out += fmt::format("\nstage {}\n", stage);
    }
    const std::string what = fmt::format("{}: {}, {}", line.module, line.name, line.phase);
    const auto rows = wrap(what, options.width > 30 ? options.width - 15 : 15);
    out += fmt::format("{:>9} GiB  {}\n", gib(line.bytes), fmt::join(rows, "\n               "));
    for (const auto& row : wrap(fmt::format("= {}  [{}]", line.formula, line.source),
                                options.width > 30 ? options.width - 15 : 15))
      out += fmt::format("               {}\n", row);
  }
  return out;
}

}  // namespace

std::string memory_text(const MemoryReport& report, bool why, const TextOptions& options) {
  std::string out = fmt::format("{} (GiB a GPU)\n", printable(report.path));
  out += stages(report.ledger.peaks, options);
  out += verdict_line(report, options);
  for (const auto& assumption : report.assumptions)
    out += fmt::format("{}\n", fmt::join(wrap("assumed: " + printable(assumption), options.width), "\n  "));
  if (why) out += lines(report.ledger, options);
  return out;
}

}  // namespace headroom::report
