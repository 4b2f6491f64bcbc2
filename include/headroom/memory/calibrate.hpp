// What measured figures of a run say about the ledger's: the offsets of a cluster.
#pragma once
#include <cstdint>
#include <optional>
#include <span>

#include "headroom/memory/shape.hpp"

namespace headroom::memory {

/// What one rank logged, in bytes, after a step: allocated and reserved now and at most so far, and what the
/// device saw.
struct Observation {
  std::int32_t stage = 0;  ///< pipeline stage of the rank
  std::optional<double> allocated, max_allocated, reserved, max_reserved, device_used;
};

struct Learned {
  resolve::Calibration calibration;
  std::size_t peaks = 0;    ///< observations with a peak
  double error_before = 0;  ///< mean absolute error of the peaks, as a share, without the calibration
  double error_after = 0;   ///< and with it
};

/// Medians over the observations, each of what it names; of the offset and the ratio only what brings the
/// peaks nearer is kept, and a figure that nothing names keeps its default. The band is the largest error
/// that is left, and 1 % at least. `shape.calibration` counts for nothing. nullopt where no observation holds
/// a figure of a stage of this run.
[[nodiscard]] std::optional<Learned> calibrate(Shape shape, std::span<const Observation> observations);

/// The pipeline stage of a rank: tensor-, context-, data-parallel ranks lie side by side, pipeline stages
/// apart (megatron/core/parallel_state.py, order tp-cp-ep-dp-pp).
[[nodiscard]] std::int32_t stage_of_rank(const Shape& shape, std::int64_t rank);

}  // namespace headroom::memory
