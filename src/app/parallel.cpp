#include "parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace headroom::app {

void in_parallel(unsigned jobs, std::size_t count, const std::function<void(std::size_t)>& task) {
  const unsigned wanted = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  const std::size_t threads = std::min<std::size_t>(wanted, count);
  if (threads <= 1) {
    for (std::size_t i = 0; i < count; ++i) task(i);
    return;
  }
  std::atomic<std::size_t> next{0};
  std::vector<std::exception_ptr> failures(threads);
  {
    std::vector<std::jthread> pool;
    for (std::size_t t = 0; t < threads; ++t) {
      pool.emplace_back([&, t] {
        try {
          for (std::size_t i = next++; i < count; i = next++) task(i);
        } catch (...) {
          failures[t] = std::current_exception();
        }
      });
    }
  }
  for (const auto& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace headroom::app
