#include "builder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace headroom::snapshot {
namespace {

// Beyond these a number is no memory of a device; sums over a file can't overflow.
constexpr std::uint64_t any = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t max_bytes = std::uint64_t{1} << 44U;
constexpr std::uint64_t max_device = 1023;
constexpr std::size_t max_segments = std::size_t{1} << 19U;
constexpr std::size_t max_nested = 4096;

}  // namespace

std::string_view kind_name(Value::Kind kind) {
  constexpr std::array<std::string_view, 9> names{"None",   "a boolean", "a number",  "a number", "a number",
                                                  "a text", "a tuple",   "a mapping", "a list"};
  return names[static_cast<std::size_t>(kind)];
}

Builder::Builder(Snapshot& out) : out_(out), tables_(out), tuples_(1) {
  for (const std::string_view key : key_texts) tables_.text(key);
}

bool Builder::fail(std::string message) {
  error_ = std::move(message);
  return false;
}

Value Builder::text(std::string_view characters) {
  return {Value::Kind::text, tables_.text(characters)};
}

Value Builder::tuple(std::span<const Value> items) {
  if (items.size() != 2 || items[0].kind != Value::Kind::integer || items[1].kind != Value::Kind::integer)
    return {Value::Kind::tuple, 0};
  const PoolId pool{items[0].bits, items[1].bits};
  // A few pools, each written often: the last ones are compared.
  const std::size_t from = tuples_.size() > 16 ? tuples_.size() - 16 : 1;
  for (std::size_t i = tuples_.size(); i-- > from;)
    if (tuples_[i] == pool) return {Value::Kind::tuple, i};
  tuples_.push_back(pool);
  return {Value::Kind::tuple, tuples_.size() - 1};
}

Value Builder::empty_dict() {
  dicts_.emplace_back();
  return {Value::Kind::dict, dicts_.size() - 1};
}

Value Builder::empty_list() {
  lists_.emplace_back();
  return {Value::Kind::list, lists_.size() - 1};
}

std::uint64_t Builder::memory() const {
  const auto bytes = [](const auto& table) { return std::uint64_t{table.size()} * sizeof(table[0]); };
  return bytes(dicts_) + bytes(lists_) + bytes(tuples_) + bytes(histories_) + bytes(roots_) +
         bytes(out_.segments) + bytes(out_.blocks) + bytes(out_.events) + 2 * bytes(out_.frames) +
         2 * bytes(out_.text_ends) + bytes(out_.characters) + bytes(out_.stack_frames) +
         2 * bytes(out_.stack_ends) + 8 * bytes(out_.streams);
}

bool Builder::fill(Value dict, std::span<const Value> keys_and_values) {
  Slots slots{};
  for (std::size_t i = 0; i + 1 < keys_and_values.size(); i += 2) {
    const Value& key = keys_and_values[i];
    if (key.kind != Value::Kind::text)
      return fail(fmt::format("{} as the key of a mapping; snapshots have texts", kind_name(key.kind)));
    if (key.bits < key_count) slots[key.bits] = &keys_and_values[i + 1];
  }
  DictRef& ref = dicts_[dict.bits];
  if (ref.type == Type::empty) {
    DictRef understood;
    if (!understand(slots, understood)) return false;
    dicts_[dict.bits] = understood;
    return true;
  }
  // A mapping in several parts is one of a thousand keys and more: none that is read here.
  return ref.type == Type::other || fail("a mapping is filled a second time, which no snapshot does");
}

bool Builder::understand(const Slots& slots, DictRef& out) {
  const auto has = [&](Key key) { return slots[static_cast<std::size_t>(key)] != nullptr; };
  if (has(Key::filename) && has(Key::line) && has(Key::name)) return frame(slots, out);
  if (has(Key::action)) return event(slots, out);
  if (has(Key::blocks)) return segment(slots, out);
  if (has(Key::state) && has(Key::size)) return block(slots, out);
  if (has(Key::real_size)) return history(slots, out);
  if (has(Key::segments)) return root(slots, out);
  if (has(Key::cuda_alloc_conf) || has(Key::alloc_conf) || has(Key::garbage_collection_threshold))
    return settings(slots, out);
  out.type = Type::other;
  return true;
}

