#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "headroom/report/snapshot.hpp"
#include "headroom/report/terminal.hpp"
#include "memory_size.hpp"

namespace headroom::report {
namespace {

using snapshot::DeviceStory;
using snapshot::Moment;

constexpr std::size_t shown_owners = 8;
constexpr std::size_t shown_calls = 24;

std::string cut(std::string_view text, unsigned width) {
  std::string safe = printable(text);
  std::replace(safe.begin(), safe.end(), '\n', ' ');
  if (display_width(safe) <= width) return safe;
  std::string out;
  for (std::size_t i = safe.size(); i-- > 0;) {  // the end of a path tells more than its beginning
    const bool middle = (static_cast<unsigned char>(safe[i]) & 0xC0U) == 0x80U;
    if (!middle && display_width(safe.substr(i)) >= width) break;
    if (!middle) out = safe.substr(i);
  }
  return "…" + out;
}

std::string bar(std::uint64_t part, std::uint64_t whole, unsigned width) {
  const auto cells = whole == 0 ? 0.0 : static_cast<double>(part) / static_cast<double>(whole) * width;
  return std::string(static_cast<std::size_t>(cells + 0.5), '#');
}

class Printer {
 public:
  Printer(const SnapshotDevice& device, const snapshot::Snapshot& snapshot, const TextOptions& options)
      : d_(*device.story), device_(device), snapshot_(snapshot), o_(options) {}

  std::string run() {
    uses();
    owners();
    calls();
    free_memory();
    history();
    return std::move(out_);
  }

  [[nodiscard]] std::string brief() {
    const auto& u = d_.usage;
    line(fmt::format("device {}: {} reserved in {} segments, {} allocated, {} at the {}", u.device,
                     size_text(u.reserved), u.segments, size_text(u.allocated), size_text(d_.live),
                     moment()));
    return std::move(out_);
  }

 private:
  void heading(std::string_view text) { out_ += "\n" + paint(text, Style::bold, o_.color) + "\n"; }
  void line(std::string_view text) {
    for (const auto& part : wrap(printable(text), o_.width > 22 ? o_.width - 2 : 20))
      out_ += "  " + part + "\n";
  }
  [[nodiscard]] std::string_view moment() const {
    if (d_.moment == Moment::failure) return "failure";
    return d_.moment == Moment::peak ? "peak" : "dump";
  }

  void uses() {
    heading(fmt::format("memory at the {}, device {}", moment(), d_.usage.device));
    const std::size_t count =
        std::accumulate(d_.groups.begin(), d_.groups.end(), std::size_t{0},
                        [](std::size_t sum, const snapshot::Live& group) { return sum + group.count; });
    line(fmt::format("{} alive in {} allocations", size_text(d_.live), count));
    std::vector<std::size_t> order(d_.uses.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return d_.uses[a] > d_.uses[b]; });
    for (const std::size_t use : order) {
      if (d_.uses[use] == 0) continue;
      const unsigned room = o_.width > 50 ? o_.width - 38 : 12;
      const std::string bars = bar(d_.uses[use], d_.live, std::min(room, 40U));
      out_ += fmt::format("  {:<14}{:>11} {:>5}{}\n", schema::to_string(static_cast<schema::MemoryUse>(use)),
                          size_text(d_.uses[use]), share_text(d_.uses[use], d_.live),
                          bars.empty() ? "" : "  " + paint(bars, Style::cyan, o_.color));
    }
  }

  void owners() {
    if (d_.owners.empty()) return;
    heading("owners");
    for (std::size_t i = 0; i < d_.owners.size() && i < shown_owners; ++i) {
      const snapshot::Owner& owner = d_.owners[i];
      std::string what(schema::to_string(owner.place.use));
      if (owner.place.phase != schema::LogPhase::unknown)
        what += fmt::format(", {}", schema::to_string(owner.place.phase));
      if (!owner.place.module.empty()) what += fmt::format(", {}", owner.place.module);
      out_ += fmt::format(
          "  {:>10} {:>5}  {}\n", size_text(owner.bytes), share_text(owner.bytes, d_.live),
          printable(owner.count == 1 ? what : fmt::format("{}; {} allocations", what, owner.count)));
      out_ += std::string(20, ' ') +
              paint(cut(where(i), o_.width > 42 ? o_.width - 20 : 22), Style::blue, o_.color) + "\n";
    }
    if (d_.owners.size() > shown_owners) {
      std::uint64_t rest = 0;
      for (std::size_t i = shown_owners; i < d_.owners.size(); ++i) rest += d_.owners[i].bytes;
      out_ += fmt::format("  {:>10} {:>5}  of {} more\n", size_text(rest), share_text(rest, d_.live),
                          d_.owners.size() - shown_owners);
    }
  }

