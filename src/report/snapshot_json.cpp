#include <nlohmann/json.hpp>

#include "headroom/report/json.hpp"
#include "headroom/report/snapshot.hpp"

namespace headroom::report {
namespace {

using Json = nlohmann::ordered_json;
using snapshot::DeviceStory;

constexpr std::size_t most_owners = 50;

Json uses_json(const snapshot::ByUse& uses) {
  Json out = Json::object();
  for (std::size_t i = 0; i < uses.size(); ++i)
    if (uses[i] > 0) out[std::string(schema::to_string(static_cast<schema::MemoryUse>(i)))] = uses[i];
  return out;
}

Json place_json(const snapshot::Place& place, const std::string& where) {
  return {{"use", schema::to_string(place.use)},
          {"phase", schema::to_string(place.phase)},
          {"module", place.module},
          {"frame", where}};
}

Json owners_json(const SnapshotDevice& device) {
  Json out = Json::array();
  for (std::size_t i = 0; i < device.story->owners.size() && i < most_owners; ++i) {
    const snapshot::Owner& owner = device.story->owners[i];
    Json entry = place_json(owner.place, device.owner_places[i]);
    entry["bytes"] = owner.bytes;
    entry["allocations"] = owner.count;
    entry["largest_bytes"] = owner.largest;
    if (owner.before_history) entry["before_history"] = true;
    out.push_back(std::move(entry));
  }
  return out;
}

Json pools_json(const snapshot::Usage& usage) {
  Json out = Json::array();
  for (const auto& pool : usage.pools)
    out.push_back({{"pool", {pool.pool.first, pool.pool.second}},
                   {"stream", pool.stream},
                   {"segments", pool.segments},
                   {"reserved_bytes", pool.reserved},
                   {"active_bytes", pool.active}});
  return out;
}

Json history_json(const snapshot::History& h) {
  return {{"events", h.events},
          {"allocations", h.allocations},
          {"frees", h.frees},
          {"failures", h.failure_count},
          {"peak_bytes", h.peak},
          {"peak_from_zero_bytes", h.peak_from_zero},
          {"peak_reserved_bytes", h.peak_reserved},
          {"before_bytes", h.before},
          {"before_unknown_bytes", h.before_unknown}};
}

Json device_json(const SnapshotDevice& device) {
  const DeviceStory& d = *device.story;
  const auto& u = d.usage;
  Json out{{"device", u.device},
           {"segments", u.segments},
           {"blocks", u.blocks},
           {"reserved_bytes", u.reserved},
           {"allocated_bytes", u.allocated},
           {"active_bytes", u.active()},
           {"requested_bytes", u.requested},
           {"inactive_split_bytes", u.inactive_split},
           {"releasable_bytes", u.releasable},
           {"largest_free_bytes", u.largest_free},
           {"expandable_bytes", u.expandable},
           {"pools", pools_json(u)},
           {"history", history_json(d.history)},
           {"moment", d.moment == snapshot::Moment::failure ? "failure"
                      : d.moment == snapshot::Moment::peak  ? "peak"
                                                            : "dump"},
           {"live_bytes", d.live},
           {"uses", uses_json(d.uses)},
           {"owners", owners_json(device)}};
  if (d.failure)
    out["failure"] = {{"tried_bytes", d.failure->tried},
                      {"device_free_bytes", d.failure->device_free},
                      {"events_after", d.events_after_failure}};
  return out;
}

}  // namespace

nlohmann::ordered_json snapshot_json(const SnapshotReport& report) {
  Json out{{"bytes", report.snapshot->file_bytes}, {"devices", Json::array()}};
  if (report.snapshot->settings.known) out["allocator_settings"] = report.snapshot->settings.text;
  for (const auto& device : report.devices) out["devices"].push_back(device_json(device));
  return out;
}

std::string comparison_json(std::string_view before, std::string_view after,
                            const std::vector<snapshot::Comparison>& devices, std::string_view version) {
  Json out{
      {"schema", 1}, {"headroom", version}, {"before", before}, {"after", after}, {"devices", Json::array()}};
  for (const auto& device : devices) {
    Json changes = Json::array();
    for (const auto& change : device.changes) {
      if (changes.size() == most_owners) break;
      Json entry = place_json(change.place, change.file.empty() ? "" : change.file + " " + change.function);
      entry["before_bytes"] = change.before;
      entry["after_bytes"] = change.after;
      entry["before_allocations"] = change.count_before;
      entry["after_allocations"] = change.count_after;
      changes.push_back(std::move(entry));
    }
    out["devices"].push_back({{"device", device.device},
                              {"before", uses_json(device.before)},
                              {"after", uses_json(device.after)},
                              {"changes", std::move(changes)}});
  }
  return dump(out);
}

}  // namespace headroom::report
