#include "headroom/snapshot/owners.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace headroom::snapshot {
namespace {

/// Whether `path` ends in `end` at the border of a folder or file name, or lies in the folder that it names.
bool path_fits(std::string_view path, std::string_view end) {
  const std::size_t at = end.ends_with('/') ? path.rfind(end) : path.size() - end.size();
  if (end.size() > path.size() || at == std::string_view::npos || path.substr(at, end.size()) != end)
    return false;
  return at == 0 || path[at - 1] == '/';
}

template <class Mark>
bool mark_fits(const Mark& mark, std::string_view file, std::string_view function) {
  return (mark.file.empty() || path_fits(file, mark.file)) &&
         (mark.function.empty() || mark.function == function);
}

bool is_python(std::string_view file) {
  return file.ends_with(".py") || file.starts_with('<');
}

}  // namespace

Places::Places(const Snapshot& snapshot, const schema::LogTable& frames, const schema::OwnerTable& owners,
               const std::vector<Live>& groups)
    : snapshot_(snapshot), frames_(frames), owners_(owners) {
  judged_.reserve(snapshot.frames.size());
  for (const Frame& frame : snapshot.frames) judged_.push_back(judge(frame));
  learn_lines(groups);
}

Places::Judged Places::judge(const Frame& frame) const {
  Judged out;
  const std::string_view path = snapshot_.text(frame.file);
  const std::string_view function = snapshot_.text(frame.function);
  if (!is_python(path)) {
    out.native = out.plumbing = true;
    const auto holds = [&](const schema::NativeMark& mark) {
      return function.find(mark.part) != std::string_view::npos;
    };
    const auto found = std::find_if(owners_.native.begin(), owners_.native.end(), holds);
    if (found != owners_.native.end()) out.mark = &*found;
    return out;
  }
  for (const auto& pattern : frames_.frames) {
    // Entries about a source line are for tracebacks: a snapshot has no source.
    if (!pattern.source.empty() || !mark_fits(pattern, path, function)) continue;
    out.phase = pattern.phase;
    out.module = pattern.module;
    break;
  }
  const auto passes_on = [&](const schema::FrameMark& mark) { return mark_fits(mark, path, function); };
  out.plumbing = std::any_of(owners_.plumbing.begin(), owners_.plumbing.end(), passes_on);
  for (std::size_t i = 0; i < owners_.uses.size(); ++i) {
    const auto& rule = owners_.uses[i];
    if (!(rule.file.empty() && rule.function.empty()) && mark_fits(rule, path, function))
      out.uses.push_back(static_cast<std::uint16_t>(i));
  }
  return out;
}

void Places::learn_lines(const std::vector<Live>& groups) {
  std::map<std::pair<std::uint16_t, TextId>, std::map<std::uint32_t, std::uint64_t>> bytes;
  for (const Live& group : groups) {
    for (const std::uint32_t frame : snapshot_.stack(group.stack)) {
      if (judged_[frame].plumbing) continue;
      for (const std::uint16_t rule : judged_[frame].uses)
        if (owners_.uses[rule].uses.size() > 1)
          bytes[{rule, snapshot_.frames[frame].file}][snapshot_.frames[frame].line] += group.bytes;
      break;  // only what the function itself allocates
    }
  }
  for (const auto& [key, lines] : bytes) {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> largest;
    for (const auto& [line, size] : lines) largest.emplace_back(size, line);
    std::sort(largest.rbegin(), largest.rend());
    largest.resize(std::min(largest.size(), owners_.uses[key.first].uses.size()));
    Lines out{key.first, key.second, {}};
    for (const auto& entry : largest) out.lines.push_back(entry.second);
    std::sort(out.lines.begin(), out.lines.end());
    lines_.push_back(std::move(out));
  }
}

bool Places::fits(const schema::UseRule& rule, std::uint16_t number, const Place& place,
                  const std::vector<std::uint32_t>& frames) const {
  if (!rule.module.empty() && rule.module != place.module) return false;
  if (rule.phase != LogPhase::unknown && rule.phase != place.phase) return false;
  if (rule.file.empty() && rule.function.empty()) return true;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto& uses = judged_[frames[i]].uses;
    if (std::find(uses.begin(), uses.end(), number) == uses.end()) continue;
    if (rule.caller.empty()) return true;
    // A function that calls itself, or another of its file, is passed.
    std::size_t caller = i + 1;
    while (caller < frames.size() && file(frames[caller]) == file(frames[i])) ++caller;
    if (caller < frames.size() && path_fits(file(frames[caller]), rule.caller)) return true;
  }
  return false;
}

