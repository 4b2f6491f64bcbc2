#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/explain.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

constexpr double gib_bytes = 1024.0 * 1024 * 1024;
constexpr std::size_t shown_evidence = 5;

std::string gib(double bytes) {
  return fmt::format("{:.2f}", bytes / gib_bytes);
}

std::string percent(double confidence) {
  return fmt::format("{:.0f} %", confidence * 100);
}

class Printer {
 public:
  Printer(const ExplainReport& report, const TextOptions& options)
      : r_(report), d_(report.diagnosis), o_(options) {}

  std::string all() {
    headline();
    place();
    figures();
    arithmetic();
    comparison();
    notes();
    evidence();
    alternatives();
    fixes(5);
    questions();
    return std::move(out_);
  }

  std::string only_evidence() {
    headline();
    place();
    figures();
    arithmetic();
    comparison();
    evidence();
    alternatives();
    return std::move(out_);
  }

  std::string only_fixes(std::size_t count, std::size_t skipped) {
    fixes(count, skipped);
    return std::move(out_);
  }

 private:
  void paragraph(std::string_view text, unsigned indent, unsigned first) {
    const std::string pad(indent, ' ');
    const auto lines = wrap(printable(text), o_.width > indent + 20 ? o_.width - indent : 20, first);
    for (std::size_t i = 0; i < lines.size(); ++i) out_ += (i == 0 && first > 0 ? "" : pad) + lines[i] + "\n";
  }

  void item(std::string_view label, std::string_view text) {
    const std::string head = fmt::format("  {:<10} ", label);
    out_ += "  " + paint(fmt::format("{:<10}", label), Style::bold, o_.color) + " ";
    const std::string pad(head.size(), ' ');
    const auto lines =
        wrap(printable(text), o_.width > head.size() + 20 ? o_.width - unsigned(head.size()) : 20);
    for (std::size_t i = 0; i < lines.size(); ++i) out_ += (i == 0 ? "" : pad) + lines[i] + "\n";
    if (lines.empty()) out_ += "\n";
  }

  void headline() {
    const bool bad = d_.cause != oom::Cause::not_memory;
    out_ += paint(printable(r_.path) + ": ", Style::plain, o_.color) +
            paint(std::string(oom::to_string(d_.cause)), bad ? Style::red : Style::green, o_.color);
    if (d_.confidence > 0) out_ += fmt::format(" ({})", percent(d_.confidence));
    out_ += "\n";
    paragraph(std::string(oom::in_words(d_.cause)) + (d_.why.empty() ? "" : ": " + d_.why), 2, 0);
    out_ += "\n";
  }

