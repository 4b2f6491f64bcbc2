// rules/ in and out: reads the YAML tables into memory, and writes compiled tables as C++ source.
// Used when headroom is built; every problem of every file is reported, with its place.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "headroom/resolve/effective.hpp"
#include "headroom/rules/choices.hpp"
#include "headroom/rules/pack.hpp"
#include "headroom/schema/log_table.hpp"
#include "headroom/schema/owner_table.hpp"
#include "headroom/schema/schema.hpp"
#include "headroom/source/error.hpp"

namespace headroom::embed {

using Errors = std::vector<source::Error>;

/// The tables of rules/schema, rules/gpus.yaml, rules/models, rules/recipes and rules/dialects, owned.
class LoadedSchema {
 public:
  struct Storage;
  LoadedSchema();
  ~LoadedSchema();
  LoadedSchema(LoadedSchema&&) noexcept;
  LoadedSchema& operator=(LoadedSchema&&) noexcept;
  [[nodiscard]] const schema::Schema& view() const;
  std::unique_ptr<Storage> storage;
};
/// `rules_dir` is the folder that holds `schema/`, `gpus.yaml` and `models/`.
[[nodiscard]] tl::expected<LoadedSchema, Errors> load_schema(const std::string& rules_dir);

/// Start-up rewrites (rules/resolve) and derived values (rules/schema/derived), compiled, owned.
class LoadedResolve {
 public:
  struct Storage;
  LoadedResolve();
  ~LoadedResolve();
  LoadedResolve(LoadedResolve&&) noexcept;
  LoadedResolve& operator=(LoadedResolve&&) noexcept;
  [[nodiscard]] const resolve::ResolvePack& view() const;
  std::unique_ptr<Storage> storage;
};
[[nodiscard]] tl::expected<LoadedResolve, Errors> load_resolve(const std::string& rules_dir,
                                                               const schema::Schema& schema);

/// Meaning of lines and frames of logs (rules/oom/lines.yaml, rules/oom/frames.yaml), owned.
class LoadedLog {
 public:
  struct Storage;
  LoadedLog();
  ~LoadedLog();
  LoadedLog(LoadedLog&&) noexcept;
  LoadedLog& operator=(LoadedLog&&) noexcept;
  [[nodiscard]] const schema::LogTable& view() const;
  std::unique_ptr<Storage> storage;
};
[[nodiscard]] tl::expected<LoadedLog, Errors> load_log(const std::string& rules_dir);

/// Whose memory is whose in snapshots (rules/oom/owners.yaml), owned.
class LoadedOwners {
 public:
  struct Storage;
  LoadedOwners();
  ~LoadedOwners();
  LoadedOwners(LoadedOwners&&) noexcept;
  LoadedOwners& operator=(LoadedOwners&&) noexcept;
  [[nodiscard]] const schema::OwnerTable& view() const;
  std::unique_ptr<Storage> storage;
};
[[nodiscard]] tl::expected<LoadedOwners, Errors> load_owners(const std::string& rules_dir);

/// C++ source of constant tables and of the function that returns them (`schema::embedded_schema`,
/// `rules::embedded_resolve`, `rules::embedded_rules`, `rules::embedded_choices`,
/// `schema::embedded_log_table`). Constant-initialised: nothing runs at start-up.
[[nodiscard]] std::string schema_source(const schema::Schema& schema);
[[nodiscard]] std::string resolve_source(const resolve::ResolvePack& pack);
[[nodiscard]] std::string rules_source(const rules::RulePack& pack);
[[nodiscard]] std::string choices_source(const rules::ChoicePack& pack);
[[nodiscard]] std::string log_source(const schema::LogTable& table);
[[nodiscard]] std::string owner_source(const schema::OwnerTable& table);

}  // namespace headroom::embed