bool Builder::natural(const Slots& slots, Key key, std::uint64_t limit, std::uint64_t& out) {
  const Value* const value = slots[static_cast<std::size_t>(key)];
  if (value == nullptr) return true;
  const auto name = key_texts[static_cast<std::size_t>(key)];
  const bool number = value->kind == Value::Kind::natural || value->kind == Value::Kind::integer;
  if (!number) return fail(fmt::format("'{}' is {}, not a whole number", name, kind_name(value->kind)));
  const bool negative = value->kind == Value::Kind::integer && static_cast<std::int64_t>(value->bits) < 0;
  // Addresses and streams above 2^63 are written as negative numbers by some releases.
  if ((negative && limit != any) || value->bits > limit)
    return fail(negative ? fmt::format("'{}' is negative", name)
                         : fmt::format("'{}' is {}: too large to be one", name, value->bits));
  out = value->bits;
  return true;
}

bool Builder::required(const Slots& slots, Key key, std::uint64_t limit, std::uint64_t& out) {
  if (slots[static_cast<std::size_t>(key)] != nullptr) return natural(slots, key, limit, out);
  return fail(fmt::format("a mapping without '{}'", key_texts[static_cast<std::size_t>(key)]));
}

bool Builder::boolean(const Slots& slots, Key key, bool& out) {
  const Value* const value = slots[static_cast<std::size_t>(key)];
  if (value == nullptr) return true;
  if (value->kind != Value::Kind::boolean)
    return fail(fmt::format("'{}' is {}, not a boolean", key_texts[static_cast<std::size_t>(key)],
                            kind_name(value->kind)));
  out = value->bits != 0;
  return true;
}

std::optional<Builder::ListRef> Builder::list(const Slots& slots, Key key) const {
  const Value* const value = slots[static_cast<std::size_t>(key)];
  if (value == nullptr || value->kind == Value::Kind::none) return ListRef{};
  if (value->kind != Value::Kind::list) return std::nullopt;
  return lists_[value->bits];
}

bool Builder::stack_of(const Slots& slots, StackId& out) {
  const auto frames = list(slots, Key::frames);
  if (!frames || (frames->type != Type::empty && frames->type != Type::stack))
    return fail("'frames' is no list of frames");
  out = frames->type == Type::stack ? frames->first : no_stack;
  return true;
}

bool Builder::frame(const Slots& slots, DictRef& out) {
  const Value& file = *slots[static_cast<std::size_t>(Key::filename)];
  const Value& name = *slots[static_cast<std::size_t>(Key::name)];
  if (file.kind != Value::Kind::text || name.kind != Value::Kind::text)
    return fail("the file or the function of a frame is no text");
  Frame frame{static_cast<TextId>(file.bits), static_cast<TextId>(name.bits), 0};
  // C++ frames without debug information have no line, or a negative one.
  const Value& line = *slots[static_cast<std::size_t>(Key::line)];
  if (line.kind == Value::Kind::integer && static_cast<std::int64_t>(line.bits) > 0)
    frame.line = static_cast<std::uint32_t>(std::min<std::uint64_t>(line.bits, 1U << 30U));
  out = {Type::frame, tables_.frame(frame)};
  return true;
}

bool Builder::event(const Slots& slots, DictRef& out) {
  static_assert(static_cast<int>(Key::oom) - static_cast<int>(Key::alloc) == static_cast<int>(Action::oom));
  const Value& action = *slots[static_cast<std::size_t>(Key::action)];
  if (action.kind != Value::Kind::text) return fail("the action of a trace entry is no text");
  Event event;
  const auto first = static_cast<std::uint64_t>(Key::alloc);
  if (action.bits >= first && action.bits <= static_cast<std::uint64_t>(Key::oom))
    event.action = static_cast<Action>(action.bits - first);
  const Key place = event.action == Action::oom ? Key::device_free : Key::addr;
  std::uint64_t stream = 0;
  if (!natural(slots, place, any, event.address) || !natural(slots, Key::size, max_bytes, event.bytes) ||
      !natural(slots, Key::time_us, any, event.time_us) || !natural(slots, Key::stream, any, stream) ||
      !stack_of(slots, event.stack))
    return false;
  event.stream = tables_.stream(stream);
  out = {Type::event, static_cast<std::uint32_t>(out_.events.size())};
  out_.events.push_back(event);
  return true;
}

bool Builder::history(const Slots& slots, DictRef& out) {
  History history;
  if (!natural(slots, Key::real_size, max_bytes, history.requested) || !stack_of(slots, history.stack))
    return false;
  out = {Type::history, static_cast<std::uint32_t>(histories_.size())};
  histories_.push_back(history);
  return true;
}

