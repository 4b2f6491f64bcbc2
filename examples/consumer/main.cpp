// A program of its own that checks a config with the headroom library: consumer CONFIG
#include <headroom/lint/lint.hpp>
#include <iostream>

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: consumer CONFIG\n";
    return 2;
  }
  const auto text = headroom::source::read_file(argv[1]);
  if (!text) {
    std::cerr << argv[1] << ": " << text.error().message << "\n";
    return 2;
  }
  headroom::lint::Job job;
  job.text = *text;
  job.command_line.gpus = 32;
  const headroom::lint::Outcome outcome = headroom::lint::lint(job);
  if (outcome.unreadable) {
    std::cerr << argv[1] << ": " << outcome.unreadable->message << "\n";
    return 2;
  }
  for (const auto& finding : outcome.findings.diagnostics) {
    std::cout << headroom::rules::to_string(finding.severity) << " " << finding.rule << ": "
              << finding.message << "\n";
    for (const auto& fix : finding.fixes) std::cout << "  fix: " << fix.title << "\n";
  }
  return outcome.findings.diagnostics.empty() ? 0 : 1;
}
