// Adds allocations up along the forward of one part of a model and keeps the peaks of both passes.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string_view>
#include <vector>

namespace headroom::memory {

/// A named number of a formula. `over`: divides.
struct Factor {
  std::string_view name;
  double value = 1;
  bool over = false;
};
using Product = std::initializer_list<Factor>;

inline Factor over(std::string_view name, double value) {
  return {name, value, true};
}

inline double value_of(Product product) {
  double bytes = 1;
  for (const Factor& f : product) bytes = f.over ? bytes / f.value : bytes * f.value;
  return bytes;
}

/// Where a formula comes from; texts in sources.cpp.
enum class Source : unsigned char {
  layer,
  attention,
  local_attention,
  te_attention,
  te_linear,
  mlp,
  experts,
  dispatcher,
  router,
  shared_experts,
  mla,
  gdn,
  mamba,
  embedding,
  output,
  cross_entropy,
  checkpoint,
  schedule,
  buffers,
  distributed_optimizer,
  optimizer,
  hybrid_optimizer,
  workspace,
  fp8,
  fsdp,
  lora,
  offload,
  graphs,
  moe_checkpoint,
  mtp,
  tower,
};

/// What an allocation is; all text is static. `fields`: names with blanks between.
struct Item {
  std::string_view name, module, fields;
  Source source;
};

/// Keeps the lines for `explain`. `scale` is set by the caller: layers times micro-batches.
struct Record {
  Item item;
  std::vector<Factor> factors;
  double bytes = 0;
  enum class Life : unsigned char { kept, forward, backward, replayed, offloaded, fixed } life = Life::kept;
};
using Records = std::vector<Record>;

class Walk {
 public:
  explicit Walk(Records* records = nullptr) : records_(records) {}

  /// Saved in the forward, freed when the backward has passed.
  /// `offloaded`: moved to the host behind the layer and back in front of its backward.
  void keep(const Item& item, Product product, bool offloaded = false) {
    const double bytes = value_of(product);
    if (offloaded && depth_ == 0) {
      moved_ += bytes;
    } else {
      kept_ += bytes;
    }
    if (capturing_ && depth_ == 0 && !offloaded) captured_ += bytes;
    touch(0, 0);
    note(item, product, bytes,
         depth_ > 0  ? Record::Life::replayed
         : offloaded ? Record::Life::offloaded
                     : Record::Life::kept);
  }
  /// What is kept from here on lies in the memory pool of a CUDA graph.
  void capture(bool on) { capturing_ = on; }
  /// Lives at this point of the forward only.
  void forward(const Item& item, Product product) {
    const double bytes = value_of(product);
    forward_ = std::max(forward_, here() + bytes);
    note(item, product, bytes, Record::Life::forward);
  }
  /// Lives at this point of the backward only.
  void backward(const Item& item, Product product) {
    const double bytes = value_of(product);
    backward_ = std::max(backward_, here() + bytes);
    note(item, product, bytes, Record::Life::backward);
  }
  /// An output that is thrown away after its consumer ran and computed again before the consumer's backward.
  /// It lives from here to `release`, in both passes.
  void discard(const Item& item, Product product) {
    const double bytes = value_of(product);
    held_ += bytes;
    touch(0, 0);
    note(item, product, bytes, Record::Life::replayed);
  }
  void release() { held_ = 0; }

  /// A region that is computed again in the backward: what it keeps lives only during its own replay.
  struct Region {
    double kept = 0, forward = 0, backward = 0, held = 0;
    bool recomputed = false;
  };
  [[nodiscard]] Region open(bool recomputed) {
    Region outer{kept_, forward_, backward_, held_, recomputed};
    if (!recomputed) return outer;
    ++depth_;
    kept_ = forward_ = backward_ = held_ = 0;
    return outer;
  }
  void close(const Region& outer) {
    if (!outer.recomputed) return;
    --depth_;
    const double inside_forward = std::max(forward_, kept_),
                 inside_backward = std::max(backward_, inside_forward);
    kept_ = outer.kept;
    held_ = outer.held;
    // The first forward runs without a graph: what the region would keep is freed as it goes.
    forward_ = std::max(outer.forward, here() + transient_share * inside_forward);
    backward_ = std::max(outer.backward, here() + inside_backward);
  }

  [[nodiscard]] double kept() const { return kept_; }
  [[nodiscard]] double forward_peak() const { return std::max(forward_, kept_); }
  [[nodiscard]] double backward_peak() const { return std::max(backward_, kept_); }
  /// Of a layer: bytes on the host between its passes, and bytes of `kept` inside graphs.
  [[nodiscard]] double moved() const { return moved_; }
  [[nodiscard]] double captured() const { return captured_; }
  [[nodiscard]] Records* records() const { return records_; }

 private:
  // Of what a region would keep, at most about half is alive at once where nothing is saved.
  static constexpr double transient_share = 0.5;

  [[nodiscard]] double here() const { return kept_ + held_ + moved_; }
  void touch(double in_forward, double in_backward) {
    forward_ = std::max(forward_, here() + in_forward);
    backward_ = std::max(backward_, here() + in_backward);
  }
  void note(const Item& item, Product product, double bytes, Record::Life life) {
    if (records_ == nullptr || bytes == 0) return;
    records_->push_back({item, {product.begin(), product.end()}, bytes, life});
  }

  Records* records_;
  double kept_ = 0, forward_ = 0, backward_ = 0, held_ = 0, moved_ = 0, captured_ = 0;
  bool capturing_ = false;
  int depth_ = 0;
};

}  // namespace headroom::memory
