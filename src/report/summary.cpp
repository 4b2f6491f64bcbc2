#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "headroom/report/report.hpp"

namespace headroom::report {
namespace {

constexpr std::array severities{rules::Severity::error,   rules::Severity::memory, rules::Severity::warning,
                                rules::Severity::ignored, rules::Severity::slow,   rules::Severity::advice};

std::string counted(std::size_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string name_of(rules::Severity severity, std::size_t n) {
  const std::string_view name = rules::to_string(severity);
  const bool has_plural = severity == rules::Severity::error || severity == rules::Severity::warning;
  return fmt::format("{} {}{}", n, name, has_plural && n != 1 ? "s" : "");
}

// `bridge 0.6.0, 32 h100`: what holds for every file; nothing where they differ. JSON has the rest.
std::string context_of(const std::vector<FileReport>& files) {
  const FileReport* first = nullptr;
  for (const auto& file : files) {
    if (file.unreadable) continue;
    if (first == nullptr) first = &file;
    if (file.context != first->context) return {};
  }
  if (first == nullptr) return {};
  std::string gpus;
  std::string gpu;
  std::vector<std::string> parts;
  for (const auto& [key, value] : first->context) {
    const std::string text = value.is_string() ? std::string(value.as_string()) : value.to_text();
    if (key == "gpus") {
      gpus = text;
    } else if (key == "gpu") {
      gpu = text;
    } else if (key == "bridge" || key == "model" || key == "layer") {
      parts.push_back(key + " " + text);
    }
  }
  std::string hardware = gpus.empty() ? gpu : fmt::format("{} {}", gpus, gpu.empty() ? "GPUs" : gpu);
  if (!hardware.empty()) parts.insert(parts.begin() + (parts.empty() ? 0 : 1), std::move(hardware));
  return fmt::format("{}", fmt::join(parts, ", "));
}

// `; 3 suppressed by comments; 12 in the baseline`.
std::string suppressed(const std::vector<FileReport>& files) {
  struct Way {
    std::string_view by, words;
  };
  static constexpr std::array<Way, 3> ways{
      {{"comment", "suppressed by comments"}, {"baseline", "in the baseline"}, {"diff-base", "not new"}}};
  std::string out;
  for (const auto& way : ways) {
    std::size_t n = 0;
    for (const auto& file : files) {
      n += static_cast<std::size_t>(
          std::ranges::count_if(file.suppressed, [&](const auto& s) { return s.by == way.by; }));
    }
    if (n != 0) out += fmt::format("; {} {}", n, way.words);
  }
  return out;
}

}  // namespace

std::string_view verdict(const FileReport& file) {
  if (file.unreadable) return "unreadable";
  const auto is_error = [](const rules::Diagnostic& d) { return d.severity == rules::Severity::error; };
  if (std::any_of(file.diagnostics.begin(), file.diagnostics.end(), is_error)) return "error";
  return file.diagnostics.empty() ? "ok" : "findings";
}

std::string summary(const std::vector<FileReport>& files) {
  std::array<std::size_t, severities.size()> counts{};
  std::size_t unreadable = 0;
  std::vector<LeftOut> left_out;
  for (const auto& file : files) {
    unreadable += file.unreadable ? 1 : 0;
    for (const auto& d : file.diagnostics) ++counts.at(static_cast<std::size_t>(d.severity));
    for (const auto& missing : file.left_out) {
      const auto same = [&](const LeftOut& known) { return known.need == missing.need; };
      const auto found = std::find_if(left_out.begin(), left_out.end(), same);
      if (found == left_out.end()) {
        left_out.push_back(missing);
      } else {
        found->checks += missing.checks;
      }
    }
  }
  std::vector<std::string> parts;
  for (const auto severity : severities) {
    const std::size_t n = counts.at(static_cast<std::size_t>(severity));
    if (n != 0) parts.push_back(name_of(severity, n));
  }
  const std::size_t read = files.size() - unreadable;
  std::string line;
  if (read != 0) {
    line = parts.empty() ? "no findings" : fmt::format("{}", fmt::join(parts, ", "));
    line += " in " + counted(read, "file", "files");
    if (const std::string context = context_of(files); !context.empty()) line += " (" + context + ")";
  }
  if (unreadable != 0)
    line += (line.empty() ? "" : "; ") + counted(unreadable, "file", "files") + " unreadable";
  if (files.empty()) line = "no files";
  line += suppressed(files);
  std::vector<std::string> missing;
  for (const auto& l : left_out) {
    missing.push_back(
        fmt::format("{} {} {}", l.checks, l.checks == 1 ? "check needs" : "checks need", l.need));
  }
  if (!missing.empty()) line += fmt::format("; left out: {}", fmt::join(missing, ", "));
  return line + "\n";
}

}  // namespace headroom::report