bool Builder::block(const Slots& slots, DictRef& out) {
  Block block;
  if (!required(slots, Key::size, max_bytes, block.bytes) ||
      !natural(slots, Key::address, any, block.address))
    return false;
  block.requested = block.bytes;
  if (!natural(slots, Key::requested_size, max_bytes, block.requested) || !stack_of(slots, block.stack))
    return false;
  const Value& state = *slots[static_cast<std::size_t>(Key::state)];
  const auto is = [&](Key key) {
    return state.kind == Value::Kind::text && state.bits == static_cast<std::uint64_t>(key);
  };
  if (is(Key::active_allocated)) {
    block.state = BlockState::allocated;
  } else if (is(Key::active_pending_free) || is(Key::active_awaiting_free)) {
    block.state = BlockState::pending_free;
  } else if (!is(Key::inactive)) {
    return fail("the state of a block is none that torch knows");
  }
  // Torch 1.11 to 2.0 kept frames and size of a block's tensors in a list of their own, the newest first.
  const auto older = list(slots, Key::history);
  if (older && older->type == Type::history) {
    block.requested = histories_[older->first].requested;
    block.stack = histories_[older->first].stack;
  }
  out = {Type::block, static_cast<std::uint32_t>(out_.blocks.size())};
  out_.blocks.push_back(block);
  return true;
}

bool Builder::segment(const Slots& slots, DictRef& out) {
  Segment segment;
  std::uint64_t device = 0;
  if (!natural(slots, Key::address, any, segment.address) ||
      !required(slots, Key::total_size, max_bytes, segment.bytes) ||
      !natural(slots, Key::allocated_size, max_bytes, segment.allocated) ||
      !natural(slots, Key::active_size, max_bytes, segment.active) ||
      !natural(slots, Key::stream, any, segment.stream) || !natural(slots, Key::device, max_device, device) ||
      !boolean(slots, Key::is_expandable, segment.expandable))
    return false;
  segment.device = static_cast<std::uint32_t>(device);
  const auto is_text = [&](Key key, Key text) {
    const Value* const value = slots[static_cast<std::size_t>(key)];
    return value != nullptr && value->kind == Value::Kind::text &&
           value->bits == static_cast<std::uint64_t>(text);
  };
  segment.large = is_text(Key::segment_type, Key::large);
  if (const Value* const pool = slots[static_cast<std::size_t>(Key::segment_pool_id)];
      pool != nullptr && pool->kind == Value::Kind::tuple)
    segment.pool = tuples_[pool->bits];
  const auto blocks = list(slots, Key::blocks);
  if (!blocks || (blocks->type != Type::empty && blocks->type != Type::block))
    return fail("'blocks' is no list of blocks");
  if (!place_blocks(segment, *blocks)) return false;
  if (out_.segments.size() == max_segments) return fail("more segments than any device can have");
  out = {Type::segment, static_cast<std::uint32_t>(out_.segments.size())};
  out_.segments.push_back(segment);
  return true;
}

bool Builder::place_blocks(Segment& segment, const ListRef& list) {
  segment.first_block = list.first;
  segment.block_count = list.count;
  std::uint64_t at = segment.address;
  for (std::uint32_t i = list.first; i < list.first + list.count; ++i) {
    Block& block = out_.blocks[i];
    if (block.address == 0) block.address = at;  // older releases leave it out
    at += block.bytes;
    if (at - segment.address > segment.bytes) return fail("the blocks of a segment are larger than it");
  }
  return true;
}

bool Builder::settings(const Slots& slots, DictRef& out) {
  Settings settings;
  settings.known = true;
  for (const Key key : {Key::cuda_alloc_conf, Key::alloc_conf}) {
    const Value* const value = slots[static_cast<std::size_t>(key)];
    if (value != nullptr && value->kind == Value::Kind::text)
      settings.text = out_.text(static_cast<TextId>(value->bits));
  }
  if (!boolean(slots, Key::expandable_segments, settings.expandable_segments)) return false;
  if (const Value* const value = slots[static_cast<std::size_t>(Key::max_split_size)];
      value != nullptr && value->kind == Value::Kind::integer)
    settings.max_split_size = static_cast<std::int64_t>(value->bits);
  if (const Value* const value = slots[static_cast<std::size_t>(Key::garbage_collection_threshold)];
      value != nullptr && value->kind == Value::Kind::real)
    settings.garbage_collection_threshold = std::bit_cast<double>(value->bits);
  out_.settings = std::move(settings);
  out.type = Type::settings;
  return true;
}

