#include "tally.hpp"

namespace headroom::cost {

using memory::Fp8;
using namespace constants;

Format Tally::format_of(const memory::Shape& shape) {
  switch (shape.numerics.fp8) {
    case Fp8::none:
      return shape.numerics.parameter < 4 ? Format::bf16 : Format::fp32;
    case Fp8::nvfp4:
      return Format::fp4;
    case Fp8::blockwise:
    case Fp8::mxfp8:
      return Format::mxfp8;
    case Fp8::delayed:
    case Fp8::current:
      return Format::fp8;
  }
  return Format::bf16;
}

double Tally::rate(Format format) const {
  const Machine& m = job_.machine;
  switch (format) {
    case Format::bf16:
      return m.bf16 * gemm_bf16;
    case Format::fp8:
    case Format::mxfp8:
      return m.fp8 * gemm_fp8;
    case Format::fp4:
      return m.fp4 * gemm_fp4;
    case Format::fp32:
      return m.tf32 * gemm_bf16;
  }
  return m.bf16;
}

void Tally::matrix(Part part, double flops, double bytes, Format format, double kernels) {
  const double once =
      std::max(flops / rate(format), bytes / (job_.machine.memory * memory_share)) + kernel_ramp * kernels;
  add(part, once, frozen_ ? once : 2 * once);
  if (!graphed_) launches(kernels, frozen_ ? kernels : 2 * kernels);
}

void Tally::linear(Part part, double rows, double inner, double columns) {
  const double b = s_.numerics.parameter;
  matrix(part, 2 * rows * inner * columns, b * (rows * inner + inner * columns + rows * columns), format_, 1);
  parameters(inner * columns, 0);
  if (format_ == Format::bf16 || format_ == Format::fp32) return;
  // Inputs are quantised, and again in the other orientation for the weight's gradient.
  const double passes = format_ == Format::fp4 ? 2 : 1;
  quantise(part, passes * 4 * rows * inner, passes * 4 * rows * columns);
}

void Tally::grouped(Part part, double rows, double groups, double inner, double columns) {
  const double b = s_.numerics.parameter, padded = rows + groups * tile_rows / 2;
  const bool together = s_.kernels.grouped_gemm;
  // Transformer Engine runs the groups on a few streams, one kernel a group.
  matrix(part, 2 * padded * inner * columns, b * (rows * inner + groups * inner * columns + rows * columns),
         format_, together ? std::max(1.0, groups / 4) : groups);
  parameters(0, groups * inner * columns);
  if (format_ == Format::bf16 || format_ == Format::fp32) return;
  const double passes = format_ == Format::fp4 ? 2 : 1;
  quantise(part, passes * 4 * rows * inner, passes * 4 * rows * columns);
}

// Within the layer's own call: the host sees no operator more.
void Tally::quantise(Part part, double forward_bytes, double backward_bytes) {
  const double rate_of_memory = job_.machine.memory * memory_share;
  add(part, forward_bytes / rate_of_memory + kernel_ramp, backward_bytes / rate_of_memory + kernel_ramp);
}

void Tally::plain_linear(Part part, double rows, double inner, double columns) {
  const Format kept = format_;
  format_ = s_.numerics.parameter < 4 ? Format::bf16 : Format::fp32;
  linear(part, rows, inner, columns);
  format_ = kept;
}

void Tally::core(Part part, double forward, double forward_share, double ratio, double backward_share) {
  const double peak = s_.numerics.parameter < 4 ? job_.machine.bf16 : job_.machine.tf32;
  add(part, forward / (peak * forward_share) + kernel_ramp,
      ratio * forward / (peak * backward_share) + kernel_ramp);
  if (!graphed_) launches(1, 2);
}

void Tally::elementwise(Part part, double forward_bytes, double backward_bytes, double kernels) {
  const double rate_of_memory = job_.machine.memory * memory_share;
  add(part, forward_bytes / rate_of_memory + kernels * kernel_ramp,
      backward_bytes / rate_of_memory + kernels * kernel_ramp);
  if (!graphed_) launches(kernels * plain_operator, kernels * plain_operator);
}

void Tally::exchange(Part part, double forward, double backward) {
  add(part, forward, backward);
  if (!graphed_) launches(forward > 0 ? collective_operators : 0, backward > 0 ? collective_operators : 0);
}

LayerTime Tally::finish() {
  double forward = 0, backward = 0;
  for (std::size_t i = 0; i < part_count; ++i) {
    forward += out.forward[i];
    backward += out.backward[i];
  }
  const double each = launch * job_.machine.host_pace;
  const double host_forward = launches_forward_ * each, host_backward = launches_backward_ * each;
  out.forward[index_of(Part::launch)] += std::max(0.0, host_forward - forward);
  out.backward[index_of(Part::launch)] += std::max(0.0, host_backward - backward);
  out.host_forward = host_forward;
  out.host_backward = host_backward;
  out.forward_total = std::max(forward, host_forward);
  out.backward_total = std::max(backward, host_backward);
  return out;
}

}  // namespace headroom::cost
