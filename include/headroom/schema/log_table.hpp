// What lines and traceback frames of logs mean. Source: rules/oom/lines.yaml and rules/oom/frames.yaml.
#pragma once
#include <cstdint>
#include <span>
#include <string_view>

namespace headroom::schema {

/// What a line of a log says happened. The names in lines.yaml are the same with dashes.
enum class LineKind : std::uint8_t {
  allocator,        ///< torch's caching allocator, with figures
  device,           ///< the driver found no device memory, outside the allocator
  nccl_memory,      ///< NCCL found no device memory
  library,          ///< cuBLAS, cuDNN, Transformer Engine: no memory for a handle or workspace
  triton,           ///< a kernel launch through Triton found no device memory
  host_killer,      ///< the kernel, the container or the scheduler killed a process for host memory
  host_allocation,  ///< an allocation of host memory failed
  pinned,           ///< page-locked host memory failed
  shared_memory,    ///< /dev/shm is full
  killed,           ///< signal 9, reason not said
  nccl_timeout,
  nccl_error,
  nan,
  preempted,  ///< preemption, time limit, cancelled
  device_error,
  kernel_resources,  ///< a kernel wants more shared memory or registers than the GPU has
  environment,       ///< missing module, file, network
  done,              ///< the program says that it ends as planned
  recovered,         ///< an out-of-memory error was caught, the run goes on
};
inline constexpr std::size_t line_kinds = 19;
[[nodiscard]] std::string_view to_string(LineKind kind);

/// A line is of `kind` where it holds every text of `all` and none of `none`. First match wins.
struct LinePattern {
  LineKind kind = LineKind::allocator;
  std::span<const std::string_view> all;  ///< the first one is what the log is searched for
  std::span<const std::string_view> none;
  std::string_view says;  ///< one sentence for people
};

/// Where in a run a traceback frame lies. Rising: a later one outweighs an earlier one in the same traceback.
enum class LogPhase : std::uint8_t {
  unknown,
  startup,
  data,
  forward,
  backward,
  gradient_sync,
  model_build,
  optimizer_build,
  optimizer_step,
  optimizer_init,
  rollout,
  weight_sync,
  checkpoint_load,
  checkpoint_save,
  graph_capture,
};
inline constexpr std::size_t log_phases = 15;
[[nodiscard]] std::string_view to_string(LogPhase phase);

/// A frame matches where its file ends in `file`, its function is `function` and its source line holds
/// `source` (each: where given).
struct FramePattern {
  std::string_view file, function, source;
  LogPhase phase = LogPhase::unknown;
  std::string_view module;  ///< "attention", "experts", "logits", …: what runs there; empty: nothing special
};

struct LogTable {
  std::span<const LinePattern> lines;
  std::span<const FramePattern> frames;
};

/// The tables embedded when headroom was built.
[[nodiscard]] const LogTable& embedded_log_table();

}  // namespace headroom::schema
