// Which parts of a step run from CUDA graphs.
#pragma once
#include "headroom/memory/fields.hpp"
#include "headroom/memory/shape.hpp"

namespace headroom::memory {

void read_graphs(const Fields& fields, Graphs& graphs);

/// The modules that are captured, by the names of `cuda_graph_scope` or `cuda_graph_modules`; none: whole
/// layers.
void set_graph_modules(const source::Value& modules, Graphs& graphs);

}  // namespace headroom::memory
