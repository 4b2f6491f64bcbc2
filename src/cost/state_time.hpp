// What a step does once, whatever the number of micro-batches: gradients, parameters, optimizer.
#pragma once
#include "stage_time.hpp"

namespace headroom::cost {

void add_states(const memory::Shape& s, const Job& job, const StageTime& stage, Seconds& parts);

}  // namespace headroom::cost
