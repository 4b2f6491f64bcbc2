#include "headroom/snapshot/flame.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <tuple>

namespace headroom::snapshot {
namespace {

class Tree {
 public:
  Tree(const Snapshot& snapshot, const Places& places) : snapshot_(snapshot), places_(places), nodes_(1) {}

  void add(const Live& live) {
    const MemoryUse use = use_of(places_.at(live.stack), live);
    std::uint32_t at = 0;
    count(at, live, use);
    const auto stack = snapshot_.stack(live.stack);
    for (auto frame = stack.rbegin(); frame != stack.rend(); ++frame) {
      if (places_.plumbing(*frame)) continue;
      at = child(at, *frame);
      count(at, live, use);
    }
  }

  Flame finish(std::uint64_t least) {
    Flame out;
    copy(0, least, out);
    return out;
  }

 private:
  struct Node {
    std::uint32_t frame = 0;
    std::uint64_t bytes = 0;
    std::size_t count = 0;
    ByUse uses{};
    std::vector<std::uint32_t> children;
  };

  void count(std::uint32_t at, const Live& live, MemoryUse use) {
    nodes_[at].bytes += live.bytes;
    nodes_[at].count += live.count;
    nodes_[at].uses[static_cast<std::size_t>(use)] += live.bytes;
  }

  std::uint32_t child(std::uint32_t parent, std::uint32_t frame) {
    const Frame& f = snapshot_.frames[frame];
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const auto [at, fresh] = known_.try_emplace(std::tuple(parent, f.file, f.function), next);
    if (fresh) {
      nodes_.emplace_back();
      nodes_.back().frame = frame;
      nodes_[parent].children.push_back(next);
    }
    return at->second;
  }

  /// Without recursion: stacks may be thousands of frames deep.
  void copy(std::uint32_t root, std::uint64_t least, Flame& out) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> todo{{root, 0}};  // ours, theirs
    out.nodes.push_back(made(root, true));
    while (!todo.empty()) {
      const auto [from, to] = todo.back();
      todo.pop_back();
      std::vector<std::uint32_t> children = nodes_[from].children;
      std::erase_if(children, [&](std::uint32_t i) { return nodes_[i].bytes < least; });
      std::stable_sort(children.begin(), children.end(),
                       [&](std::uint32_t a, std::uint32_t b) { return nodes_[a].bytes > nodes_[b].bytes; });
      for (const std::uint32_t i : children) {
        const auto made_at = static_cast<std::uint32_t>(out.nodes.size());
        out.nodes[to].children.push_back(made_at);
        out.nodes.push_back(made(i, false));
        todo.emplace_back(i, made_at);
      }
    }
  }

  [[nodiscard]] FlameNode made(std::uint32_t at, bool root) const {
    const Node& node = nodes_[at];
    FlameNode out;
    out.bytes = node.bytes;
    out.count = node.count;
    const auto most = std::max_element(node.uses.begin(), node.uses.end());
    if (*most > 0) out.use = static_cast<MemoryUse>(most - node.uses.begin());
    if (root) return out;
    const Frame& frame = snapshot_.frames[node.frame];
    out.function = snapshot_.text(frame.function);
    out.file = places_.short_path(node.frame);
    out.line = frame.line;
    return out;
  }

  const Snapshot& snapshot_;
  const Places& places_;
  std::vector<Node> nodes_;
  std::map<std::tuple<std::uint32_t, TextId, TextId>, std::uint32_t> known_;
};

}  // namespace

Flame flame(const Snapshot& snapshot, const schema::LogTable& frames, const schema::OwnerTable& owners,
            const DeviceStory& story, std::uint64_t least) {
  const Places places(snapshot, frames, owners, story.groups);
  Tree tree(snapshot, places);
  for (const Live& live : story.groups) tree.add(live);
  return tree.finish(least);
}

}  // namespace headroom::snapshot
