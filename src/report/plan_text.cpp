#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/plan.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

std::string gib(double bytes) {
  return fmt::format("{:.1f}", bytes / (1024.0 * 1024.0 * 1024.0));
}

/// 1234567 as "1,234,567".
std::string grouped(std::size_t n) {
  std::string digits = fmt::format("{}", n), out;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string stages(const plan::Layout& l) {
  return l.vpp > 1 ? fmt::format("{}x{}", l.pp, l.vpp) : fmt::format("{}", l.pp);
}

std::string ratio(const cost::Ratio& time) {
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", time.value, time.low, time.high);
}

/// Lines of at most the width, indented after the first.
std::string paragraph(std::string_view head, std::string_view text, unsigned width) {
  const auto indent = static_cast<unsigned>(head.size());
  std::string out;
  for (const auto& line : wrap(text, width > indent + 20 ? width - indent : 20)) {
    out += out.empty() ? std::string(head) : std::string(indent, ' ');
    out += line + "\n";
  }
  return out;
}

std::string joined(const std::vector<std::string>& parts, std::string_view between) {
  return fmt::format("{}", fmt::join(parts, between));
}

class PlanText {
 public:
  PlanText(const PlanReport& report, const TextOptions& options)
      : report_(report), result_(report.result), options_(options) {}

  std::string run() {
    head();
    given();
    if (!result_.errors.empty()) {
      errors();
    } else if (result_.plans.empty()) {
      nothing();
    } else {
      plans();
      details();
      pareto();
    }
    return std::move(out_);
  }

 private:
  void head() {
    out_ += paint(printable(report_.path), Style::bold, options_.color);
    out_ += fmt::format(" on {}, {} GiB for a process\n", report_.device, gib(result_.capacity));
    out_ += fmt::format("{} candidates, {} legal, {} fit ({:.2f} s)\n\n", grouped(result_.searched),
                        grouped(result_.legal), grouped(result_.fitting), result_.seconds);
  }

  void given() {
    const plan::Given& g = result_.given;
    std::string text = layout_text(g.layout) + ": " + gib(g.used) + " GiB used, ";
    if (!g.legal)
      text += "rejected by " + joined(g.errors, ", ") + " (headroom check says why)";
    else if (!g.fits)
      text += g.verdict <= memory::Verdict::may_not_fit ? "leaves less than the margin"
                                                        : std::string(memory::name_of(g.verdict));
    else
      text += (g.verdict == memory::Verdict::may_not_fit ? "may not fit, " : "") +
              fmt::format("rank {} of {}; its layout {} of {}", grouped(*g.rank), grouped(result_.fitting),
                          g.layout_rank ? grouped(*g.layout_rank) : std::string("none"), grouped(g.layouts));
    out_ += paragraph("as given  ", text, options_.width);
    if (g.legal && g.fits && g.rank && *g.rank > 1 && !report_.fit && !g.why_not_better.empty())
      out_ += paragraph("          ", "the best plan against it: " + g.why_not_better, options_.width);
    out_ += "\n";
  }

  void errors() {
    out_ += paragraph("",
                      "No plan passes the checks: nothing that a plan may change repairs " +
                          joined(result_.errors, ", ") + " (headroom check shows them).",
                      options_.width);
  }

  void nothing() {
    if (result_.fitting == 0 && result_.legal > 0) {
      out_ += paragraph("",
                        "Nothing that is legal fits. More GPUs (--gpus), or a smaller job: --free "
                        "global-batch, --free sequence, --free precision.",
                        options_.width);
    } else {
      out_ += "Nothing is legal that the rules were asked about.\n";
    }
    std::size_t shown = 0;
    for (const plan::Obstacle& o : result_.obstacles)
      if (shown++ < 5) out_ += fmt::format("  {:>12} candidates break {}\n", grouped(o.candidates), o.rule);
  }

  void plans() {
    const bool moe = result_.given.layout.moe;
    std::vector<std::vector<std::string>> rows{{"#", "TP", "PP", "CP"}};
    if (moe) rows.back().insert(rows.back().end(), {"EP", "ETP"});
    rows.back().insert(rows.back().end(), {"DP", "MBS", "used GiB", "step time", "choices"});
    for (std::size_t i = 0; i < result_.plans.size(); ++i) {
      auto& row = rows.emplace_back(std::vector<std::string>{fmt::format("{}", i + 1)});
      cells(result_.plans[i], moe, row);
    }
    out_ += table(rows, options_.width, options_.color) + "\n";
  }

  static void cells(const plan::Plan& p, bool moe, std::vector<std::string>& row) {
    const plan::Layout& l = p.layout;
    row.insert(row.end(), {fmt::format("{}", l.tp), stages(l), fmt::format("{}", l.cp)});
    if (moe) row.insert(row.end(), {fmt::format("{}", l.ep), fmt::format("{}", l.etp)});
    row.insert(row.end(),
               {fmt::format("{}", l.dp), fmt::format("{}", l.micro_batch), gib(p.used), ratio(p.time),
                p.choices.empty() ? std::string("as given") : joined(p.choices, ", ")});
  }

  void details() {
    for (std::size_t i = 0; i < result_.plans.size(); ++i) {
      const plan::Plan& p = result_.plans[i];
      const std::string number = fmt::format("{:>2}  ", i + 1);
      out_ += paragraph(number, p.why, options_.width);
      if (!p.choices.empty()) out_ += paragraph("    ", joined(p.choices, ", "), options_.width);
      if (!p.warnings.empty())
        out_ += paragraph("    ", "warned of by " + joined(p.warnings, ", "), options_.width);
      if (p.verdict == memory::Verdict::may_not_fit)
        out_ += fmt::format("    may not fit: up to {} GiB used\n", gib(p.used_high));
      if (p.host > 0) out_ += fmt::format("    {} GiB of pinned host memory a rank\n", gib(p.host));
      const std::string words = i < report_.words.size() ? joined(report_.words[i], " ") : std::string();
      out_ += words.empty() ? std::string("    no change\n")
                            : paragraph("    ", printable(words), options_.width);
    }
    out_ += "\n";
  }

  void pareto() {
    if (result_.pareto.size() < 2) return;
    out_ += "Memory against step time, fastest first (nothing is both faster and smaller):\n";
    const bool moe = result_.given.layout.moe;
    std::vector<std::vector<std::string>> rows{{"TP", "PP", "CP"}};
    if (moe) rows.back().insert(rows.back().end(), {"EP", "ETP"});
    rows.back().insert(rows.back().end(), {"DP", "MBS", "used GiB", "step time", "choices"});
    for (const plan::Plan& p : result_.pareto) cells(p, moe, rows.emplace_back());
    out_ += table(rows, options_.width, options_.color);
  }

  const PlanReport& report_;
  const plan::Result& result_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string layout_text(const plan::Layout& l) {
  std::string out = fmt::format("TP {} PP {} CP {}", l.tp, stages(l), l.cp);
  if (l.moe) out += fmt::format(" EP {} ETP {}", l.ep, l.etp);
  return out + fmt::format(" DP {} MBS {}", l.dp, l.micro_batch);
}

std::string plan_text(const PlanReport& report, const TextOptions& options) {
  return PlanText(report, options).run();
}

}  // namespace headroom::report
