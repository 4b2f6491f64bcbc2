#include "line_reader.hpp"

#include <algorithm>
#include <array>

#include "allocator_message.hpp"
#include "text.hpp"

namespace headroom::oom {

using schema::LinePattern;

namespace {

constexpr std::size_t slots = 4096;  // streams remembered at a time
constexpr std::size_t most_failures = 64, most_exceptions = 32, most_ranks = 4096, longest_line = 2000;
constexpr std::uint32_t most_continued = 16;  // lines of a wrapped message
constexpr std::uint32_t patience = 32;        // lines of others between them

constexpr std::array<std::string_view, 14> own_marks{"Traceback (most recent",
                                                     "  File \"",
                                                     "Error",
                                                     "Exception",
                                                     "expandable_segments not supported",
                                                     ".py:1",
                                                     ".py:2",
                                                     ".py:3",
                                                     ".py:4",
                                                     ".py:5",
                                                     ".py:6",
                                                     ".py:7",
                                                     ".py:8",
                                                     ".py:9"};

/// `pkg.mod.SomeError` at the start.
std::string_view exception_type(std::string_view body) {
  const auto end = body.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.");
  const std::string_view name = body.substr(0, end);
  const bool ends = end == std::string_view::npos || body[end] == ':';
  if (!ends || name.size() < 5) return {};
  if (name.ends_with("Error") || name.ends_with("Exception")) return name;
  return {};
}

/// `node-03:41822:42077 [3] include/alloc.h:178 NCCL WARN …`: the device of the node.
std::optional<std::int64_t> nccl_device(std::string_view text) {
  const auto at = text.find(" NCCL ");
  if (at == std::string_view::npos) return std::nullopt;
  const auto open = text.substr(0, at).rfind('[');
  if (open == std::string_view::npos) return std::nullopt;
  const auto number = leading_integer(text.substr(open + 1));
  return number && *number >= 0 && *number < 1024 ? number : std::nullopt;
}

std::optional<double> bytes_asked_for(std::string_view text) {
  for (const std::string_view mark : {"calloc async ", "calloc ", "malloc ", "host alloc ", "allocate "}) {
    if (const auto rest = after(text, mark))
      if (const auto size = leading_size(*rest)) return size;
  }
  return std::nullopt;
}

bool may_continue(std::string_view body) {
  for (const std::string_view part :
       {"iB", "PyTorch", "memory", "alloc", "capacity", "free", "Process", "GPU", "fragmentation"})
    if (holds(body, part)) return true;
  return false;
}

/// Lines of a wrapped message: by a blank, but a number that was cut stays one.
std::string join(std::string_view first, std::string_view second) {
  while (!first.empty() && first.back() == ' ') first.remove_suffix(1);
  const bool number = !first.empty() && !second.empty() && (is_digit(first.back()) || first.back() == '.') &&
                      (is_digit(second.front()) || second.front() == '.');
  return std::string(first) + (number ? "" : " ") + std::string(second);
}

int known(const AllocatorFigures& f) {
  int count = 0;
  for (const auto* figure : {&f.tried, &f.capacity, &f.free, &f.in_use, &f.allowed, &f.allocated,
                             &f.private_pools, &f.reserved_unallocated})
    count += figure->has_value() ? 1 : 0;
  return count;
}

/// What makes more sense: lines wrapped between words, or cut where they were full.
AllocatorFigures better(std::string_view joined, std::string_view cut) {
  AllocatorFigures by_words, by_width;
  read_allocator_message(joined, by_words);
  read_allocator_message(cut, by_width);
  return known(by_width) > known(by_words) ? by_width : by_words;
}

}  // namespace

std::vector<std::string_view> LineReader::needles_of(const schema::LogTable& table) {
  std::vector<std::string_view> out(own_marks.begin(), own_marks.end());
  const auto add = [&](std::string_view text) {
    if (out.size() < max_needles && text.size() >= Scanner::shortest &&
        std::find(out.begin(), out.end(), text) == out.end())
      out.push_back(text);
  };
  for (const std::string_view mark : run_line_marks()) add(mark);
  for (const LinePattern& p : table.lines) add(p.all.front());
  std::erase_if(out, [](std::string_view n) { return n.size() < Scanner::shortest; });
  return out;
}

LineReader::LineReader(const schema::LogTable& table)
    : table_(table), needles_(needles_of(table)), scanner_(needles_), frames_(table.frames), streams_(slots) {
  for (const LinePattern& p : table.lines) {
    const auto it = std::find(needles_.begin(), needles_.end(), p.all.front());
    pattern_needle_.push_back(static_cast<std::uint16_t>(it - needles_.begin()));
    pattern_needles_.set(pattern_needle_.back());
  }
  first_mark_ = own_marks.size();
  for (std::size_t i = 0; i < run_line_marks().size(); ++i) mark_needles_.set(first_mark_ + i);
  for (std::size_t i = 0; i < own_marks.size(); ++i)
    if (own_marks[i].starts_with(".py:")) rich_needles_.set(i);
}

LineReader::Stream& LineReader::stream_of(const Prefix& prefix) {
  Stream& s = streams_[static_cast<std::size_t>((prefix.stream * 0x9e3779b97f4a7c15ull) >> 52)];
  if (s.key != prefix.stream) {
    s = Stream{};
    s.key = prefix.stream;
  }
  return s;
}

void LineReader::read(std::uint64_t number, std::string_view line) {
  const NeedleSet present = scanner_.all(line);
  // Warnings and log records name a file and a line as frames of rich do.
  const bool dull = (present & ~rich_needles_).none() && (present.none() || !read_frame(line));
  if (wanted_ > 0)
    --wanted_;
  else if (dull)
    return;
  if (line.find('\x1b') == std::string_view::npos) return read_wanted(number, line, present);
  const std::string plain = cleaned(line, line.size());
  read_wanted(number, plain, scanner_.all(plain));
}

void LineReader::read_wanted(std::uint64_t number, std::string_view line, const NeedleSet& present) {
  const Prefix prefix = read_prefix(line);
  const auto marks = static_cast<std::uint32_t>(((present & mark_needles_) >> first_mark_).to_ullong());
  if (marks != 0 && run_.read(number, line, prefix, marks)) return;
  Stream& stream = stream_of(prefix);
  if (traceback(number, prefix, stream)) return;
  if ((present & pattern_needles_).any() && failure(number, prefix, stream, present)) return;
  if (exception(number, prefix, stream)) return;
  if (continues(prefix, stream)) return;
  if (stream.trace.wants_source() && prefix.body.find_first_not_of(" ^~\t") != std::string_view::npos)
    stream.trace.source(prefix.body);
  if (!facts_.allocator_warning && holds(line, "expandable_segments not supported"))
    facts_.allocator_warning = LogLine{number, cleaned(line, longest_line)};
}

bool LineReader::traceback(std::uint64_t number, const Prefix& prefix, Stream& stream) {
  if (holds(prefix.body, "Traceback (most recent")) {
    settle(stream);
    stream.trace.begin(false);
    return true;
  }
  const auto frame = read_frame(prefix.body);
  if (!frame) return false;
  settle(stream);
  stream.trace.frame(number, frame->file, frame->function, frames_);
  wanted_ = std::max(wanted_, 3u);
  return true;
}

const LinePattern* LineReader::match(std::string_view text, const NeedleSet& present) const {
  for (std::size_t i = 0; i < table_.lines.size(); ++i) {
    if (!present[pattern_needle_[i]]) continue;
    const LinePattern& p = table_.lines[i];
    const auto there = [&](std::string_view part) { return holds(text, part); };
    if (std::all_of(p.all.begin() + 1, p.all.end(), there) &&
        std::none_of(p.none.begin(), p.none.end(), there))
      return &p;
  }
  return nullptr;
}

bool LineReader::failure(std::uint64_t number, const Prefix& prefix, Stream& stream,
                         const NeedleSet& present) {
  const LinePattern* p = match(prefix.body, present);
  if (p == nullptr) return false;
  settle(stream);
  ++facts_.counts[p->kind];
  Failure f;
  f.kind = p->kind;
  f.where = {number, cleaned(prefix.body, longest_line)};
  f.rank = prefix.rank;
  f.local_rank = prefix.local_rank ? prefix.local_rank : nccl_device(prefix.body);
  f.says = p->says;
  f.trace = stream.trace.close(frames_);
  if (p->kind == LineKind::allocator) {
    read_allocator_message(prefix.body, f.figures);
    note_rank(f);
  } else {
    f.tried = bytes_asked_for(prefix.body);
  }
  keep(std::move(f), stream);
  return true;
}

void LineReader::keep(Failure failure, Stream& stream) {
  auto& all = facts_.failures;
  std::size_t same = 0;
  for (const Failure& f : all) {
    if (f.kind != failure.kind) continue;
    if (f.rank == failure.rank && f.trace.phase == failure.trace.phase && ++same >= 3) return;
  }
  // Room for each kind, however often another is met.
  if (all.size() >= most_failures) {
    const bool known =
        std::any_of(all.begin(), all.end(), [&](const Failure& f) { return f.kind == failure.kind; });
    if (known) return;
    all.pop_back();
  }
  if (failure.kind == LineKind::allocator && !is_complete(failure.figures)) {
    stream.open_failure = all.size();
    stream.open_lines = 0;
    stream.open_text = stream.open_cut = failure.where.text;
    wanted_ = std::max(wanted_, patience);
  }
  all.push_back(std::move(failure));
}

void LineReader::settle(Stream& stream) {
  stream.open_failure = SIZE_MAX;
  stream.open_text.clear();
  stream.open_cut.clear();
}

void LineReader::note_rank(const Failure& failure) {
  if (!failure.rank) return;
  auto& ranks = facts_.ranks;
  if (!ranks.contains(*failure.rank)) {
    ++facts_.failed_ranks;
    if (ranks.size() >= most_ranks) return;
  }
  RankFigures& r = ranks[*failure.rank];
  r.failed = true;
  r.allocated = failure.figures.allocated;
  r.in_use = failure.figures.in_use;
  r.capacity = failure.figures.capacity;
}

bool LineReader::continues(const Prefix& prefix, Stream& stream) {
  if (stream.open_failure >= facts_.failures.size()) return false;
  if (++stream.open_lines > most_continued || stream.open_text.size() > longest_line) {
    settle(stream);
    return false;
  }
  std::string_view body = prefix.body;
  const auto begin = body.find_first_not_of(" \t");
  if (begin == std::string_view::npos || !may_continue(body)) return false;
  body.remove_prefix(begin);
  Failure& f = facts_.failures[stream.open_failure];
  stream.open_text = join(stream.open_text, cleaned(body, longest_line));
  stream.open_cut += cleaned(prefix.body, longest_line);
  f.figures = better(stream.open_text, stream.open_cut);
  f.where.text = stream.open_text.substr(0, longest_line);
  wanted_ = std::max(wanted_, patience);
  if (is_complete(f.figures)) {
    note_rank(f);
    settle(stream);
  }
  return true;
}

bool LineReader::exception(std::uint64_t number, const Prefix& prefix, Stream& stream) {
  const std::string_view type = exception_type(prefix.body);
  if (type.empty()) return false;
  settle(stream);
  if (facts_.exceptions.size() >= most_exceptions) return true;
  const std::string_view message = prefix.body.substr(type.size());
  Exception e;
  e.where = {number, cleaned(prefix.body, longest_line)};
  e.rank = prefix.rank;
  e.type = std::string(type);
  e.message = cleaned(message.substr(std::min<std::size_t>(message.size(), message.find_first_not_of(": "))),
                      longest_line);
  e.trace = stream.trace.close(frames_);
  const bool known = std::any_of(facts_.exceptions.begin(), facts_.exceptions.end(), [&](const Exception& k) {
    return k.type == e.type && k.message == e.message;
  });
  if (!known) facts_.exceptions.push_back(std::move(e));
  return true;
}

LogFacts LineReader::finish() {
  run_.finish(facts_);
  return std::move(facts_);
}

}  // namespace headroom::oom
