#include "input.hpp"

#include <algorithm>

namespace headroom::snapshot {

bool Input::refill(std::size_t n) {
  std::memmove(window_.data(), window_.data() + position_, end_ - position_);
  before_ += position_;
  end_ -= position_;
  position_ = 0;
  while (end_ < n) {
    // A long text is believed only as far as its bytes come.
    if (end_ == window_.size()) window_.resize(std::min(window_.size() * 2, std::max(n, window_bytes)));
    const std::size_t got = read_(window_.data() + end_, window_.size() - end_);
    if (got == 0) return false;
    end_ += got;
  }
  return true;
}

}  // namespace headroom::snapshot
