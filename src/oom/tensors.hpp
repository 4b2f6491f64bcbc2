// Which tensors of a run a request fits.
#pragma once
#include <vector>

#include "headroom/oom/diagnosis.hpp"

namespace headroom::oom {

/// Tensors whose size is that of the request, closest first, at most four. The allocator rounds large
/// requests up to 2 MiB and prints two decimals: that much may differ.
[[nodiscard]] std::vector<TensorFit> fitting_tensors(double tried, const memory::Shape* shape,
                                                     const Layout& layout, std::string_view module);

}  // namespace headroom::oom
