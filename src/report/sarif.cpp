// SARIF 2.1.0 (OASIS), with what GitHub's code scanning asks for beyond its schema.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "fingerprint.hpp"
#include "headroom/report/formats.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/terminal.hpp"
#include "own_words.hpp"
#include "uri.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_related = 100;       // locations that GitHub keeps of a result
constexpr std::size_t most_description = 1024;  // GitHub's limit on descriptions of a rule

std::string_view name_of(Level level) {
  return level == Level::error ? "error" : level == Level::warning ? "warning" : "note";
}

// `offload/pipeline-parallel` as OffloadPipelineParallel: what viewers show as the name of a rule.
std::string pascal_case(std::string_view id) {
  std::string out;
  bool first = true;
  for (const char c : id) {
    const bool lower = c >= 'a' && c <= 'z';
    const bool other = (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (!lower && !other) {
      first = true;
      continue;
    }
    out += first && lower ? static_cast<char>(c - 'a' + 'A') : c;
    first = false;
  }
  return out;
}

std::string sentence(std::string text) {
  const bool ends = text.empty() || text.back() == '.' || text.back() == '!' || text.back() == '?';
  return ends ? text : text + ".";
}

// The first paragraph of a page, as one line without the marks of Markdown.
std::string first_paragraph(std::string_view page) {
  std::string out;
  while (!page.empty()) {
    const std::size_t end = std::min(page.find('\n'), page.size());
    const std::string_view line = page.substr(0, end);
    page.remove_prefix(std::min(end + 1, page.size()));
    const bool text = !line.empty() && !line.starts_with('#') && !line.starts_with("```");
    if (!text && !out.empty()) break;
    if (text) out += (out.empty() ? "" : " ") + std::string(line);
  }
  std::erase(out, '`');
  return out;
}

Json rule_of(const std::string& id, const RuleText* text) {
  RuleText known;
  const bool unreadable = id == unreadable_rule;
  if (unreadable) known = {"The file could not be read", "", rules::Severity::error};
  if (text != nullptr) known = *text;
  if (known.title.empty()) known.title = id;
  const std::string first = first_paragraph(known.page);
  const std::string full = first.empty() ? known.title : first;
  Json out;
  out["id"] = id;
  if (std::string name = unreadable ? "UnreadableFile" : pascal_case(id); !name.empty())
    out["name"] = std::move(name);
  out["shortDescription"]["text"] = cut_bytes(sentence(known.title), most_description);
  out["fullDescription"]["text"] = cut_bytes(sentence(full), most_description);
  out["help"]["text"] = known.page.empty() ? sentence(known.title) : known.page;
  if (!known.page.empty()) out["help"]["markdown"] = known.page;
  const std::string_view level = name_of(level_of(known.severity));
  out["defaultConfiguration"]["level"] = level;
  out["properties"]["tags"] = {id.substr(0, id.find('/'))};
  out["properties"]["precision"] = "very-high";
  out["properties"]["problem.severity"] = level == "note" ? "recommendation" : level;
  return out;
}

Json region(const source::Location& l) {
  return {{"startLine", l.start.line},
          {"startColumn", l.start.column},
          {"endLine", l.end.line},
          {"endColumn", l.end.column}};
}

Json artifact(const FileReport& file) {
  const std::string& path = path_of(file);
  Json out{{"uri", uri_of(path)}};
  if (!path.starts_with('/')) out["uriBaseId"] = "%SRCROOT%";
  return out;
}

Json physical(const FileReport& file, const source::Location& l) {
  return {{"physicalLocation", {{"artifactLocation", artifact(file)}, {"region", region(l)}}}};
}

Json fix_of(const rules::Fix& fix, const FileReport& file) {
  Json replacements = Json::array();
  for (const auto& edit : fix.edits) {
    Json r{{"deletedRegion", region(file.text->location(edit.span))}};
    if (!edit.text.empty()) r["insertedContent"]["text"] = edit.text;
    replacements.push_back(std::move(r));
  }
  std::string title = in_own_words(fix.title, file);
  if (title.empty()) title = fmt::format("{}", fmt::join(fix_words(fix, file), " "));
  if (fix.safety == rules::Safety::training) title += " (changes results)";
  return {{"description", {{"text", sentence(printable(title))}}},
          {"artifactChanges",
           {{{"artifactLocation", artifact(file)}, {"replacements", std::move(replacements)}}}}};
}

class Log {
 public:
  Log(const Run& run, std::size_t most) : run_(run), all_(entries(run.files)) {
    if (all_.size() <= most) return;
    left_out_ = all_.size() - most;
    all_ = worst_first(run.files);
    all_.resize(most);
    std::ranges::stable_sort(all_, std::less<>(), &Entry::file);  // files stand in one array
  }

  Json document() {
    list_rules();
    Json results = Json::array();
    for (const Entry& e : all_) results.push_back(result(e));
    Json run;
    run["tool"]["driver"] = driver();
    const auto unreadable = [](const FileReport& f) { return f.unreadable.has_value(); };
    Json invocation{{"executionSuccessful", std::ranges::none_of(run_.files, unreadable)}};
    if (left_out_ != 0) {
      const std::string text =
          fmt::format("{} findings are left out: a run holds {}.", left_out_, all_.size());
      invocation["toolExecutionNotifications"] = {{{"level", "warning"}, {"message", {{"text", text}}}}};
    }
    run["invocations"] = Json::array({std::move(invocation)});
    run["originalUriBaseIds"]["%SRCROOT%"]["description"]["text"] = "The root of the repository.";
    run["columnKind"] = "unicodeCodePoints";
    run["results"] = std::move(results);
    return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
            {"version", "2.1.0"},
            {"runs", Json::array({std::move(run)})}};
  }

 private:
  void list_rules() {
    for (const Entry& e : all_) rules_.push_back(e.rule);
    std::ranges::sort(rules_);
    rules_.erase(std::unique(rules_.begin(), rules_.end()), rules_.end());
  }

  [[nodiscard]] Json driver() const {
    Json out{{"name", "headroom"}, {"version", run_.version}, {"semanticVersion", run_.version}};
    if (!run_.homepage.empty()) out["informationUri"] = run_.homepage;
    out["rules"] = Json::array();
    for (const auto& id : rules_) {
      const auto found = run_.rules.find(id);
      out["rules"].push_back(rule_of(id, found == run_.rules.end() ? nullptr : &found->second));
    }
    return out;
  }

  // The hashes of the file of the entry; files come one after the other.
  const std::string& hash(const Entry& e) {
    if (hashed_ != e.file) {
      hashed_ = e.file;
      hashes_ = line_hashes(e.file->text != nullptr ? std::string_view(e.file->text->text()) : "");
    }
    return hashes_.at(std::min<std::size_t>(e.location.start.line, hashes_.size()) - 1);
  }

  Json result(const Entry& e) {
    Json out;
    out["ruleId"] = e.rule;
    out["ruleIndex"] = std::ranges::lower_bound(rules_, e.rule) - rules_.begin();
    out["level"] = name_of(level_of(e.severity));
    std::string text = sentence(e.message);
    if (const std::string fix = best_fix(e); !fix.empty()) text += " Fix: " + sentence(fix);
    out["message"]["text"] = std::move(text);
    out["locations"] = Json::array({physical(*e.file, e.location)});
    out["partialFingerprints"] = {{"primaryLocationLineHash", hash(e)},
                                  {"headroomFinding/v1", fingerprints_.next(e)}};
    if (e.finding == nullptr) return out;
    related(out, e);
    for (const auto& fix : e.finding->fixes) {
      if (!fix.edits.empty()) out["fixes"].push_back(fix_of(fix, *e.file));
    }
    out["properties"]["severity"] = rules::to_string(e.severity);
    if (e.severity == rules::Severity::error)
      out["properties"]["fails_at"] = rules::to_string(e.finding->fails_at);
    out["properties"]["fields"] = e.finding->fields;
    return out;
  }

  static void related(Json& out, const Entry& e) {
    for (const auto& mark : e.finding->related) {
      if (!in_file(mark, *e.file)) continue;
      if (out.contains("relatedLocations") && out["relatedLocations"].size() == most_related) break;
      Json place = physical(*e.file, mark.location);
      const std::string name = mark.written_name.empty() ? own_name(mark.field, *e.file) : mark.written_name;
      place["id"] = out.contains("relatedLocations") ? out["relatedLocations"].size() + 1 : 1;
      place["message"]["text"] = sentence(name.empty() ? "Also here" : printable(name) + " is set here");
      out["relatedLocations"].push_back(std::move(place));
    }
  }

  const Run& run_;
  std::vector<Entry> all_;
  std::size_t left_out_ = 0;
  std::vector<std::string> rules_;
  Fingerprints fingerprints_;
  const FileReport* hashed_ = nullptr;
  std::vector<std::string> hashes_;
};

}  // namespace

std::string sarif(const Run& run, std::size_t most) {
  return dump(Log(run, most).document());
}

}  // namespace headroom::report