  void place() {
    std::string text;
    const auto add = [&](const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
    if (d_.phase != oom::LogPhase::unknown) add(std::string(schema::to_string(d_.phase)));
    if (!d_.module.empty()) add("in " + d_.module);
    if (d_.rank) add(fmt::format("rank {}", *d_.rank));
    if (d_.stage) add(fmt::format("pipeline stage {}", *d_.stage));
    if (!text.empty()) item("where", text);
  }

  void figures() {
    const oom::AllocatorFigures& f = d_.figures;
    std::string text;
    const auto add = [&](const std::optional<double>& value, std::string_view name) {
      if (value) text += fmt::format("{}{} {}", text.empty() ? "" : ", ", gib(*value), name);
    };
    add(d_.tried, "asked for");
    add(f.free, "free");
    add(f.allocated, "allocated");
    add(f.reserved_unallocated, "reserved but unused");
    add(f.private_pools, "in private pools");
    if (f.others > 0) add(f.others, "of other processes");
    add(f.allowed, "allowed");
    add(f.capacity, "in all");
    if (!text.empty()) item("GiB", text);
  }

  void arithmetic() {
    for (std::size_t i = 0; i < d_.tensors.size() && i < 2; ++i) {
      const auto& t = d_.tensors[i];
      item(i == 0 ? "request" : "or", fmt::format("{} = {} GiB: {}", t.formula, gib(t.bytes), t.what));
    }
  }

  void comparison() {
    if (!d_.comparison) return;
    const auto& c = *d_.comparison;
    item("expected",
         fmt::format(
             "stage {}: peak {} GiB, of it {} weights, gradients and optimizer state, {} activations, {} "
             "logits; seen {}",
             c.stage, gib(c.expected_peak), gib(c.expected_states), gib(c.expected_activations),
             gib(c.expected_logits), gib(c.seen)));
    item("", c.difference);
  }

  void notes() {
    for (const auto& note : d_.notes) item("note", note);
    for (const auto& line : r_.advice) item("note", line);
    if (!r_.caught_by.empty())
      item("rule", fmt::format("headroom check says it before a launch: {}", fmt::join(r_.caught_by, ", ")));
  }

  void evidence() {
    if (d_.evidence.empty()) return;
    out_ += "\n" + paint("evidence", Style::bold, o_.color) + "\n";
    std::size_t shown = 0;
    for (const auto& e : d_.evidence) {
      if (shown++ == shown_evidence) break;
      const std::string head = e.line == 0 ? "  " : fmt::format("  line {}: ", e.line);
      std::string text = printable(e.text);
      const std::size_t room = o_.width > 24 ? 3 * (o_.width - 4) : 60;
      text = first_words(text, static_cast<unsigned>(room));
      paragraph(head.substr(2) + printable(text), 2, 0);
      if (!e.supports.empty()) {
        for (const auto& line : wrap(printable(e.supports), o_.width > 30 ? o_.width - 6 : 24))
          out_ += "      " + paint(line, Style::cyan, o_.color) + "\n";
      }
    }
  }

  void alternatives() {
    if (d_.alternatives.empty()) return;
    out_ += "\n" + paint("also possible", Style::bold, o_.color) + "\n";
    for (const auto& a : d_.alternatives)
      paragraph(fmt::format("{} ({}): {}", oom::to_string(a.cause), percent(a.confidence), a.why), 2, 0);
  }

  void fixes(std::size_t count, std::size_t skipped = 0) {
    if (r_.fixes.empty()) return;
    out_ += "\n" + paint("what to change", Style::bold, o_.color) +
            (r_.has_config ? "\n" : " (no config was given: none of it is tried)\n");
    std::size_t number = 0;
    for (const auto& fix : r_.fixes) {
      if (number++ < skipped) continue;
      if (number > skipped + count) {
        if (skipped == 0) out_ += fmt::format("  {} more in --format json\n", r_.fixes.size() - count);
        break;
      }
      std::string title = fmt::format("{}. {}", number, fix.title);
      if (fix.safety == rules::Safety::training) title += " (changes results)";
      paragraph(title, 2, 0);
      words(fix);
      if (const std::string effect = effect_of(fix); !effect.empty()) paragraph(effect, 5, 0);
      for (const auto& quote : fix.quotes) paragraph("evidence: " + quote, 5, 0);
    }
  }

  void words(const rules::Fix& fix) {
    std::string line;
    const unsigned room = o_.width > 30 ? o_.width - 5 : 25;
    const auto flush = [&] {
      if (!line.empty()) out_ += "     " + paint(line, Style::green, o_.color) + "\n";
      line.clear();
    };
    for (const auto& word : fix_words(fix, r_.config)) {
      const std::string text = printable(word);
      if (text.starts_with("env ") || (!line.empty() && display_width(line) + 1 + display_width(text) > room))
        flush();
      line += (line.empty() ? "" : " ") + text;
      if (text.starts_with("env ")) flush();
    }
    flush();
  }

  void questions() {
    if (d_.questions.empty()) return;
    out_ += "\n" + paint("would help to know", Style::bold, o_.color) + "\n";
    for (const auto& q : d_.questions)
      paragraph(fmt::format("{} (--answer {}=…; assumed: {})", q.text, q.key, q.default_value), 2, 0);
  }

  const ExplainReport& r_;
  const oom::Diagnosis& d_;
  const TextOptions& o_;
  std::string out_;
};

}  // namespace

std::string explain_text(const ExplainReport& report, const TextOptions& options) {
  return Printer(report, options).all();
}

std::string evidence_text(const ExplainReport& report, const TextOptions& options) {
  return Printer(report, options).only_evidence();
}

std::string remedies_text(const ExplainReport& report, std::size_t count, const TextOptions& options,
                          std::size_t skipped) {
  return Printer(report, options).only_fixes(count, skipped);
}

}  // namespace headroom::report
