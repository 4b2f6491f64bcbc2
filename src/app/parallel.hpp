// Threads over many files.
#pragma once
#include <cstddef>
#include <functional>

namespace headroom::app {

/// Calls `task(0)` … `task(count - 1)` on `jobs` threads (0: one per processor), in any order. An exception
/// (a bug) in one is thrown again here.
void in_parallel(unsigned jobs, std::size_t count, const std::function<void(std::size_t)>& task);

}  // namespace headroom::app
