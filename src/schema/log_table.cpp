#include "headroom/schema/log_table.hpp"

#include <array>

namespace headroom::schema {
namespace {

constexpr std::array<std::string_view, line_kinds> kinds{
    "allocator",        "device",          "nccl-memory", "library",       "triton",
    "host-killer",      "host-allocation", "pinned",      "shared-memory", "killed",
    "nccl-timeout",     "nccl-error",      "nan",         "preempted",     "device-error",
    "kernel-resources", "environment",     "done",        "recovered"};

constexpr std::array<std::string_view, log_phases> phases{
    "unknown",         "startup",         "data",           "forward",        "backward", "gradient-sync",
    "model-build",     "optimizer-build", "optimizer-step", "optimizer-init", "rollout",  "weight-sync",
    "checkpoint-load", "checkpoint-save", "graph-capture"};

}  // namespace

std::string_view to_string(LineKind kind) {
  return kinds[static_cast<std::size_t>(kind)];
}

std::string_view to_string(LogPhase phase) {
  return phases[static_cast<std::size_t>(phase)];
}

}  // namespace headroom::schema
