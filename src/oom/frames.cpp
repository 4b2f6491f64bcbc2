#include "frames.hpp"

#include <algorithm>

#include "text.hpp"

namespace headroom::oom {

using schema::FramePattern;

namespace {

constexpr std::size_t most_frames = 4, longest_part = 160;

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

/// `moe/experts.py` is the end of `/x/moe/experts.py`, not of `/x/my_moe/experts.py`.
bool ends_as_path(std::string_view path, std::string_view end) {
  if (!path.ends_with(end)) return false;
  return path.size() == end.size() || path[path.size() - end.size() - 1] == '/';
}

std::string_view word(std::string_view text) {
  const auto end =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_<>.");
  return text.substr(0, end);
}

}  // namespace

FrameIndex::FrameIndex(std::span<const FramePattern> patterns) : patterns_(patterns) {
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    const FramePattern& p = patterns[i];
    const auto id = static_cast<std::uint16_t>(i);
    if (!p.function.empty())
      by_function_[p.function].push_back(id);
    else if (!p.file.empty())
      by_file_[base_name(p.file)].push_back(id);
    else
      by_source_.push_back(id);
  }
}

const FramePattern* FrameIndex::match(std::string_view file, std::string_view function,
                                      std::string_view source) const {
  std::size_t best = patterns_.size();
  const auto consider = [&](const std::vector<std::uint16_t>& ids) {
    for (const std::uint16_t id : ids) {
      if (id >= best) return;
      const FramePattern& p = patterns_[id];
      if (!p.file.empty() && !ends_as_path(file, p.file)) continue;
      if (!p.source.empty() && !holds(source, p.source)) continue;
      best = id;
      return;
    }
  };
  if (const auto it = by_function_.find(function); it != by_function_.end()) consider(it->second);
  if (const auto it = by_file_.find(base_name(file)); it != by_file_.end()) consider(it->second);
  if (!source.empty()) consider(by_source_);
  return best == patterns_.size() ? nullptr : &patterns_[best];
}

void TraceReader::begin(bool cut) {
  trace_ = Trace{};
  trace_.cut = cut;
  open_ = true;
  pending_ = false;
  source_.clear();
}

void TraceReader::frame(std::uint64_t line, std::string_view file, std::string_view function,
                        const FrameIndex& index) {
  if (!open_) begin(true);
  settle(index);
  ++trace_.depth;
  line_ = line;
  file_ = cleaned(file.size() > longest_part ? file.substr(file.size() - longest_part) : file, longest_part);
  function_ = cleaned(function, longest_part);
  source_.clear();
  pending_ = true;
}

void TraceReader::source(std::string_view text) {
  if (pending_) source_ = cleaned(text, longest_part);
}

void TraceReader::settle(const FrameIndex& index) {
  if (!pending_) return;
  pending_ = false;
  const FramePattern* p = index.match(file_, function_, source_);
  if (p == nullptr) return;
  if (p->phase >= trace_.phase) trace_.phase = p->phase;
  if (!p->module.empty()) trace_.module = p->module;
  if (p->module == "recompute" && p->phase == LogPhase::backward) ++trace_.nested_backward;
  std::string text = file_ + " in " + function_;
  if (!source_.empty()) text += ": " + source_;
  if (trace_.frames.size() == most_frames) trace_.frames.erase(trace_.frames.begin());
  trace_.frames.push_back({line_, std::move(text)});
}

const Trace& TraceReader::close(const FrameIndex& index) {
  settle(index);
  open_ = false;
  return trace_;
}

std::optional<Frame> read_frame(std::string_view line) {
  if (const auto quoted = after(line, "File \"")) {
    const auto end = quoted->find('"');
    if (end == std::string_view::npos || !holds(quoted->substr(end), ", line ")) return std::nullopt;
    const auto in = after(quoted->substr(end), ", in ");
    return Frame{quoted->substr(0, end), in ? word(*in) : std::string_view()};
  }
  const auto at = line.find(".py:");
  if (at == std::string_view::npos || at + 4 >= line.size() || !is_digit(line[at + 4])) return std::nullopt;
  const auto begin = line.find_last_of(" \t", at);
  const auto rest = line.substr(at + 4);
  const auto digits = rest.find_first_not_of("0123456789");
  if (digits == std::string_view::npos || !rest.substr(digits).starts_with(" in ")) return std::nullopt;
  const std::size_t from = begin == std::string_view::npos ? 0 : begin + 1;
  return Frame{line.substr(from, at + 3 - from), word(rest.substr(digits + 4))};
}

}  // namespace headroom::oom
