// The ledger: named allocations per pipeline stage, and the peaks that follow from walking the phases of a
// step.
//
// Every formula is a product of named factors and exists once (src/memory/*.cpp). `peaks` only multiplies;
// `explain` runs the same formulas with a recorder that keeps names, factors and sources.
#pragma once
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/memory/shape.hpp"

namespace headroom::memory {

enum class Phase : std::uint8_t { forward, backward, optimizer_init, optimizer };
[[nodiscard]] std::string_view name_of(Phase phase);

/// Bytes, torch-allocated unless the name says otherwise.
struct StagePeaks {
  std::int32_t stage = 0, layers = 0;
  double weights = 0, gradients = 0, optimizer = 0;
  double activations = 0;  ///< at the peak of forward and backward, logits left out
  double logits = 0;       ///< logits and loss at that peak
  double workspace = 0;    ///< library workspaces and other buffers that stay allocated
  double static_bytes = 0;
  double optimizer_step = 0;  ///< temporaries of the optimizer step
  double step = 0;  ///< activations + logits + temporaries above static at the peak of forward and backward
  double peak = 0;
  Phase phase = Phase::backward;
  double host = 0;       ///< pinned host memory of a rank
  double in_flight = 0;  ///< micro-batch chunks held at the peak
};

struct Peaks {
  std::vector<StagePeaks> stages;
  std::size_t highest = 0;   ///< index of the stage with the highest peak
  double low = 0, high = 0;  ///< band of the highest peak
  double reserved = 0;       ///< allocator segments of that stage
  double used = 0;           ///< what the device sees: reserved, context, communicators, library memory
  double capacity = 0;       ///< 0: unknown
  double margin = 0;         ///< of `capacity`, to stay free
  double host = 0;           ///< pinned host memory a rank needs
  [[nodiscard]] bool fits() const { return capacity > 0 && used <= capacity; }
  [[nodiscard]] bool fits_with_margin() const { return capacity > 0 && used + margin <= capacity; }
  [[nodiscard]] const StagePeaks& peak() const { return stages[highest]; }
  /// Upper end of the band of `used`: what the allocator and the libraries add does not grow with it.
  [[nodiscard]] double used_high() const { return high + used - peak().peak; }
};

/// One allocation, for `--why`.
struct Line {
  std::int32_t stage = 0;
  std::string name, module, phase, formula, source;
  double bytes = 0;
  std::vector<std::string_view> fields;
};

struct Ledger {
  Peaks peaks;
  std::vector<Line> lines;
};

/// Activations that a layer of each kind sends to the host and gets back, bytes of a micro-batch: all that it
/// keeps under `cpu_offloading`, what the named modules keep under fine-grained offloading.
[[nodiscard]] std::array<double, max_kinds> bytes_to_host(const Shape& shape);

/// Pure, no text: for planners.
[[nodiscard]] Peaks peaks(const Shape& shape);
/// What every command says of a run beside its GPU, as the rules of rules/memory do.
enum class Verdict : std::uint8_t { unknown, fits, may_not_fit, fits_with_segments, does_not_fit };
[[nodiscard]] Verdict verdict(const Shape& shape, const Peaks& peaks);
[[nodiscard]] std::string_view name_of(Verdict verdict);
/// The same numbers with every line that they come from.
[[nodiscard]] Ledger explain(const Shape& shape);

}  // namespace headroom::memory
