#include "schedule.hpp"

#include <algorithm>

namespace headroom::memory {
namespace {

class Schedule {
 public:
  Schedule(const Shape& s, std::int32_t stage, const std::vector<ChunkCost>& chunks)
      : chunks_(chunks), held_(chunks.size(), 0) {
    const auto pp = static_cast<std::int64_t>(s.parallel.pp);
    virtual_ = static_cast<std::int64_t>(chunks.size());
    group_ = std::max<std::int64_t>(static_cast<std::int64_t>(s.parallel.group), 1);
    const auto microbatches = static_cast<std::int64_t>(s.microbatches);
    total_ = microbatches * virtual_;
    const std::int64_t behind = pp - stage - 1;
    warmup_ = virtual_ > 1 ? 2 * behind + (virtual_ - 1) * group_ : behind;
    warmup_ = std::min(warmup_, total_);
    microbatches_ = microbatches;
  }

  Occupancy run() {
    for (std::int64_t k = 0; k < warmup_; ++k) forward(chunk_of(k));
    // After one round of every chunk the pattern repeats.
    const std::int64_t steady = std::min(total_ - warmup_, 2 * group_ * virtual_ + 1);
    for (std::int64_t k = 0; k < steady; ++k) {
      forward(chunk_of(k + warmup_));
      backward(virtual_ - 1 - chunk_of(k));
    }
    if (steady == total_ - warmup_) {
      for (std::int64_t k = steady; k < total_; ++k) backward(virtual_ - 1 - chunk_of(k));
    }
    return best_;
  }

 private:
  /// Groups of micro-batches run through the chunks in turn; the last group may be short.
  [[nodiscard]] std::int64_t chunk_of(std::int64_t k) const {
    const std::int64_t round = group_ * virtual_, full = k / round;
    const std::int64_t size = std::min(group_, std::max<std::int64_t>(microbatches_ - full * group_, 1));
    return std::min((k - full * round) / size, virtual_ - 1);
  }
  void note(double bytes, bool in_backward, std::size_t chunk) {
    if (bytes <= best_.bytes) return;
    best_.bytes = bytes;
    best_.in_backward = in_backward;
    best_.chunk = chunk;
    best_.in_flight = held_;
  }
  void forward(std::int64_t c) {
    const auto i = static_cast<std::size_t>(c);
    ++held_[i];
    note(live_ + chunks_[i].forward, false, i);
    live_ += chunks_[i].kept;
  }
  void backward(std::int64_t c) {
    const auto i = static_cast<std::size_t>(c);
    note(live_ - chunks_[i].kept + chunks_[i].backward, true, i);
    live_ -= chunks_[i].kept;
    --held_[i];
  }

  const std::vector<ChunkCost>& chunks_;
  std::vector<std::int32_t> held_;
  std::int64_t virtual_ = 1, group_ = 1, total_ = 1, warmup_ = 0, microbatches_ = 1;
  double live_ = 0;
  Occupancy best_;
};

}  // namespace

Occupancy walk_schedule(const Shape& s, std::int32_t stage, const std::vector<ChunkCost>& chunks) {
  return Schedule(s, stage, chunks).run();
}

}  // namespace headroom::memory
