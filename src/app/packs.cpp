#include "packs.hpp"

namespace headroom::app {

tl::expected<std::vector<const rules::RulePack*>, std::vector<source::Error>> Packs::load(
    const std::vector<std::string>& dirs) {
  std::vector<const rules::RulePack*> packs;
  for (const auto& dir : dirs) {
    auto found = loaded_.find(dir);
    if (found == loaded_.end()) {
      auto pack = rules::load_rules(dir, schema::embedded_schema());
      if (!pack) return tl::unexpected(std::move(pack.error()));
      found = loaded_.emplace(dir, Entry{std::move(*pack), {}}).first;
      found->second.view = found->second.pack.view();
    }
    packs.push_back(&found->second.view);
  }
  return packs;
}

}  // namespace headroom::app
