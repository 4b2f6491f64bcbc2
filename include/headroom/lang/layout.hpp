// Two small grammars of Megatron-Core: `pipeline_model_parallel_layout` and the hybrid (Mamba) layer pattern.
// Sources: megatron/core/transformer/pipeline_parallel_layer_layout.py (the same in all six releases) and
// megatron/core/models/hybrid/hybrid_layer_allocation.py (before 0.5.1
// megatron/core/ssm/mamba_hybrid_layer_allocation.py).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/schema/release.hpp"
#include "headroom/source/value.hpp"

namespace headroom::lang {

/// A layout after unrolling: one string a pipeline stage (virtual stages included, in layer order), one
/// letter a layer: `E` embedding, `t` decoder, `m` multi-token prediction, `L` loss, `e` encoder (list form
/// only).
struct PipelineLayout {
  std::vector<std::string> stages;
  [[nodiscard]] std::int64_t count(char layer) const;
  [[nodiscard]] std::string flat() const;
};

/// Reads both forms: a string (`Et*3|(tt|)*29,m|L`) or a list of lists of layer names
/// (`[[embedding, decoder], [decoder, loss]]`). nullopt where Megatron-Core refuses it, and where unrolling
/// passes 65536 characters or 2048 stages.
[[nodiscard]] std::optional<PipelineLayout> parse_layout(const source::Value& layout);

/// A hybrid layer pattern: `M-M-|M*M-/MM/MM`, main layers with pipeline bars, then one part a multi-token
/// prediction depth.
struct HybridPattern {
  std::vector<std::string> segments;  ///< of the main part, at least one
  std::string mtp;                    ///< layers of one prediction depth
  std::int64_t mtp_depths = 0;
  bool valid = false;                                   ///< `r` accepts its symbols and their combination
  [[nodiscard]] std::int64_t layers() const;            ///< of the main part
  [[nodiscard]] std::int64_t count(char symbol) const;  ///< main part and every prediction depth
};

/// Never fails: an invalid pattern is split as far as it goes. Bars and prediction parts exist from 0.4.2 on;
/// before, they are symbols like any other (and invalid).
[[nodiscard]] HybridPattern parse_hybrid(std::string_view pattern, schema::Release r);

}  // namespace headroom::lang
