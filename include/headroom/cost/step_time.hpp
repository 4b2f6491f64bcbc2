// Relative step time of two layouts of the same job. Seconds are modelled on vendor peaks and a few
// efficiencies (docs/cost.md); what is claimed is the ratio of two of them, with its band.
//
// Pure, without text or allocation: for planners. Layers are costed once per kind and can be kept while only
// the layout of stages or the number of micro-batches changes.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "headroom/cost/job.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::cost {

/// Disjoint parts of a step on its critical path.
enum class Part : std::uint8_t {
  attention,  ///< projections and core of attention
  recurrent,  ///< Mamba, gated delta nets
  dense,      ///< MLP, shared experts, norms
  experts,    ///< router, permutation, grouped GEMMs
  ends,       ///< embedding, output layer, loss, multi-token prediction's joins
  replay,     ///< recomputed forward work, its communication too
  launch,     ///< the host issues kernels more slowly than the GPU runs them
  bubble,     ///< fill and drain of the pipeline, and waiting for its slowest stage
  tensor,     ///< exposed communication: tensor and sequence parallelism
  context,    ///< … context parallelism
  exchange,   ///< … tokens to experts and back
  data,       ///< … gradients and parameters over data-parallel ranks, FSDP gathers
  pipeline,   ///< … between stages
  optimizer,  ///< update on the GPU and on the CPU
  host        ///< exposed transfers of activations to the host and back
};
inline constexpr std::size_t part_count = 15;
[[nodiscard]] std::string_view name_of(Part part);

using Seconds = std::array<double, part_count>;
[[nodiscard]] constexpr std::size_t index_of(Part part) {
  return static_cast<std::size_t>(part);
}

/// One layer of a kind on one rank, one micro-batch.
struct LayerTime {
  Seconds forward{}, backward{};  ///< backward includes the replay of selective recompute
  double forward_total = 0, backward_total = 0;
  double dense_parameters = 0, expert_parameters = 0;  ///< on this rank
  double host_forward = 0, host_backward = 0;          ///< time that the host needs to issue it
  double transfer = 0;  ///< of the layer's activations to the host, and back again, where it is offloaded
};
struct LayerTimes {
  std::array<LayerTime, memory::max_kinds> kinds{};
  LayerTime embedding, loss, prediction;  ///< prediction: of one multi-token depth, its layers left out
};

struct StepTime {
  Seconds parts{};
  double total = 0;  ///< seconds; the sum of `parts`
  [[nodiscard]] double of(Part part) const { return parts[index_of(part)]; }
};

[[nodiscard]] LayerTimes layer_times(const memory::Shape& shape, const Job& job);
[[nodiscard]] StepTime step_time(const memory::Shape& shape, const Job& job, const LayerTimes& layers);
[[nodiscard]] inline StepTime step_time(const memory::Shape& shape, const Job& job) {
  return step_time(shape, job, layer_times(shape, job));
}

/// Step time against another config's. The band follows from the parts that differ: what both configs share
/// cancels, and a ratio of nearly equal configs is nearly certain.
struct Ratio {
  double value = 1, low = 1, high = 1;
};
[[nodiscard]] Ratio ratio(const StepTime& before, const StepTime& after);

}  // namespace headroom::cost
