// Candidates as shapes: the given config's shape with the parts that a choice changes put in place. No config
// is read again for a candidate.
#pragma once
#include <vector>

#include "headroom/cost/job.hpp"
#include "headroom/memory/shape.hpp"
#include "legality.hpp"

namespace headroom::plan {

/// What a combination of activation choices gives.
struct ActivationParts {
  memory::Saving saving;
  memory::Graphs graphs;
  memory::Adapter adapter;
  bool readable = true;  ///< false: no shape could be read
};
/// What a combination of state choices gives.
struct StateParts {
  memory::States states;
  bool optimizer_overlap = false;
  bool readable = true;
};
/// One split into stages.
struct StageParts {
  std::vector<memory::Chunk> chunks;
  /// Stages that stand for all: of equal ones the first holds most micro-batches.
  std::vector<std::int32_t> stages;
  double vpp = 1;
  bool overlap_p2p = false, readable = true;
  std::uint32_t first_alike = 0;  ///< the first choice that splits alike, in whatever words
};

/// A run as memory and cost see it.
struct Run {
  memory::Shape shape;
  cost::Job job;
};

class Shapes {
 public:
  Shapes(const Request& request, const Space& space, const std::vector<Combination>& activations,
         const std::vector<Combination>& states, const std::vector<Combination>& allocator);

  /// The given config; empty text where its shape could be read.
  [[nodiscard]] const std::string& unreadable() const { return unreadable_; }
  [[nodiscard]] const Run& given() const { return given_; }

  /// Puts the layout that was chosen last into `run`; false where it has no shape.
  [[nodiscard]] bool set_layout(const Legality& legality, const std::vector<std::uint32_t>& chosen,
                                Run& run) const;
  static void set(const ActivationParts& parts, Run& run);
  static void set(const StateParts& parts, Run& run);

  /// Of a choice of stages: the first that splits alike.
  [[nodiscard]] std::uint32_t first_split_like(std::uint32_t choice) const {
    return stages_[choice].first_alike;
  }
  /// Whether the size of the axis follows from others where nobody writes it.
  [[nodiscard]] bool is_implicit(const Axis& axis) const;

  [[nodiscard]] const StageParts& stages(const std::vector<std::uint32_t>& chosen) const;
  std::vector<ActivationParts> activations;
  std::vector<StateParts> states;
  std::vector<std::uint32_t>
      first_alike;               ///< by combination of state choices: the first with the same sharding
  std::vector<bool> expandable;  ///< by combination of allocator choices

 private:
  struct TensorParts {
    double vocab = 0;
    bool overlap = false;
  };
  [[nodiscard]] std::optional<Run> read(const rules::Fix& change) const;
  void read_axes(const Space& space);

  const Request& request_;
  Run given_;
  std::string unreadable_;
  std::vector<StageParts> stages_;  ///< by choice
  std::vector<TensorParts> tensor_;
  std::vector<double> imbalance_;
  int stage_axis_ = -1, tensor_axis_ = -1, expert_axis_ = -1;
  bool etp_written_ = false;
  schema::FieldId tp_, pp_, vpp_, cp_, ep_, etp_, sequence_, group_, micro_batch_;
  memory::Sizes sizes_;
};

}  // namespace headroom::plan
