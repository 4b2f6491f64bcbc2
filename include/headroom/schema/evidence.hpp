// Measured results: runs of one model on one machine that differ in a few settings. Source: rules/evidence/.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::schema {

struct FieldValue;

/// One run of a comparison.
struct EvidenceRun {
  std::string_view name;
  std::span<const FieldValue> values;  ///< of the fields that the comparison is about
  double seconds = 0;                  ///< step time, or work over throughput in any unit; 0 not measured
  double peak_bytes = 0;               ///< allocated; 0 not measured
  bool out_of_memory = false;
};

struct Evidence {
  std::string_view id;     ///< name of its file
  std::string_view title;  ///< "Selective recompute, Moonlight 16B"
  std::string_view model;  ///< id of a well-known model
  std::string_view gpu;    ///< GPU kind
  std::int32_t gpus = 0;
  std::string_view on;                     ///< GPUs, layout and precision, in words
  std::string_view limits;                 ///< what it does not show
  std::string_view source;                 ///< repository and path
  std::span<const FieldValue> conditions;  ///< what all runs share
  std::span<const EvidenceRun> runs;
};

}  // namespace headroom::schema
