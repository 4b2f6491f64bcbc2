// The launch context as a user writes it: one reader for options, the `headroom:` block and `.headroom.yaml`.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "headroom/resolve/calibration.hpp"

namespace headroom::lint {

/// Options of one source of context (command line, `headroom:` block, `.headroom.yaml`): unset = not said
/// there.
struct ContextOptions {
  std::optional<std::string> bridge, mcore, te, torch, gpu, model;
  std::optional<std::string>
      layer;                 ///< whose checks apply: bridge, megatron-core, megatron-lm; detected where unset
  std::optional<bool> dump;  ///< the config lists every field, defaults too; detected where unset
  std::optional<std::uint64_t> gpu_memory_bytes;   ///< of one GPU
  std::optional<std::uint64_t> host_memory_bytes;  ///< of one node
  std::optional<std::string> margin;               ///< to stay free: `4GiB`, `5%`
  std::optional<resolve::Calibration> calibration;
  std::optional<std::int64_t> gpus;
  std::map<std::string, std::optional<std::string>, std::less<>> env;
  bool env_complete = false;
};

/// `first` where it says something, else `second`.
[[nodiscard]] ContextOptions merge(ContextOptions first, const ContextOptions& second);

/// What is wrong with a value, or nothing.
using Complaint = std::optional<std::string>;

/// Sets one figure of a calibration; `key` is one of calibration_keys().
[[nodiscard]] Complaint set_calibration(ContextOptions& context, std::string_view key, std::string_view value,
                                        std::string_view name);
[[nodiscard]] std::span<const std::string_view> calibration_keys();

/// A size or a share in per cent.
struct Margin {
  double bytes = 0, share = 0;
};
[[nodiscard]] std::optional<Margin> parse_margin(std::string_view text);

/// The keys of `set_context`, as a config's `headroom:` block spells them.
[[nodiscard]] std::span<const std::string_view> context_keys();

/// Sets one value from its text. `key` is one of context_keys() other than `env` and `calibration`; `name` is
/// how the message calls it
/// (`--bridge`, `bridge`).
[[nodiscard]] Complaint set_context(ContextOptions& context, std::string_view key, std::string_view value,
                                    std::string_view name);

/// `NAME=value`, or `NAME` alone: known to be unset.
[[nodiscard]] Complaint set_environment(ContextOptions& context, std::string_view word,
                                        std::string_view name);

/// `80GB`, `79.1GiB`, `84943110144`: bytes; nullopt where it is no size.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace headroom::lint