bool Builder::root(const Slots& slots, DictRef& out) {
  const auto segments = list(slots, Key::segments);
  if (!segments || (segments->type != Type::empty && segments->type != Type::segment))
    return fail("'segments' is no list of segments");
  const auto traces = list(slots, Key::device_traces);
  if (!traces || (traces->type != Type::empty && traces->type != Type::lists))
    return fail("'device_traces' is no list of lists of trace entries");
  out = {Type::root, static_cast<std::uint32_t>(roots_.size())};
  roots_.push_back({*segments, *traces});
  return true;
}

bool Builder::append(Value list, std::span<const Value> items) {
  if (items.empty()) return true;
  ListRef& ref = lists_[list.bits];
  if (ref.type == Type::other) return true;
  const Value& first = items.front();
  if (first.kind == Value::Kind::list) return extend_nested(ref, items);
  const Type type = first.kind == Value::Kind::dict ? dicts_[first.bits].type : Type::other;
  if (type == Type::other || type == Type::empty) {  // an empty mapping has no record
    ref.type = Type::other;
    return true;
  }
  if (type == Type::frame) return extend_stack(ref, items);
  return extend_records(ref, items);
}

bool Builder::extend_stack(ListRef& list, std::span<const Value> items) {
  if (list.type != Type::empty && list.type != Type::stack) return fail("a list of frames and other things");
  scratch_.clear();
  if (list.type == Type::stack) {
    const auto before = out_.stack(list.first);
    scratch_.assign(before.begin(), before.end());
  }
  for (const Value& item : items) {
    if (item.kind != Value::Kind::dict || dicts_[item.bits].type != Type::frame)
      return fail("a list of frames and other things");
    scratch_.push_back(dicts_[item.bits].record);
  }
  list = {Type::stack, tables_.stack(scratch_), 1};
  return true;
}

bool Builder::extend_nested(ListRef& list, std::span<const Value> items) {
  if (list.type == Type::empty) {
    list = {Type::lists, static_cast<std::uint32_t>(nested_.size()), 0};
    nested_.emplace_back();
  }
  if (list.type != Type::lists) return fail("a list of lists and other things");
  for (const Value& item : items) {
    if (item.kind != Value::Kind::list) return fail("a list of lists and other things");
    auto& nested = nested_[list.first];
    if (nested.size() == max_nested) return fail("more traces than a machine has devices");
    nested.push_back(static_cast<std::uint32_t>(item.bits));
  }
  return true;
}

bool Builder::extend_records(ListRef& list, std::span<const Value> items) {
  for (const Value& item : items) {
    if (item.kind != Value::Kind::dict) return fail("a list of mappings and other things");
    const DictRef dict = dicts_[item.bits];
    if (list.type == Type::empty) list = {dict.type, dict.record, 0};
    // Records are numbered as they come, so a list holds one run of them.
    if (dict.type != list.type || dict.record != list.first + list.count)
      return fail("a list whose mappings are of several kinds or in another order than in the file");
    ++list.count;
  }
  return true;
}

bool Builder::finish(Value root) {
  if (root.kind == Value::Kind::list && lists_[root.bits].type == Type::segment)
    return true;  // memory_snapshot()
  if (root.kind != Value::Kind::dict || dicts_[root.bits].type != Type::root)
    return fail(
        fmt::format("a pickle of {}, not of a memory snapshot (no 'segments')", kind_name(root.kind)));
  const Root& found = roots_[dicts_[root.bits].record];
  if (found.segments.count != out_.segments.size()) {
    // Segments of the host allocator, say: only those of the devices count.
    const auto first = out_.segments.begin() + found.segments.first;
    out_.segments = std::vector<Segment>(first, first + found.segments.count);
  }
  return take_traces(found.traces);
}

bool Builder::take_traces(const ListRef& traces) {
  if (traces.type != Type::lists) return true;
  for (const std::uint32_t number : nested_[traces.first]) {
    const ListRef& list = lists_[number];
    if (list.type != Type::empty && list.type != Type::event)
      return fail("'device_traces' holds something else than trace entries");
    out_.traces.push_back({list.first, list.count});
  }
  return true;
}

}  // namespace headroom::snapshot
