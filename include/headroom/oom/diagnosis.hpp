// From what a log says to what filled the memory. Pure functions of plain values; bytes everywhere.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "headroom/memory/ledger.hpp"
#include "headroom/oom/log_facts.hpp"
#include "headroom/resolve/effective.hpp"

namespace headroom::oom {

enum class Cause : std::uint8_t {
  fragmentation,
  capacity_activation,
  capacity_states,
  optimizer_init,
  logits,
  cuda_graph_pool,
  nccl_buffers,
  library_workspace,
  other_process,
  memory_cap,
  host_memory,
  moe_imbalance,
  checkpoint,
  fp8_weight_copies,
  config_conflict,
  not_memory,
  unknown,
};
inline constexpr std::size_t cause_count = 17;
[[nodiscard]] std::string_view to_string(Cause cause);
/// For people: "the allocator's free memory lies in pieces".
[[nodiscard]] std::string_view in_words(Cause cause);

/// What is known of the run beside the log. Everything may be absent.
struct RunContext {
  const resolve::EffectiveConfig* config = nullptr;
  const memory::Shape* shape = nullptr;
  const memory::Ledger* ledger = nullptr;
  bool config_has_errors = false;  ///< a check of the config finds errors
};

struct Candidate {
  Cause cause = Cause::unknown;
  double confidence = 0;  ///< 0 to 1
  std::string why;
};

struct Evidence {
  std::uint64_t line = 0;
  std::string text;
  std::string supports;  ///< what it says for the diagnosis
};

/// A tensor of the run that the failed request fits.
struct TensorFit {
  std::string name;     ///< "logits"
  std::string what;     ///< "logits in fp32"
  std::string formula;  ///< "20480 tokens x 151936 vocabulary x 4 bytes"
  double bytes = 0;
};

/// The ledger's figures for the stage of the failed rank beside what the log says.
struct Comparison {
  std::int32_t stage = 0;
  double expected_peak = 0, expected_states = 0, expected_activations = 0, expected_logits = 0;
  double seen = 0;  ///< allocated at the failure and the request
  std::string difference;
};

struct Question {
  std::string key;  ///< what `--answer key=value` calls it
  std::string text;
  std::string default_value;  ///< what holds without an answer
  bool assumed = false;       ///< taking it as the answer adds something: a number that is likely
};

struct Diagnosis {
  Cause cause = Cause::unknown;
  double confidence = 0;
  std::string why;
  LogPhase phase = LogPhase::unknown;
  std::string module, kind;  ///< of the failure: "experts", "allocator"
  std::optional<std::int64_t> rank, stage;
  AllocatorFigures figures;
  std::optional<double> tried;  ///< asked for, whoever was asked
  std::vector<Evidence> evidence;
  std::vector<Candidate> alternatives;  ///< most likely first
  std::vector<TensorFit> tensors;       ///< closest first
  std::optional<Comparison> comparison;
  std::vector<std::string> notes;   ///< over ranks, settings without effect, caps
  std::vector<Question> questions;  ///< most informative first, at most five
  double deficit = 0;               ///< bytes that were missing, 0 where not known
  double seen = 0;                  ///< bytes used by this process when it failed, 0 where not known
  std::string message;              ///< of the error that is explained
};

[[nodiscard]] Diagnosis diagnose(const LogFacts& log, const RunContext& run);

/// What the rules below rules/oom read: `oom.NAME` (rules/schema/oom.yaml).
[[nodiscard]] std::vector<std::pair<std::string, source::Value>> rule_facts(const Diagnosis& diagnosis,
                                                                            const LogFacts& log);

}  // namespace headroom::oom
