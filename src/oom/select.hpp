// Which line of a log is the failure that the others follow from.
#pragma once
#include <optional>

#include "headroom/oom/log_facts.hpp"

namespace headroom::oom {

enum class Root : std::uint8_t {
  memory,      ///< `failure`
  validation,  ///< `exception`: the framework refuses the config
  other,       ///< `failure` or `exception`, no matter of memory
  healthy,     ///< iterations or an orderly end, and nothing that went wrong
  none,        ///< nothing that is known
};

struct Selected {
  Root root = Root::none;
  const Failure* failure = nullptr;
  const Exception* exception = nullptr;
};

[[nodiscard]] bool is_memory(LineKind kind);
[[nodiscard]] bool is_host(LineKind kind);
[[nodiscard]] Selected select(const LogFacts& log);

}  // namespace headroom::oom
