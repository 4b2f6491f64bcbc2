// Out-of-memory messages of torch's caching allocator, every wording since 1.4.
#pragma once
#include <string_view>

#include "headroom/oom/log_facts.hpp"

namespace headroom::oom {

/// Reads what `message` names into `out`; figures it does not name stay as they are. The whole message may be
/// wrapped over several lines: give it joined by blanks. Sources: c10/cuda/CUDACachingAllocator.cpp (malloc),
/// c10/xpu/XPUCachingAllocator.cpp.
///   1.4    (GPU 0; 10.92 GiB total capacity; 10.33 GiB already allocated; 6.31 MiB free; 1.40 MiB cached)
///   1.5    … ; 9.62 GiB reserved in total by PyTorch)
///   1.8    … ; 5.44 MiB free; 8.00 GiB allowed; 9.62 GiB reserved in total by PyTorch)
///   2.1    GPU 0 has a total capacty of … of which … is free. Including non-PyTorch memory, this process has
///   … memory
///          in use. [Process N has … memory in use.] [… allowed; ]Of the allocated memory … is allocated by
///          PyTorch, and … is reserved by PyTorch but unallocated.
///   2.2    capacity; 2.4: "with … allocated in private pools (e.g., CUDA Graphs), "
void read_allocator_message(std::string_view message, AllocatorFigures& out);

/// Whether nothing more is to come: the figures that end a message are there.
[[nodiscard]] bool is_complete(const AllocatorFigures& figures);

}  // namespace headroom::oom
