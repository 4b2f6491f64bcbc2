// The pipeline in one call: text -> findings. Pure; files, environment and options were read before.
#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "headroom/dialect/settings.hpp"
#include "headroom/resolve/effective.hpp"
#include "headroom/rules/pack.hpp"

namespace headroom::lint {

/// Options of one source of context (command line, `headroom:` block, `.headroom.yaml`): unset = not said
/// there.
struct ContextOptions {
  std::optional<std::string> bridge, mcore, te, torch, gpu, model;
  std::optional<std::string>
      layer;                 ///< whose checks apply: bridge, megatron-core, megatron-lm; detected where unset
  std::optional<bool> dump;  ///< the config lists every field, defaults too; detected where unset
  std::optional<std::uint64_t> gpu_memory_bytes;
  std::optional<std::int64_t> gpus;
  std::map<std::string, std::optional<std::string>, std::less<>> env;
  bool env_complete = false;
};

struct Job {
  std::shared_ptr<const source::SourceText> text;
  std::vector<source::Override> sets;  ///< `--set`, in order
  ContextOptions command_line,
      repository;  ///< the file's own block is read here; command line > file > repository
  std::optional<source::Loader> loader;  ///< unset: detected
  rules::Selection selection;
  std::vector<const rules::RulePack*> extra_packs;
  bool want_fixes = true;
  bool want_advice = false;  ///< keep findings of severity advice
};

struct Outcome {
  std::optional<source::Error> unreadable;  ///< then nothing else is filled
  std::shared_ptr<const source::Document> document;
  dialect::Settings settings;
  resolve::EffectiveConfig config;
  rules::Findings findings;
  std::vector<std::string> notes;  ///< context remarks: "bridge 0.5.0 is not known, using 0.5.1"
};

[[nodiscard]] Outcome lint(const Job& job);

/// `80GB`, `79.1GiB`, `84943110144`: bytes; nullopt where it is no size.
[[nodiscard]] std::optional<std::uint64_t> parse_size(std::string_view text);

}  // namespace headroom::lint
