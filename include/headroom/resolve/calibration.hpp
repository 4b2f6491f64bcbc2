// What `headroom calibrate` learned from the logs of a cluster. Kept in `.headroom.yaml`.
#pragma once
#include <optional>

namespace headroom::resolve {

/// Measured against what the ledger predicts. The defaults change nothing.
struct Calibration {
  double static_bytes = 0;              ///< more that stays allocated between steps
  double moving_ratio = 1;              ///< what comes and goes in a step, measured over predicted
  std::optional<double> unused_share;   ///< segments without a tensor, as a share of what comes and goes
  std::optional<double> outside_bytes;  ///< what the device sees beside the allocator's segments
  std::optional<double> band_share;     ///< half the width of the band, as a share of the peak
};

}  // namespace headroom::resolve
