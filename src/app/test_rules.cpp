// `headroom test-rules`: the examples inside rule files are their tests.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "headroom/lint/rule_tests.hpp"
#include "headroom/report/json.hpp"
#include "headroom/report/report.hpp"
#include "output.hpp"
#include "packs.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class TestRules {
 public:
  explicit TestRules(const Options& options) : options_(options) {}

  ExitStatus run() {
    if (options_.words.empty()) {
      complain(options_,
               "test-rules needs a folder of rules, or rule files (see headroom test-rules --help)");
      return exit_usage;
    }
    for (const auto& word : options_.words) {
      if (!test(word)) return exit_usage;
    }
    if (!write(stdout, options_.format == Format::json ? json() : text())) return exit_usage;
    if (!options_.quiet && options_.format == Format::text) {
      static_cast<void>(write(stderr, fmt::format("{} rules, {} examples: {} failed\n", result_.rules,
                                                  result_.blocks, result_.failures.size())));
    }
    return result_.failures.empty() ? exit_clean : exit_findings;
  }

 private:
  // A file is tested alone, but compiled with the folder that it stands in.
  bool test(const std::string& word) {
    std::error_code ignored;
    const bool file = fs::is_regular_file(word, ignored);
    const std::string parent = fs::path(word).parent_path().string();
    const auto packs = packs_.load({!file ? word : parent.empty() ? "." : parent});
    if (!packs) {
      for (const auto& error : packs.error()) {
        static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
      }
      return false;
    }
    rules::RulePack pack = *packs->front();
    std::vector<rules::Rule> one;
    if (file) {
      const std::string id = fs::path(word).stem().string();
      for (const auto& rule : pack.rules) {
        if (rule.id == id) one.push_back(rule);
      }
      if (one.empty()) {
        complain(options_, fmt::format("{}: no rule file (a rule is a *.md file, README.md is none)", word));
        return false;
      }
      pack.rules = one;
    }
    lint::RuleTestResult result = lint::run_rule_tests(pack);
    result_.rules += result.rules;
    result_.blocks += result.blocks;
    for (auto& failure : result.failures) result_.failures.push_back(std::move(failure));
    return true;
  }

  [[nodiscard]] std::string text() const {
    std::string out;
    for (const auto& f : result_.failures) {
      out += fmt::format("{}:{}: {}: {}\n", f.file, f.line, f.rule, f.message);
    }
    return out;
  }

  [[nodiscard]] std::string json() const {
    Json out;
    out["schema"] = 1;
    out["headroom"] = HEADROOM_VERSION;
    out["rules"] = result_.rules;
    out["examples"] = result_.blocks;
    out["failures"] = Json::array();
    for (const auto& f : result_.failures) {
      out["failures"].push_back(
          {{"rule", f.rule}, {"file", f.file}, {"line", f.line}, {"message", f.message}});
    }
    return report::dump(out);
  }

  const Options& options_;
  Packs packs_;
  lint::RuleTestResult result_;
};

}  // namespace

ExitStatus test_rules(const Options& options) {
  return TestRules(options).run();
}

}  // namespace headroom::app
