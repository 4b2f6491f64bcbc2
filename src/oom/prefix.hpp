// What launchers put before a line: ranks, times, names of actors and containers.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

namespace headroom::oom {

struct Prefix {
  std::string_view body;                   ///< the line without it
  std::optional<std::int64_t> rank;        ///< of the job
  std::optional<std::int64_t> local_rank;  ///< of the node
  std::uint64_t stream = 0;                ///< tells apart who wrote; 0 where nothing says
};

/// torch `[rank3]:`, torchrun `[default3]:`, srun `3: `, mpirun `[1,3]<stderr>:`, Ray `(Actor pid=7,
/// ip=1.2.3.4) `, compose `name-1  | `, kubectl `[pod/name/main] `, ISO and glog times; one after another in
/// any order.
[[nodiscard]] Prefix read_prefix(std::string_view line);

}  // namespace headroom::oom
