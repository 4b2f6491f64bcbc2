// Findings as plain values. How they are made and how they are printed is elsewhere.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "headroom/schema/schema.hpp"
#include "headroom/source/edit.hpp"
#include "headroom/source/span.hpp"
#include "headroom/source/value.hpp"

namespace headroom::rules {

enum class Severity : std::uint8_t { advice, slow, memory, ignored, warning, error };  ///< rising
/// When an error strikes. `launch`, in rules only: checks while process groups and model chunks are set up,
/// after the config was accepted. A finding says `startup` for them, and `model_build` where the config is a
/// saved recipe, of which upstream's own start-up pass sees the config validation alone.
enum class FailsAt : std::uint8_t { startup, model_build, first_step, launch };
enum class Safety : std::uint8_t { execution, training };

[[nodiscard]] std::string_view to_string(Severity s);
[[nodiscard]] std::string_view to_string(FailsAt f);
[[nodiscard]] std::optional<Severity> parse_severity(std::string_view text);

/// Memory with a fix, of the pipeline stage that needs most, in bytes.
struct FixMemory {
  double peak = 0, delta = 0;  ///< torch-allocated; against the config as it is
  bool fits = false;
};

/// Step time with a fix over that of the config as it is.
struct FixTime {
  double ratio = 1, low = 1, high = 1;
  bool measured = false;  ///< by the same comparison on the same model (rules/evidence); else modelled
};

/// A change that repairs a finding, in canonical names, expressions already evaluated.
struct Fix {
  std::string title;
  std::vector<std::pair<std::string, source::Value>> set;
  std::vector<std::string> unset;
  std::vector<std::pair<std::string, std::optional<std::string>>> env;  ///< nullopt = unset the variable
  Safety safety = Safety::execution;
  bool verified = false;              ///< applied and re-checked: the finding goes, no error comes
  std::optional<FixMemory> memory;    ///< where the ledger knows it
  std::optional<FixTime> time;        ///< where the model, the GPUs and their kind are known
  std::vector<std::string> evidence;  ///< ids of rules/evidence: the rule's, then what `time` was measured by
  std::vector<std::string> quotes;    ///< what each of them was measured on, for people
  std::vector<std::string> words;     ///< the change in the language of the file; empty: as canonical words
  std::vector<source::Edit>
      edits;  ///< the same as bytes of the file, ascending; only where they were asked for
  std::vector<std::string> also_repairs;  ///< ids of other findings of this config that it removes
};

struct Mark {                ///< a place in a file
  std::string field;         ///< canonical
  std::string written_name;  ///< the file's own name of it
  std::string source;        ///< file or option name
  source::Location location;
};

struct Diagnostic {
  std::string rule;
  Severity severity = Severity::warning;
  FailsAt fails_at = FailsAt::startup;
  std::string message;
  std::vector<std::string> fields;  ///< canonical names, blamed first
  std::optional<Mark> primary;      ///< absent where nothing of it is written in a file
  std::vector<Mark> related;
  std::vector<Fix> fixes;  ///< best first
};

/// A finding that is not reported, and who said so.
struct Suppressed {
  Diagnostic finding;
  std::string by;      ///< `comment`, `baseline`, `diff-base`
  std::string reason;  ///< behind the comment; may be empty
};

}  // namespace headroom::rules
