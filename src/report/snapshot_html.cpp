// A snapshot as one page. Everything stands in it; its own policy forbids to load anything.
#include <fmt/format.h>

#include <algorithm>

#include "headroom/report/snapshot.hpp"
#include "memory_size.hpp"
#include "snapshot_page.hpp"

namespace headroom::report {
namespace {

using snapshot::DeviceStory;
using snapshot::Moment;

constexpr std::size_t shown_owners = 40;
constexpr std::size_t shown_segments = 400;
constexpr double chart_width = 1000, chart_height = 180;

std::string use_name(schema::MemoryUse use) {
  return std::string(schema::to_string(use));
}

class Page {
 public:
  Page(const SnapshotReport& report, const ExplainReport& explanation) : r_(report), e_(explanation) {}

  std::string run() {
    out_ = page_head(html_escaped(e_.path));
    headline();
    legend();
    for (const auto& device : r_.devices) section(device);
    out_ += page_end();
    return std::move(out_);
  }

 private:
  void headline() {
    const auto& d = e_.diagnosis;
    out_ += fmt::format("<h1>{}</h1>\n<p class=\"cause{}\"><b>{}</b>{} {}</p>\n", html_escaped(e_.path),
                        d.cause == oom::Cause::not_memory ? " fine" : "", oom::to_string(d.cause),
                        d.confidence > 0 ? fmt::format(" ({:.0f}&nbsp;%)", d.confidence * 100) : "",
                        html_escaped(d.why.empty() ? std::string(oom::in_words(d.cause)) : d.why));
    if (!d.alternatives.empty()) {
      out_ += "<ul>\n";
      for (const auto& other : d.alternatives)
        out_ += fmt::format("<li>{} ({:.0f}&nbsp;%): {}</li>\n", oom::to_string(other.cause),
                            other.confidence * 100, html_escaped(other.why));
      out_ += "</ul>\n";
    }
  }

  void legend() {
    out_ += "<p class=\"legend\">";
    for (std::size_t i = 0; i < schema::memory_uses; ++i)
      out_ +=
          fmt::format("<span><i class=\"{0}\"></i>{0}</span> ", use_name(static_cast<schema::MemoryUse>(i)));
    out_ += "<span><i class=\"free\"></i>free</span></p>\n";
  }

  void section(const SnapshotDevice& device) {
    const DeviceStory& d = *device.story;
    const char* const moment = d.moment == Moment::failure ? "failure"
                               : d.moment == Moment::peak  ? "peak"
                                                           : "dump";
    out_ += fmt::format(
        "<h2>Device {}</h2>\n<p>{} alive at the {}; {} allocated of {} reserved in {} segments when the "
        "snapshot was taken.</p>\n",
        d.usage.device, size_text(d.live), moment, size_text(d.usage.allocated), size_text(d.usage.reserved),
        d.usage.segments);
    uses(d);
    history(d);
    flame(device);
    segments(d);
    owners(device);
  }

  void uses(const DeviceStory& d) {
    out_ += "<div class=\"stacked\">";
    for (std::size_t i = 0; i < d.uses.size(); ++i) {
      if (d.uses[i] == 0) continue;
      const double share =
          100.0 * static_cast<double>(d.uses[i]) / static_cast<double>(std::max<std::uint64_t>(1, d.live));
      const std::string name = use_name(static_cast<schema::MemoryUse>(i));
      out_ += fmt::format("<span class=\"{0}\" style=\"width:{1:.3f}%\" title=\"{0}: {2}, {3}\"></span>",
                          name, share, size_text(d.uses[i]), share_text(d.uses[i], d.live));
    }
    out_ += "</div>\n";
  }

  void history(const DeviceStory& d) {
    const auto& h = d.history;
    if (h.levels.size() < 2) {
      out_ += "<p>No history was recorded.</p>\n";
      return;
    }
    const double top = static_cast<double>(std::max<std::uint64_t>({1, h.peak_reserved, h.peak}));
    const auto x = [&](std::size_t event) {
      return chart_width * static_cast<double>(event) /
             static_cast<double>(std::max<std::size_t>(1, h.events - 1));
    };
    const auto y = [&](std::uint64_t bytes) { return chart_height * (1 - static_cast<double>(bytes) / top); };
    std::string live = fmt::format("0,{:.1f}", chart_height), reserved;
    for (const auto& level : h.levels) {
      live += fmt::format(" {:.1f},{:.1f}", x(level.event), y(level.live));
      reserved += fmt::format("{:.1f},{:.1f} ", x(level.event), y(level.reserved));
    }
    live += fmt::format(" {:.1f},{:.1f}", x(h.levels.back().event), chart_height);
    out_ += fmt::format(
        "<h3>History: {} events{}</h3>\n<svg class=\"chart\" viewBox=\"0 0 {:.0f} {:.0f}\" "
        "preserveAspectRatio=\"none\"><title>alive and reserved over the events</title>"
        "<polygon points=\"{}\"/><polyline points=\"{}\"/>",
        h.events, h.before > 0 ? fmt::format(", {} allocated before it began", size_text(h.before)) : "",
        chart_width, chart_height, live, reserved);
    if (d.event < h.events)
      out_ += fmt::format("<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"0\" y2=\"{1:.0f}\"/>", x(d.event),
                          chart_height);
    out_ +=
        fmt::format("</svg>\n<p class=\"small\">Area: alive, at most {}. Line: reserved, at most {}.</p>\n",
                    size_text(h.peak), size_text(h.peak_reserved));
  }

