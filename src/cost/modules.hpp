// What each module of a layer does in time. Each adds itself to a Tally.
#pragma once
#include "tally.hpp"

namespace headroom::cost {

void mixer(const memory::Shape& s, const Job& job, memory::Mixer kind, Tally& t);
void feedforward(const memory::Shape& s, const Job& job, memory::Feedforward kind, Tally& t);
void embed(const memory::Shape& s, Tally& t);
void cross_entropy(const memory::Shape& s, const Job& job, Tally& t);
void predict(const memory::Shape& s, Tally& t);

/// Normalisation of the residual stream, and the addition before it.
void norm(const memory::Shape& s, bool replayed, Tally& t);
/// Communication of one column-parallel input and one row-parallel output, `width` columns wide.
void tensor_exchange(const memory::Shape& s, const Job& job, double compute, Tally& t);
/// Whether selective recompute names the module.
[[nodiscard]] inline bool replays(const memory::Shape& s, std::uint32_t modules) {
  return s.saving.mode == memory::Recompute::selective && (s.saving.modules & modules) != 0;
}

}  // namespace headroom::cost
