#include <fmt/format.h>

#include "diff_words.hpp"
#include "headroom/report/terminal.hpp"

namespace headroom::report {
namespace {

class DiffText {
 public:
  DiffText(const DiffReport& report, const TextOptions& options) : report_(report), options_(options) {}

  std::string run() {
    const diff::Diff& d = report_.diff;
    out_ = fmt::format("{} -> {}\n", printable(report_.before), printable(report_.after));
    findings("appeared", d.appeared, Style::red);
    findings("gone", d.gone, Style::green);
    values();
    memory();
    if (d.time) line(time_line(d));
    for (const auto& over : report_.over)
      out_ += paint("over budget", Style::red, options_.color) + ": " + over + "\n";
    if (d.appeared.empty() && d.gone.empty() && d.changed.empty()) out_ += "no difference in what will run\n";
    return std::move(out_);
  }

 private:
  void line(const std::string& text) {
    for (const auto& row : wrap(text, options_.width)) out_ += row + "\n";
  }

  void findings(std::string_view title, const std::vector<rules::Diagnostic>& list, Style style) {
    if (list.empty()) return;
    out_ += fmt::format("\n{} {}\n", list.size(), title);
    for (const auto& d : list) {
      const std::string head = fmt::format("  {} [{}]", rules::to_string(d.severity), d.rule);
      out_ += paint(head, style, options_.color) + "\n";
      for (const auto& row : wrap(printable(d.message), options_.width > 24 ? options_.width - 4 : 20))
        out_ += "    " + row + "\n";
    }
  }

  void values() {
    if (report_.diff.changed.empty()) return;
    std::vector<std::vector<std::string>> rows{{"value that will run", "old", "new", "because of"}};
    for (const auto& c : report_.diff.changed) {
      rows.push_back({(c.written ? "" : "  ") + printable(c.field), printable(shown_value(c.before)),
                      printable(shown_value(c.after)), printable(shown_origin(c.after_origin))});
    }
    out_ += "\n" + wrapped_table(rows, options_.width, options_.color);
  }

  void memory() {
    out_ += "\n";
    if (!report_.diff.memory) {
      line("memory not known: " + report_.diff.no_memory);
      return;
    }
    const diff::Memory& m = *report_.diff.memory;
    std::vector<std::vector<std::string>> rows{{"stage", "old peak GiB", "new", "change"}};
    for (const auto& s : m.stages)
      rows.push_back({fmt::format("{}", s.stage), shown_gib(s.before), shown_gib(s.after),
                      shown_change(s.before, s.after)});
    out_ += table(rows, options_.width, options_.color);
    line(memory_line(m));
  }

  const DiffReport& report_;
  const TextOptions& options_;
  std::string out_;
};

}  // namespace

std::string diff_text(const DiffReport& report, const TextOptions& options) {
  return DiffText(report, options).run();
}

}  // namespace headroom::report
