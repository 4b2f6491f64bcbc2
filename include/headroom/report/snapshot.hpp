// Printers of a memory snapshot.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/report/explain.hpp"
#include "headroom/report/report.hpp"
#include "headroom/snapshot/flame.hpp"
#include "headroom/snapshot/story.hpp"

namespace headroom::report {

/// Of one device, as names and numbers.
struct SnapshotDevice {
  const snapshot::DeviceStory* story = nullptr;
  snapshot::Flame flame;
  /// `file:line function` of each owner of the story; empty: none recorded.
  std::vector<std::string> owner_places;
};

struct SnapshotReport {
  const snapshot::Snapshot* snapshot = nullptr;
  std::vector<SnapshotDevice> devices;  ///< the one that matters first
};
[[nodiscard]] SnapshotReport snapshot_report(const snapshot::Snapshot& snapshot, const snapshot::Story& story,
                                             const schema::LogTable& frames,
                                             const schema::OwnerTable& owners);

/// Where the memory is: uses, owners, calls, free memory, history.
[[nodiscard]] std::string snapshot_text(const SnapshotReport& report, const TextOptions& options);
/// The same for the key `snapshot` of `explain --format json`.
[[nodiscard]] nlohmann::ordered_json snapshot_json(const SnapshotReport& report);

[[nodiscard]] std::string comparison_text(std::string_view before, std::string_view after,
                                          const std::vector<snapshot::Comparison>& devices,
                                          const TextOptions& options);
[[nodiscard]] std::string comparison_json(std::string_view before, std::string_view after,
                                          const std::vector<snapshot::Comparison>& devices,
                                          std::string_view version);

/// One page that needs nothing else: no script, style, font or picture from outside. Every text of the file
/// is escaped.
[[nodiscard]] std::string snapshot_html(const SnapshotReport& report, const ExplainReport& explanation);

}  // namespace headroom::report
