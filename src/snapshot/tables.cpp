#include "tables.hpp"

#include <algorithm>
#include <functional>

namespace headroom::snapshot {
namespace {

std::uint64_t mix(std::uint64_t seed, std::uint64_t value) {
  seed = (seed ^ value) * 0x9e3779b97f4a7c15ULL;
  return seed ^ (seed >> 29U);
}

std::uint64_t hash(const Frame& frame) {
  return mix(mix(mix(1, frame.file), frame.function), frame.line);
}

std::uint64_t hash(std::span<const std::uint32_t> frames) {
  std::uint64_t out = frames.size();
  for (const std::uint32_t frame : frames) out = mix(out, frame);
  return out;
}

std::uint64_t hash(std::string_view text) {
  return std::hash<std::string_view>()(text);
}

}  // namespace

Tables::Tables(Snapshot& out) : out_(out) {
  stack({});
}

TextId Tables::text(std::string_view characters) {
  const auto next = static_cast<TextId>(out_.text_ends.size() - 1);
  const TextId id = texts_.find_or_add(
      hash(characters), next, [&](TextId at) { return out_.text(at) == characters; },
      [&](TextId at) { return hash(out_.text(at)); });
  if (id == next) {
    out_.characters += characters;
    out_.text_ends.push_back(out_.characters.size());
  }
  return id;
}

std::uint32_t Tables::frame(const Frame& frame) {
  const auto next = static_cast<std::uint32_t>(out_.frames.size());
  const std::uint32_t id = frames_.find_or_add(
      hash(frame), next, [&](std::uint32_t at) { return out_.frames[at] == frame; },
      [&](std::uint32_t at) { return hash(out_.frames[at]); });
  if (id == next) out_.frames.push_back(frame);
  return id;
}

StackId Tables::stack(std::span<const std::uint32_t> frames) {
  // The empty stack is there from the beginning; the table only has to learn of it.
  const auto next = static_cast<StackId>(frames.empty() ? 0 : out_.stack_count());
  const StackId id = stacks_.find_or_add(
      hash(frames), next,
      [&](StackId at) {
        const auto other = out_.stack(at);
        return std::equal(other.begin(), other.end(), frames.begin(), frames.end());
      },
      [&](StackId at) { return hash(out_.stack(at)); });
  if (id == next && !frames.empty()) {
    out_.stack_frames.insert(out_.stack_frames.end(), frames.begin(), frames.end());
    out_.stack_ends.push_back(out_.stack_frames.size());
  }
  return id;
}

std::uint32_t Tables::stream(std::uint64_t stream) {
  const auto [at, fresh] = streams_.try_emplace(stream, static_cast<std::uint32_t>(out_.streams.size()));
  if (fresh) out_.streams.push_back(stream);
  return at->second;
}

}  // namespace headroom::snapshot
