// The planner on a large space.
#pragma once

namespace headroom::bench {

void plan_rows();

}  // namespace headroom::bench
