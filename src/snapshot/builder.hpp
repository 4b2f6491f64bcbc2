// From mappings and lists as the pickle builds them to the tables of a snapshot. A mapping is understood when
// it is filled, by its keys, and only its record is kept.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keys.hpp"
#include "tables.hpp"

namespace headroom::snapshot {

/// A value on the unpickler's stack.
struct Value {
  enum class Kind : std::uint8_t { none, boolean, integer, natural, real, text, tuple, dict, list };
  Kind kind = Kind::none;
  /// The number itself (`natural`: 2^63 and more; `real`: its bits), or the place in the table of its kind.
  std::uint64_t bits = 0;
};

[[nodiscard]] std::string_view kind_name(Value::Kind kind);

class Builder {
 public:
  explicit Builder(Snapshot& out);

  [[nodiscard]] Value text(std::string_view characters);
  [[nodiscard]] Value tuple(std::span<const Value> items);
  [[nodiscard]] Value empty_dict();
  [[nodiscard]] Value empty_list();
  /// False, with `error()` set, where a value does not fit.
  [[nodiscard]] bool fill(Value dict, std::span<const Value> keys_and_values);
  [[nodiscard]] bool append(Value list, std::span<const Value> items);
  /// The last value of the pickle becomes the snapshot.
  [[nodiscard]] bool finish(Value root);

  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] std::string_view characters(Value text) const {
    return out_.text(static_cast<TextId>(text.bits));
  }
  /// Bytes of the tables, without what vectors keep in reserve.
  [[nodiscard]] std::uint64_t memory() const;

 private:
  enum class Type : std::uint8_t {
    empty,
    other,
    frame,
    event,
    block,
    segment,
    history,
    settings,
    root,
    stack,  // of lists from here on
    lists,
  };
  struct DictRef {
    Type type = Type::empty;
    std::uint32_t record = 0;
  };
  /// Records [first, first + count) of one type; a stack's number for `stack`, `nested_`'s for `lists`.
  struct ListRef {
    Type type = Type::empty;
    std::uint32_t first = 0, count = 0;
  };
  struct History {
    std::uint64_t requested = 0;
    StackId stack = no_stack;
  };
  struct Root {
    ListRef segments, traces;
  };
  using Slots = std::array<const Value*, key_count>;

  bool fail(std::string message);
  bool understand(const Slots& slots, DictRef& out);
  bool frame(const Slots& slots, DictRef& out);
  bool event(const Slots& slots, DictRef& out);
  bool block(const Slots& slots, DictRef& out);
  bool segment(const Slots& slots, DictRef& out);
  bool place_blocks(Segment& segment, const ListRef& list);
  bool history(const Slots& slots, DictRef& out);
  bool settings(const Slots& slots, DictRef& out);
  bool root(const Slots& slots, DictRef& out);
  bool take_traces(const ListRef& traces);

  bool natural(const Slots& slots, Key key, std::uint64_t limit, std::uint64_t& out);
  bool required(const Slots& slots, Key key, std::uint64_t limit, std::uint64_t& out);
  bool boolean(const Slots& slots, Key key, bool& out);
  bool stack_of(const Slots& slots, StackId& out);
  [[nodiscard]] std::optional<ListRef> list(const Slots& slots, Key key) const;
  bool extend_stack(ListRef& list, std::span<const Value> items);
  bool extend_nested(ListRef& list, std::span<const Value> items);
  bool extend_records(ListRef& list, std::span<const Value> items);

  Snapshot& out_;
  Tables tables_;
  std::vector<DictRef> dicts_;
  std::vector<ListRef> lists_;
  std::vector<PoolId> tuples_;  ///< 0: a tuple that is no pair of numbers
  std::vector<History> histories_;
  std::vector<Root> roots_;
  std::vector<std::vector<std::uint32_t>> nested_;
  std::vector<std::uint32_t> scratch_;
  std::string error_;
};

}  // namespace headroom::snapshot