  void flame(const SnapshotDevice& device) {
    const auto& nodes = device.flame.nodes;
    if (nodes.empty() || nodes[0].bytes == 0) return;
    out_ +=
        "<h3>Calls</h3>\n<p class=\"small\">Outermost call on top; width is memory. Click a call to see it "
        "over the "
        "whole width, the top row to go back.</p>\n<div class=\"flame\">\n";
    struct Entry {
      std::uint32_t node, depth;
      double left;
    };
    std::vector<Entry> todo{{0, 0, 0.0}};
    const double whole = static_cast<double>(nodes[0].bytes);
    std::uint32_t deepest = 0;
    while (!todo.empty()) {
      const Entry at = todo.back();
      todo.pop_back();
      const auto& node = nodes[at.node];
      deepest = std::max(deepest, at.depth);
      call(node, at.depth, at.left, static_cast<double>(node.bytes) / whole, nodes[0].bytes);
      double left = at.left;
      for (const std::uint32_t child : node.children) {
        todo.push_back({child, at.depth + 1, left});
        left += static_cast<double>(nodes[child].bytes) / whole;
      }
    }
    out_ += fmt::format("<div style=\"height:{}px\"></div>\n</div>\n", (deepest + 1) * 18);
  }

  void call(const snapshot::FlameNode& node, std::uint32_t depth, double left, double width,
            std::uint64_t whole) {
    const std::string name = depth == 0 ? "all" : html_escaped(node.function);
    const std::string place = depth == 0 ? "" : fmt::format(" {}:{}", html_escaped(node.file), node.line);
    out_ += fmt::format(
        "<b class=\"{}\" data-l=\"{:.6f}\" data-w=\"{:.6f}\" style=\"top:{}px;left:{:.4f}%;width:{:.4f}%\" "
        "title=\"{}{}&#10;{}, {}, {} allocations\">{}</b>\n",
        use_name(node.use), left, width, depth * 18, left * 100, width * 100, name, place,
        size_text(node.bytes), share_text(node.bytes, whole), node.count, name);
  }

  void segments(const DeviceStory& d) {
    std::vector<const snapshot::Segment*> shown;
    for (const auto& segment : r_.snapshot->segments)
      if (segment.device == d.usage.device) shown.push_back(&segment);
    std::stable_sort(shown.begin(), shown.end(),
                     [](const auto* a, const auto* b) { return a->bytes > b->bytes; });
    const std::size_t all = shown.size();
    shown.resize(std::min(shown.size(), shown_segments));
    if (shown.empty()) return;
    out_ += fmt::format("<h3>Segments: {} free in {} pieces, the largest {}</h3>\n",
                        size_text(d.usage.free()), d.usage.free_blocks, size_text(d.usage.largest_free));
    if (all > shown.size())
      out_ += fmt::format("<p class=\"small\">The {} largest of {}.</p>\n", shown.size(), all);
    out_ += "<div class=\"segments\">\n";
    for (const auto* segment : shown) this->segment(*segment, shown.front()->bytes);
    out_ += "</div>\n";
  }

  void segment(const snapshot::Segment& segment, std::uint64_t largest) {
    std::string kind = segment.expandable ? "expandable" : segment.large ? "large" : "small";
    if (!segment.pool.common())
      kind += fmt::format(", pool ({}, {})", segment.pool.first, segment.pool.second);
    if (segment.stream != 0) kind += ", side stream";
    const double width =
        100.0 * static_cast<double>(segment.bytes) / static_cast<double>(std::max<std::uint64_t>(1, largest));
    out_ +=
        fmt::format("<div style=\"width:{:.3f}%\" title=\"{} {}\">", width, size_text(segment.bytes), kind);
    // Neighbours of one state are one piece, and pieces that no screen can show are none.
    const auto blocks = r_.snapshot->blocks_of(segment);
    for (std::size_t i = 0; i < blocks.size();) {
      std::uint64_t bytes = 0;
      std::size_t end = i;
      while (end < blocks.size() && blocks[end].active() == blocks[i].active()) bytes += blocks[end++].bytes;
      const double part =
          100.0 * static_cast<double>(bytes) / static_cast<double>(std::max<std::uint64_t>(1, segment.bytes));
      out_ += fmt::format("<i class=\"{}\" style=\"width:{:.3f}%\" title=\"{} {}\"></i>",
                          blocks[i].active() ? "used" : "free", part, size_text(bytes),
                          blocks[i].active() ? "in use" : "free");
      i = end;
    }
    out_ += "</div>\n";
  }

  void owners(const SnapshotDevice& device) {
    const DeviceStory& d = *device.story;
    out_ +=
        "<h3>Owners</h3>\n<table><tr><th>bytes<th>share<th>allocations<th>use<th>phase<th>module<th>where</"
        "tr>\n";
    for (std::size_t i = 0; i < d.owners.size() && i < shown_owners; ++i) {
      const auto& owner = d.owners[i];
      const std::string where = owner.before_history             ? "before the history began, freed since"
                                : device.owner_places[i].empty() ? "no stack was recorded"
                                                                 : device.owner_places[i];
      out_ += fmt::format(
          "<tr><td>{}<td>{}<td>{}<td><i class=\"{}\"></i>{}<td>{}<td>{}<td>{}</tr>\n", size_text(owner.bytes),
          share_text(owner.bytes, d.live), owner.count, use_name(owner.place.use), use_name(owner.place.use),
          schema::to_string(owner.place.phase), html_escaped(owner.place.module), html_escaped(where));
    }
    out_ += "</table>\n";
  }

  const SnapshotReport& r_;
  const ExplainReport& e_;
  std::string out_;
};

}  // namespace

std::string snapshot_html(const SnapshotReport& report, const ExplainReport& explanation) {
  return Page(report, explanation).run();
}

}  // namespace headroom::report
