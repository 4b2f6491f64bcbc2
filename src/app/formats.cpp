#include "formats.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "choose.hpp"
#include "repository.hpp"

namespace headroom::app {
namespace {

constexpr std::array<std::pair<std::string_view, Format>, 8> all_formats{{{"text", Format::text},
                                                                          {"concise", Format::concise},
                                                                          {"json", Format::json},
                                                                          {"sarif", Format::sarif},
                                                                          {"github", Format::github},
                                                                          {"gitlab", Format::gitlab},
                                                                          {"junit", Format::junit},
                                                                          {"markdown", Format::markdown}}};

constexpr std::array<std::pair<std::string_view, Format>, 2> two_formats{
    {{"text", Format::text}, {"json", Format::json}}};
constexpr std::array<std::pair<std::string_view, Format>, 3> diff_formats{
    {{"text", Format::text}, {"json", Format::json}, {"markdown", Format::markdown}}};

// What files of that name usually hold.
std::optional<Format> format_of_file(std::string_view path) {
  static constexpr std::array<std::pair<std::string_view, Format>, 8> endings{
      {{".sarif", Format::sarif},
       {".sarif.json", Format::sarif},
       {"gl-code-quality-report.json", Format::gitlab},
       {".json", Format::json},
       {".xml", Format::junit},
       {".md", Format::markdown},
       {".txt", Format::text},
       {".log", Format::text}}};
  for (const auto& [ending, format] : endings) {
    if (path.ends_with(ending)) return format;
  }
  return std::nullopt;
}

}  // namespace

std::vector<std::string_view> format_names(std::string_view command) {
  std::vector<std::string_view> names;
  if (command == "check") {
    for (const auto& [name, format] : all_formats) names.push_back(name);
  } else if (command == "diff") {
    for (const auto& [name, format] : diff_formats) names.push_back(name);
  } else {
    for (const auto& [name, format] : two_formats) names.push_back(name);
  }
  return names;
}

lint::Complaint read_format(Options& options, const std::string& word) {
  if (options.command == Command::check) return choose(options.format, word, "--format", all_formats);
  if (options.command == Command::diff) return choose(options.format, word, "--format", diff_formats);
  return choose(options.format, word, "--format", two_formats);
}

lint::Complaint read_outputs(Options& options, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const bool named = equals != std::string::npos && name.find_first_of("/.") == std::string::npos;
    OutputFile file{Format::text, named ? word.substr(equals + 1) : word};
    if (named) {
      if (auto complaint = choose(file.format, name, "--output", all_formats)) return complaint;
    } else if (const auto format = format_of_file(file.path)) {
      file.format = *format;
    } else {
      return fmt::format("--output: which format has '{}'? Write FORMAT={} (formats: {})", word, word,
                         fmt::join(format_names("check"), ", "));
    }
    if (file.path.empty()) return fmt::format("--output {}: no file is named", word);
    if (file.path == "-")
      return fmt::format("--output {}: --format chooses what goes to standard output", word);
    const auto same = [&](const OutputFile& o) { return o.path == file.path; };
    if (std::any_of(options.outputs.begin(), options.outputs.end(), same))
      return fmt::format("--output: two reports for the one file '{}'", file.path);
    options.outputs.push_back(std::move(file));
  }
  return {};
}

lint::Complaint read_severities(Options& options, const std::vector<std::string>& words) {
  for (const auto& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos || equals == 0)
      return fmt::format("--severity: expected GLOB=SEVERITY, such as 'moe/*=warning', not '{}'", word);
    auto change = severity_change(word.substr(0, equals), word.substr(equals + 1));
    if (!change) return "--severity: " + change.error();
    options.severities.push_back(std::move(*change));
  }
  return {};
}

}  // namespace headroom::app
