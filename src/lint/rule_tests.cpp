#include "headroom/lint/rule_tests.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "headroom/lint/lint.hpp"
#include "headroom/oom/log_reader.hpp"

namespace headroom::lint {
namespace {

using rules::Diagnostic;
using rules::Severity;

/// The newest release of the rule. Every rule has one: an empty set is a fault when the file is read.
schema::Release newest(const rules::Rule& rule) {
  int r = schema::release_count - 1;
  while (r > 0 && !schema::contains(rule.releases, static_cast<schema::Release>(r))) --r;
  return static_cast<schema::Release>(r);
}

/// A rule of one layer is tried on that layer; elsewhere the block's own classes decide.
std::optional<std::string> only_layer(const rules::Rule& rule) {
  static constexpr std::array<std::string_view, 3> names{"bridge", "megatron-core", "megatron-lm"};
  for (std::size_t i = 1; i < names.size(); ++i)
    if (rule.layers == (1u << i)) return std::string(names[i]);
  return std::nullopt;
}

Job job_of(const rules::Rule& rule, const rules::Example& example, const rules::RulePack& pack) {
  Job job;
  job.want_advice = true;
  job.text = std::make_shared<source::SourceText>(std::string(rule.file), std::string(example.yaml));
  // Like the settings of a repository: the block's own `headroom:` wins.
  job.repository.bridge = std::string(schema::name(newest(rule)));
  job.repository.layer = only_layer(rule);
  job.repository.env_complete = true;
  if (&pack != &rules::embedded_rules()) job.extra_packs.push_back(&pack);
  return job;
}

std::string found_instead(const std::vector<Diagnostic>& diagnostics) {
  if (diagnostics.empty()) return "nothing was found";
  std::string out = "found instead:";
  for (const auto& d : diagnostics) out += fmt::format(" {} ({})", d.rule, to_string(d.severity));
  return out;
}

class Runner {
 public:
  explicit Runner(const rules::RulePack& pack) : pack_(pack) {}

  RuleTestResult run() {
    for (const auto& rule : pack_.rules) {
      ++result_.rules;
      bool verified = false;
      for (const auto& example : rule.examples) {
        ++result_.blocks;
        verified = block(rule, example) || verified;
      }
      if (!rule.fixes.empty() && !verified && !rule.unfixable && !rule.examples.empty())
        fail(rule, 1, "none of its fixes repairs one of its Fails blocks without bringing another error");
    }
    std::stable_sort(result_.failures.begin(), result_.failures.end(), [](const auto& a, const auto& b) {
      return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
    return std::move(result_);
  }

 private:
  /// Whether the finding came with a verified fix.
  bool block(const rules::Rule& rule, const rules::Example& example) {
    Job job = job_of(rule, example, pack_);
    oom::LogFacts log;
    if (!example.log.empty()) {
      oom::LogReader reader;
      reader.feed(example.log);
      log = reader.finish();
      job.log = &log;
    }
    const Outcome out = lint(job);
    if (out.unreadable) {
      const auto line = out.unreadable->has_location ? out.unreadable->location.start.line - 1 : 0;
      fail(rule, example.line + line, "the block cannot be read: " + out.unreadable->message);
      return false;
    }
    const auto& all = out.findings.diagnostics;
    const auto it =
        std::find_if(all.begin(), all.end(), [&](const Diagnostic& d) { return d.rule == rule.id; });
    if (example.fails) {
      if (it == all.end())
        fail(rule, example.line, "this Fails block does not give the finding; " + why_not(rule, out));
      if (!example.log.empty()) return it != all.end() && !out.remedies.empty();
      return it != all.end() &&
             std::any_of(it->fixes.begin(), it->fixes.end(), [](const rules::Fix& f) { return f.verified; });
    }
    if (it != all.end()) fail(rule, example.line, "this Passes block gives the finding: " + it->message);
    for (const auto& d : all)
      if (d.severity == Severity::error && d.rule != rule.id)
        fail(rule, example.line, fmt::format("this Passes block gives the error {}: {}", d.rule, d.message));
    return false;
  }

  static std::string why_not(const rules::Rule& rule, const Outcome& out) {
    const auto& config = out.config;
    if (!schema::contains(rule.releases, config.launch.release))
      return fmt::format("the rule does not apply to release {}", schema::name(config.launch.release));
    for (const auto& s : out.findings.skipped) {
      if (s.rule != rule.id) continue;
      std::string names;
      for (const auto id : s.unknown) names += fmt::format(" {}", config.schema->field(id).name);
      return "it needs what the block does not say:" + names;
    }
    if (rule.severity == Severity::ignored && !rule.at.empty() && config.set[rule.at.front()] == 0 &&
        config.schema->field(rule.at.front()).space != schema::Space::environment)
      return fmt::format("severity 'ignored' needs the first field of 'at' ({}) to be written",
                         config.schema->field(rule.at.front()).name);
    return found_instead(out.findings.diagnostics);
  }

  void fail(const rules::Rule& rule, std::uint32_t line, std::string message) {
    result_.failures.push_back({std::string(rule.id), std::string(rule.file), line, std::move(message)});
  }

  const rules::RulePack& pack_;
  RuleTestResult result_;
};

}  // namespace

RuleTestResult run_rule_tests(const rules::RulePack& pack) {
  return Runner(pack).run();
}

}  // namespace headroom::lint
