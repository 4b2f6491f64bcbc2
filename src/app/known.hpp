// Findings that are no news: counted by what they are about, not by line.
#pragma once
#include <functional>
#include <map>
#include <string>

#include "headroom/report/report.hpp"

namespace headroom::app {

/// Key of a finding -> how many.
using Counts = std::map<std::string, unsigned>;

/// Rule and fields: stays the same when lines move and values change.
[[nodiscard]] std::string key_of(const rules::Diagnostic& d);

/// Takes as many findings of each key out of the report as are known, into `suppressed` (by `by`), first
/// those that come first. What `keep` says is new stays in any case. Returns how many of each were taken.
Counts take_known(report::FileReport& report, Counts known, const std::string& by,
                  const std::function<std::string(const rules::Diagnostic&)>& key,
                  const std::function<bool(const rules::Diagnostic&)>& keep);

}  // namespace headroom::app