  [[nodiscard]] std::string where(std::size_t owner) const {
    if (d_.owners[owner].before_history) return "allocated before the history began, freed since";
    return device_.owner_places[owner].empty() ? "no stack was recorded" : device_.owner_places[owner];
  }

  /// Calls that make up at least a fiftieth, each chain of single calls as its last one.
  void calls() {
    const auto& nodes = device_.flame.nodes;
    if (nodes.empty() || nodes[0].children.empty()) return;
    heading("calls");
    struct Entry {
      std::uint32_t node;
      unsigned depth;
    };
    std::vector<Entry> todo;
    const auto add_children = [&](std::uint32_t node, unsigned depth) {
      const auto& children = nodes[node].children;
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        if (nodes[*child].bytes >= d_.live / 50) todo.push_back({*child, depth});
    };
    add_children(0, 0);
    std::size_t shown = 0;
    while (!todo.empty() && shown++ < shown_calls) {
      auto [node, depth] = todo.back();
      todo.pop_back();
      // One caller with one callee tells nothing by itself.
      while (nodes[node].children.size() == 1 &&
             nodes[nodes[node].children[0]].bytes * 50 >= nodes[node].bytes * 49)
        node = nodes[node].children[0];
      call(nodes[node], depth);
      add_children(node, depth + 1);
    }
    if (!todo.empty()) out_ += "  … (more in the page that --html writes)\n";
  }

  void call(const snapshot::FlameNode& node, unsigned depth) {
    const std::string indent(std::min(depth * 2, 24U), ' ');
    const unsigned used = 20 + static_cast<unsigned>(indent.size());
    const std::string text = fmt::format("{} {}:{}", node.function, node.file, node.line);
    const unsigned room = o_.width > used + 20 ? o_.width - used : 20;
    std::string name = cut(node.function, 200) + " ";
    if (display_width(text) > room && display_width(name) + 12 < room)
      name += cut(fmt::format("{}:{}", node.file, node.line), room - display_width(name));
    else
      name = cut(text, room);
    out_ += fmt::format("  {:>10} {:>5}  {}{}\n", size_text(node.bytes), share_text(node.bytes, d_.live),
                        indent, name);
  }

  void free_memory() {
    const auto& u = d_.usage;
    heading(d_.events_after_failure > 0 ? "allocator, when the snapshot was taken" : "allocator");
    line(fmt::format(
        "{} reserved in {} segments{}: {} allocated{}, {} lost to rounding", size_text(u.reserved),
        u.segments, u.expandable > 0 ? fmt::format(" ({} expandable)", size_text(u.expandable)) : "",
        size_text(u.allocated),
        u.pending_free > 0 ? fmt::format(", {} waiting for another stream", size_text(u.pending_free)) : "",
        size_text(u.rounding())));
    line(fmt::format(
        "{} free in {} pieces, the largest {}: {} inside segments that are in use, {} in segments "
        "that could be given back",
        size_text(u.free()), u.free_blocks, size_text(u.largest_free), size_text(u.inactive_split),
        size_text(u.releasable)));
    for (const auto& pool : u.pools) {
      if (pool.pool.common() && pool.stream == 0) continue;
      const std::string name =
          pool.pool.common() ? "of a side stream"
          : pool.pool.first != 0
              ? fmt::format("pool ({}, {}) of a captured graph", pool.pool.first, pool.pool.second)
              : fmt::format("pool ({}, {}), of graphs that share it or of the program", pool.pool.first,
                            pool.pool.second);
      line(fmt::format("{}: {} in {} segments, {} of it free for nobody else", name, size_text(pool.reserved),
                       pool.segments, size_text(pool.free())));
    }
    if (snapshot_.settings.known)
      line(snapshot_.settings.text.empty() ? "allocator settings: none"
                                           : "allocator settings: " + snapshot_.settings.text);
  }

