#include "entry.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "headroom/report/terminal.hpp"
#include "own_words.hpp"

namespace headroom::report {
namespace {

std::string one_line(std::string_view text) {
  std::string out = printable(text);
  std::ranges::replace(out, '\n', ' ');
  return out;
}

// ` (model.fp8 given by --set)`: what a reader of the file would look for in vain.
std::string given_elsewhere(const rules::Diagnostic& d, const FileReport& file) {
  std::map<std::string, std::vector<std::string>> names;  // option -> fields
  const auto add = [&](const rules::Mark& mark) {
    if (in_file(mark, file) || mark.source.empty() || mark.source == file.path) return;
    names[mark.source].push_back(mark.written_name.empty() ? own_name(mark.field, file) : mark.written_name);
  };
  if (d.primary) add(*d.primary);
  for (const auto& mark : d.related) add(mark);
  std::string out;
  for (const auto& [option, fields] : names) {
    out += fmt::format(" ({} given by {})", fmt::join(fields, ", "), option);
  }
  return out;
}

source::Location visible(source::Location l) {
  const bool empty =
      l.end.line < l.start.line || (l.end.line == l.start.line && l.end.column <= l.start.column);
  if (empty) l.end = {l.start.line, l.start.column + 1};
  return l;
}

Entry unreadable_entry(const FileReport& file) {
  Entry e;
  e.file = &file;
  e.rule = unreadable_rule;
  e.message = one_line(file.unreadable->message);
  e.placed = file.unreadable->has_location;
  e.location = visible(e.placed ? file.unreadable->location : source::Location{});
  return e;
}

Entry entry_of(const FileReport& file, const rules::Diagnostic& d) {
  Entry e;
  e.file = &file;
  e.finding = &d;
  e.rule = d.rule;
  e.severity = d.severity;
  e.message = one_line(in_own_words(d.message, file) + given_elsewhere(d, file));
  const auto here = [&](const rules::Mark& mark) { return in_file(mark, file); };
  if (d.primary && here(*d.primary)) {
    e.placed = true;
    e.location = d.primary->location;
  } else if (const auto mark = std::ranges::find_if(d.related, here); mark != d.related.end()) {
    e.placed = true;
    e.location = mark->location;
  }
  e.location = visible(e.location);
  return e;
}

}  // namespace

std::vector<Entry> entries(const FileReport& file) {
  std::vector<Entry> out;
  if (file.unreadable) out.push_back(unreadable_entry(file));
  for (const auto& d : file.diagnostics) out.push_back(entry_of(file, d));
  return out;
}

std::vector<Entry> entries(const std::vector<FileReport>& files) {
  std::vector<Entry> out;
  for (const auto& file : files) {
    for (Entry& e : entries(file)) out.push_back(std::move(e));
  }
  return out;
}

std::vector<Entry> worst_first(const std::vector<FileReport>& files) {
  std::vector<Entry> out = entries(files);
  std::stable_sort(out.begin(), out.end(),
                   [](const Entry& a, const Entry& b) { return a.severity > b.severity; });
  return out;
}

std::string best_fix(const Entry& entry) {
  if (entry.finding == nullptr || entry.finding->fixes.empty()) return {};
  const rules::Fix& fix = entry.finding->fixes.front();
  const std::string title = one_line(in_own_words(fix.title, *entry.file));
  const std::string words = one_line(fmt::format("{}", fmt::join(fix_words(fix, *entry.file), " ")));
  if (title.empty() || words.empty()) return title + words;
  return title + ": " + words;
}

Level level_of(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::error:
      return Level::error;
    case rules::Severity::warning:
    case rules::Severity::ignored:
    case rules::Severity::memory:
      return Level::warning;
    case rules::Severity::slow:
    case rules::Severity::advice:
      break;
  }
  return Level::note;
}

const std::string& path_of(const FileReport& file) {
  return file.repository_path.empty() ? file.path : file.repository_path;
}

std::string shown_path(const FileReport& file) {
  std::string out = printable(path_of(file));
  for (std::size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at))
    out.replace(at, 1, "\\n");
  return out;
}

bool in_file(const rules::Mark& mark, const FileReport& file) {
  return file.text != nullptr && mark.source == file.text->name();
}

}  // namespace headroom::report
