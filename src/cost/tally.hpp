// One layer's forward and backward while its modules are added up.
#pragma once
#include <algorithm>

#include "constants.hpp"
#include "headroom/cost/step_time.hpp"
#include "links.hpp"

namespace headroom::cost {

enum class Format : std::uint8_t { bf16, fp8, mxfp8, fp4, fp32 };

/// Adds up what a layer does. A region is what one recompute module replays: the forward between `open` and
/// `close`.
class Tally {
 public:
  Tally(const memory::Shape& shape, const Job& job)
      : s_(shape), job_(job), links_(job.machine), format_(format_of(shape)) {}

  /// A linear layer: `rows` x `inner` times `inner` x `columns`.
  void linear(Part part, double rows, double inner, double columns);
  /// A grouped one: `rows` spread over `groups` weights.
  void grouped(Part part, double rows, double groups, double inner, double columns);
  /// A product that stays in bf16, as the output layer.
  void plain_linear(Part part, double rows, double inner, double columns);
  /// Matrix products that are not weights: `forward` FLOP, `ratio` times that in the backward.
  void core(Part part, double forward, double forward_share, double ratio, double backward_share);
  /// Elementwise work by the bytes it moves.
  void elementwise(Part part, double forward_bytes, double backward_bytes, double kernels);
  /// Exposed communication, seconds.
  void exchange(Part part, double forward, double backward);
  /// Kernels that the host issues besides.
  void launches(double forward, double backward) {
    launches_forward_ += forward;
    launches_backward_ += backward;
  }
  void parameters(double dense, double expert) {
    out.dense_parameters += dense;
    out.expert_parameters += expert;
  }

  struct Mark {
    double seconds = 0, launches = 0;
  };
  [[nodiscard]] Mark open() const { return {forward_, launches_forward_}; }
  /// The region since `mark` runs again in the backward.
  void replay(Mark mark) {
    out.backward[index_of(Part::replay)] += forward_ - mark.seconds;
    launches_backward_ += launches_forward_ - mark.launches + constants::checkpoint_launches;
  }
  /// From here on: captured in a CUDA graph, of which a layer's are replayed one by one.
  void graphed(bool yes) {
    graphed_ = yes;
    if (yes && s_.graphs.kind != memory::Graphs::Kind::full_iteration)
      launches(constants::graph_operators, constants::graph_operators);
  }

  /// Totals; the host's excess over the GPU becomes `launch`.
  [[nodiscard]] LayerTime finish();

  [[nodiscard]] const Links& links() const { return links_; }
  [[nodiscard]] Format format() const { return format_; }
  void format(Format f) { format_ = f; }
  /// The weights are frozen: no product for their gradients.
  void frozen(bool yes) { frozen_ = yes; }

 private:
  static Format format_of(const memory::Shape& shape);
  [[nodiscard]] double rate(Format format) const;
  void quantise(Part part, double forward_bytes, double backward_bytes);
  void matrix(Part part, double flops, double bytes, Format format, double kernels);
  void add(Part part, double forward, double backward) {
    out.forward[index_of(part)] += forward;
    out.backward[index_of(part)] += backward;
    forward_ += forward;
  }

  const memory::Shape& s_;
  const Job& job_;
  Links links_;
  Format format_;
  bool graphed_ = false, frozen_ = false;
  double forward_ = 0, launches_forward_ = 0, launches_backward_ = 0;
  LayerTime out;
};

}  // namespace headroom::cost