MemoryUse Places::use_of(std::uint16_t number, const Place& place) const {
  const auto& uses = owners_.uses[number].uses;
  if (uses.size() == 1 || !place.frame) return uses.back();
  const Frame& frame = snapshot_.frames[*place.frame];
  for (const Lines& known : lines_) {
    if (known.rule != number || known.file != frame.file) continue;
    const auto at = std::find(known.lines.begin(), known.lines.end(), frame.line);
    if (at == known.lines.end()) return uses.back();
    // Fewer lines than uses: what is made first was left out.
    const auto from_end = static_cast<std::size_t>(known.lines.end() - at);
    return uses[uses.size() - from_end];
  }
  return uses.back();
}

Place Places::at(StackId stack) const {
  Place out;
  std::vector<std::uint32_t> frames;  // that are no plumbing
  const schema::NativeMark* native = nullptr;
  for (const std::uint32_t frame : snapshot_.stack(stack)) {
    const Judged& judged = judged_[frame];
    if (native == nullptr) native = judged.mark;
    out.phase = std::max(out.phase, judged.phase);
    if (out.module.empty()) out.module = judged.module;
    if (!judged.plumbing) frames.push_back(frame);
  }
  if (!frames.empty())
    out.frame = frames.front();
  else if (!snapshot_.stack(stack).empty())
    out.frame = snapshot_.stack(stack).front();
  if (native != nullptr && native->phase == LogPhase::unknown) {
    out.use = native->use;
    return out;
  }
  for (std::size_t i = 0; i < owners_.uses.size(); ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    if (!fits(owners_.uses[i], number, out, frames)) continue;
    out.use = use_of(number, out);
    return out;
  }
  if (native != nullptr) {
    out.use = native->use;
    out.phase = std::max(out.phase, native->phase);
  }
  return out;
}

std::string_view Places::short_path(std::uint32_t frame) const {
  const std::string_view path = file(frame);
  for (const std::string_view root : owners_.roots) {
    const std::size_t at = path.rfind(root);
    if (at != std::string_view::npos && (at == 0 || path[at - 1] == '/')) return path.substr(at);
  }
  std::size_t from = path.size();
  for (int parts = 0; parts < 3; ++parts) {
    const std::size_t slash = path.substr(0, from).rfind('/');
    if (slash == std::string_view::npos) return path;
    from = slash;
  }
  return path.substr(from + 1);
}

MemoryUse use_of(const Place& place, const Live& group) {
  if (group.graph_pool) return MemoryUse::graphs;
  const bool states = place.use == MemoryUse::weights || place.use == MemoryUse::gradients ||
                      place.use == MemoryUse::optimizer || place.use == MemoryUse::communication;
  return group.shared_pool && !states ? MemoryUse::graphs : place.use;
}

std::vector<Owner> owners(const Places& places, const Snapshot& snapshot, const std::vector<Live>& groups) {
  using Key = std::tuple<TextId, TextId, MemoryUse, LogPhase, std::string_view, bool>;
  std::map<Key, Owner> found;
  std::map<Key, std::uint64_t> largest_group;
  for (const Live& group : groups) {
    Place place = places.at(group.stack);
    place.use = use_of(place, group);
    Frame frame;
    if (place.frame) frame = snapshot.frames[*place.frame];
    const Key key{frame.file, frame.function, place.use, place.phase, place.module, group.before_history};
    Owner& owner = found[key];
    if (owner.count == 0 || group.bytes > largest_group[key]) {
      owner.place = place;
      owner.stack = group.stack;
      largest_group[key] = group.bytes;
    }
    owner.before_history = group.before_history;
    owner.bytes += group.bytes;
    owner.count += group.count;
    owner.largest = std::max(owner.largest, group.largest);
  }
  std::vector<Owner> out;
  out.reserve(found.size());
  for (const auto& [key, owner] : found) out.push_back(owner);
  std::stable_sort(out.begin(), out.end(), [](const Owner& a, const Owner& b) { return a.bytes > b.bytes; });
  return out;
}

ByUse by_use(const std::vector<Owner>& owners) {
  ByUse out{};
  for (const Owner& owner : owners) out[static_cast<std::size_t>(owner.place.use)] += owner.bytes;
  return out;
}

}  // namespace headroom::snapshot
