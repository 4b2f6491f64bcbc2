// Rule packs of the user (`--rules DIR`), loaded once each.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::app {

class Packs {
 public:
  /// Packs of `dirs`, in order. All errors of all rule files where one does not compile. The pointers live as
  /// long as this object.
  [[nodiscard]] tl::expected<std::vector<const rules::RulePack*>, std::vector<source::Error>> load(
      const std::vector<std::string>& dirs);

 private:
  struct Entry {
    rules::LoadedPack pack;
    rules::RulePack view;
  };
  std::map<std::string, Entry> loaded_;
};

}  // namespace headroom::app
