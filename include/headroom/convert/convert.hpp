// The same settings in another config language: the values that the framework would run are the measure, not
// the words, since languages differ in what they leave to defaults.
#pragma once
#include <string>
#include <vector>

#include "headroom/dialect/writer.hpp"
#include "headroom/resolve/effective.hpp"

namespace headroom::convert {

/// A value that the other language cannot say, or that its framework replaces.
struct Lost {
  std::string field;    ///< canonical
  source::Value value;  ///< that runs now
  std::string why;      ///< "no such setting", "Megatron-LM arguments make it false"
};

struct Converted {
  std::vector<dialect::Change> changes;  ///< canonical, in the order of the schema
  std::string text;                      ///< a YAML config, or a launch script
  std::vector<Lost> lost;                ///< of what somebody chose
};

struct From {
  const resolve::EffectiveConfig* config = nullptr;
  const dialect::Settings* settings = nullptr;
  std::string name;  ///< of the file, for the heading
};

/// Into Bridge's YAML, and into a launch script for Megatron-LM. Fields that only one of the two has are
/// `lost` where they were chosen.
[[nodiscard]] Converted to_bridge(const From& from, const resolve::ResolvePack& pack);
[[nodiscard]] Converted to_megatron_lm(const From& from, const resolve::ResolvePack& pack);

/// Config fields that flags of Megatron-LM stand for in a release: what a conversion can keep.
[[nodiscard]] std::vector<schema::FieldId> fields_with_flags(const schema::Schema& schema, schema::Release r);

}  // namespace headroom::convert
