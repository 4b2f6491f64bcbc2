// Finds settings in a target language whose effective values are the wanted ones.
#pragma once
#include "headroom/convert/convert.hpp"

namespace headroom::convert {

struct Target {
  dialect::Settings skeleton;           ///< language and layer, nothing set
  std::vector<schema::FieldId> fields;  ///< that must agree
};

struct Fitted {
  dialect::Settings settings;
  resolve::EffectiveConfig config;
  std::vector<schema::FieldId> different;  ///< of Target::fields, those that do not agree
};

/// Whether two effective values mean the same: unset and false do for a switch.
[[nodiscard]] bool agree(const source::Value& a, const source::Value& b);

/// Sets what differs until nothing differs any more, or nothing changes any more.
[[nodiscard]] Fitted fit(const resolve::EffectiveConfig& wanted, const Target& target,
                         const resolve::ResolvePack& pack);

/// How far from the wanted values: what somebody chose weighs more than what came by default.
[[nodiscard]] std::pair<std::size_t, std::size_t> badness(const Fitted& fitted,
                                                          const resolve::EffectiveConfig& wanted);

/// The same without settings that others bring about: a layout says how many virtual stages there are.
[[nodiscard]] Fitted without_needless(Fitted fitted, const resolve::EffectiveConfig& wanted,
                                      const Target& target, const resolve::ResolvePack& pack);

}  // namespace headroom::convert