  void history() {
    const auto& h = d_.history;
    heading("history");
    if (h.events == 0) {
      line(
          "none was recorded (torch.cuda.memory._record_memory_history): the peak and what was freed are "
          "unknown");
      return;
    }
    line(fmt::format("{} events{}: {} allocations, {} frees, {} failed", h.events,
                     h.last_us > h.first_us
                         ? fmt::format(" in {:.3f} s", static_cast<double>(h.last_us - h.first_us) * 1e-6)
                         : "",
                     h.allocations, h.frees, h.failure_count));
    line(fmt::format("peak {} alive, {} reserved; {} of the history's own allocations", size_text(h.peak),
                     size_text(h.peak_reserved), size_text(h.peak_from_zero)));
    if (h.before > 0)
      line(fmt::format("{} allocated before it began{}: a higher peak before that is not in the file",
                       size_text(h.before),
                       h.before_unknown > 0
                           ? fmt::format(" ({} of unknown owners, freed since)", size_text(h.before_unknown))
                           : ""));
    if (d_.events_after_failure > 0)
      line(fmt::format("{} events follow the failure: it was caught, or the snapshot was taken later",
                       d_.events_after_failure));
  }

  const DeviceStory& d_;
  const SnapshotDevice& device_;
  const snapshot::Snapshot& snapshot_;
  const TextOptions& o_;
  std::string out_;
};

}  // namespace

std::string snapshot_text(const SnapshotReport& report, const TextOptions& options) {
  if (report.devices.empty()) return "\nno device holds memory in this snapshot\n";
  std::string out = Printer(report.devices.front(), *report.snapshot, options).run();
  if (report.devices.size() > 1) out += "\n" + paint("other devices", Style::bold, options.color) + "\n";
  for (std::size_t i = 1; i < report.devices.size(); ++i)
    out += Printer(report.devices[i], *report.snapshot, options).brief();
  return out;
}

std::string comparison_text(std::string_view before, std::string_view after,
                            const std::vector<snapshot::Comparison>& devices, const TextOptions& options) {
  std::string out = fmt::format("{} -> {}\n", printable(before), printable(after));
  for (const auto& device : devices) {
    const auto sum = [](const snapshot::ByUse& uses) {
      return std::accumulate(uses.begin(), uses.end(), std::uint64_t{0});
    };
    const std::uint64_t then = sum(device.before), now = sum(device.after);
    out += "\n" + paint(fmt::format("device {}", device.device), Style::bold, options.color) +
           fmt::format(": {} -> {} alive ({})\n", size_text(then), size_text(now),
                       change_text(static_cast<std::int64_t>(now) - static_cast<std::int64_t>(then)));
    std::vector<std::vector<std::string>> rows{{"use", "before", "after", "change"}};
    for (std::size_t i = 0; i < device.after.size(); ++i) {
      if (device.before[i] == 0 && device.after[i] == 0) continue;
      rows.push_back({std::string(schema::to_string(static_cast<schema::MemoryUse>(i))),
                      size_text(device.before[i]), size_text(device.after[i]),
                      change_text(static_cast<std::int64_t>(device.after[i]) -
                                  static_cast<std::int64_t>(device.before[i]))});
    }
    out += table(rows, options.width, options.color);
    std::size_t shown = 0;
    for (const auto& change : device.changes) {
      if (change.grown() == 0 || shown++ == shown_owners) break;
      if (shown == 1) out += "\n" + paint("owners that changed most", Style::bold, options.color) + "\n";
      out += fmt::format("  {:>11}  {} -> {}, {}{}\n", change_text(change.grown()), size_text(change.before),
                         size_text(change.after), schema::to_string(change.place.use),
                         change.place.module.empty() ? "" : fmt::format(", {}", change.place.module));
      const std::string where =
          change.file.empty() ? "no stack was recorded" : change.file + " " + change.function;
      out += std::string(15, ' ') +
             paint(cut(where, options.width > 36 ? options.width - 15 : 22), Style::blue, options.color) +
             "\n";
    }
  }
  return out;
}

}  // namespace headroom::report
