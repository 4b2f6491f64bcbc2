// A config text to an Outcome, as the program would do it.
#pragma once
#include <string>

#include "headroom/lint/lint.hpp"

namespace headroom::test {

inline lint::Outcome lint_text(std::string yaml, std::vector<std::string> sets = {}) {
  lint::Job job;
  job.text = std::make_shared<const source::SourceText>("config.yaml", std::move(yaml));
  for (const std::string& word : sets) {
    auto parsed = source::parse_override(word, "--set");
    if (parsed) job.sets.push_back(*parsed);
  }
  return lint::lint(job);
}

inline source::Value effective(const lint::Outcome& out, std::string_view field) {
  auto id = schema::embedded_schema().find(field);
  return id == schema::no_field ? source::Value("no such field") : out.config.now[id];
}

inline const rules::Diagnostic* find(const lint::Outcome& out, std::string_view rule) {
  for (const auto& d : out.findings.diagnostics) {
    if (d.rule == rule) return &d;
  }
  return nullptr;
}

}  // namespace headroom::test
