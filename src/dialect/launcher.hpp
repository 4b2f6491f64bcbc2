// The part of a launch script before the program: GPUs, nodes, environment.
#pragma once
#include "headroom/dialect/reader.hpp"
#include "mapper.hpp"

namespace headroom::dialect {

/// What torchrun, srun, mpirun, Slurm's directives and exports say.
void read_launcher(const Opened& opened, Settings& out);
/// The environment that the training command sees: exports, and what stands before it.
void read_environment(const Opened& opened, const schema::Schema& schema, Settings& out);

}  // namespace headroom::dialect
