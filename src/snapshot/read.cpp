#include "headroom/snapshot/read.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <vector>

#include "builder.hpp"
#include "input.hpp"
#include "opcodes.hpp"

namespace headroom::snapshot {
namespace {

using Kind = Value::Kind;

/// Carries out the opcodes that build data.
class Machine {
 public:
  Machine(const ReadBytes& bytes, const Limits& limits, Snapshot& out)
      : in_(bytes), limits_(limits), builder_(out) {}

  /// Up to STOP; false with `error` and `at` set where the file is no snapshot.
  bool run();
  [[nodiscard]] std::uint64_t offset() const { return in_.offset(); }

  std::string error;
  std::uint64_t at = 0;  ///< of the opcode that `error` is about

 private:
  bool step(Opcode opcode);
  bool number(Opcode opcode);
  bool text(Opcode opcode);
  bool container(Opcode opcode);
  bool memo(Opcode opcode);
  bool begin();
  bool finish();

  bool fail(std::string message) {
    error = std::move(message);
    return false;
  }
  bool cut(std::string_view inside) {
    at = in_.offset();
    return fail(fmt::format("the file ends in the middle of {}", inside));
  }
  bool need(std::size_t n, Opcode opcode) {
    return in_.ensure(n) || cut(opcode_name(static_cast<std::uint8_t>(opcode)));
  }
  bool push(Value value) {
    stack_.push_back(value);
    return true;
  }
  bool long_integer();
  bool put(std::uint64_t index);
  bool get(std::uint64_t index);
  bool take_text(std::uint64_t size);
  bool tuple(std::size_t count);
  /// The place of the last MARK in the stack, which goes away.
  bool pop_mark(std::size_t& out);
  bool add_to_list(std::size_t from);
  bool add_to_dict(std::size_t from);
  bool refuse(Opcode opcode);
  std::string line();
  bool within_budget();

  Input in_;
  const Limits& limits_;
  Builder builder_;
  std::vector<Value> stack_;
  std::vector<std::size_t> marks_;
  std::vector<std::uint32_t> memo_;
  std::uint64_t frame_end_ = 0;
};

// A memo entry: two bits of kind, thirty of place in its table.
constexpr std::uint32_t no_memo = 0xffffffffU;
constexpr std::uint32_t memo_places = (1U << 30U) - 1;
constexpr std::array<Kind, 4> memo_kinds{Kind::text, Kind::tuple, Kind::dict, Kind::list};

bool Machine::begin() {
  at = 0;
  if (!in_.ensure(2))
    return fail(in_.ensure(1) ? "the file ends in the middle of PROTO" : "the file is empty");
  if (std::string_view(in_.data(), 2) == "PK" || std::string_view(in_.data(), 2) == "\x1f\x8b")
    return fail("an archive, not the pickle of a memory snapshot");
  return true;
}

bool Machine::run() {
  if (!begin()) return false;
  for (std::uint64_t count = 0;; ++count) {
    at = in_.offset();
    if (!in_.ensure(1)) return fail("the file ends before the pickle does (no STOP)");
    const auto opcode = static_cast<Opcode>(*in_.data());
    in_.skip(1);
    if (opcode == Opcode::stop) return finish();
    if (!step(opcode)) {
      if (error.empty()) error = builder_.error();
      return false;
    }
    if ((count & 0xfffU) == 0 && !within_budget()) return false;
  }
}

bool Machine::within_budget() {
  // What torch writes takes less memory than its file; only a file made to fill memory takes more.
  const std::uint64_t used =
      builder_.memory() + stack_.size() * sizeof(Value) + memo_.size() * sizeof(memo_[0]);
  const std::uint64_t fair = (std::uint64_t{64} << 20U) + 4 * in_.offset();
  if (used > fair) return fail("holds far more values than a snapshot of its size can have");
  if (used > limits_.memory_bytes)
    return fail(fmt::format("needs more than {} MiB of memory to be read", limits_.memory_bytes >> 20U));
  return true;
}

bool Machine::finish() {
  if (in_.offset() < frame_end_) return fail("the pickle stops before its frame is over");
  if (stack_.size() != 1 || !marks_.empty()) return fail("the pickle stops with unfinished values");
  if (builder_.finish(stack_.back())) return true;
  error = builder_.error();
  return false;
}

bool Machine::step(Opcode opcode) {
  switch (opcode) {
    case Opcode::binget:
    case Opcode::long_binget:
    case Opcode::memoize:
    case Opcode::binput:
    case Opcode::long_binput:
      return memo(opcode);
    case Opcode::binint:
    case Opcode::binint1:
    case Opcode::binint2:
    case Opcode::long1:
    case Opcode::binfloat:
    case Opcode::none:
    case Opcode::newtrue:
    case Opcode::newfalse:
      return number(opcode);
    case Opcode::short_binunicode:
    case Opcode::binunicode:
    case Opcode::binunicode8:
      return text(opcode);
    case Opcode::proto: {
      if (!need(1, opcode)) return false;
      const auto protocol = in_.number<std::uint8_t>();
      if (at != 0) return fail("PROTO stands in the middle of the pickle");
      return protocol <= 5 || fail(fmt::format("pickle protocol {} is unknown (0 to 5 are)", protocol));
    }
    case Opcode::frame: {
      if (!need(8, opcode)) return false;
      const auto size = in_.number<std::uint64_t>();
      if (in_.offset() < frame_end_) return fail("a frame begins inside another");
      if (size > std::numeric_limits<std::uint64_t>::max() - in_.offset()) return fail("a frame without end");
      frame_end_ = in_.offset() + size;
      return true;
    }
    default:
      return container(opcode);
  }
}

bool Machine::number(Opcode opcode) {
  switch (opcode) {
    case Opcode::binint:
      if (!need(4, opcode)) return false;
      return push({Kind::integer, static_cast<std::uint64_t>(std::int64_t{in_.number<std::int32_t>()})});
    case Opcode::binint1:
      return need(1, opcode) && push({Kind::integer, in_.number<std::uint8_t>()});
    case Opcode::binint2:
      return need(2, opcode) && push({Kind::integer, in_.number<std::uint16_t>()});
    case Opcode::long1:
      return long_integer();
    case Opcode::binfloat: {
      if (!need(8, opcode)) return false;
      std::uint64_t bits = 0;  // the only number that pickles write with its highest byte first
      for (const char byte : in_.take(8)) bits = bits << 8U | static_cast<unsigned char>(byte);
      return push({Kind::real, bits});
    }
    case Opcode::none:
      return push({});
    default:
      return push({Kind::boolean, opcode == Opcode::newtrue ? 1U : 0U});
  }
}

bool Machine::long_integer() {
  if (!need(1, Opcode::long1)) return false;
  const std::size_t size = in_.number<std::uint8_t>();
  if (!need(size, Opcode::long1)) return false;
  const std::string_view bytes = in_.take(size);
  const bool negative = size > 0 && (static_cast<unsigned char>(bytes.back()) & 0x80U) != 0;
  const unsigned char fill = negative ? 0xff : 0;
  std::uint64_t bits = negative ? ~std::uint64_t{0} : 0;
  for (std::size_t i = size; i-- > 0;) {
    const auto byte = static_cast<unsigned char>(bytes[i]);
    if (i >= 8 && byte != fill) return fail(fmt::format("a number of {} bytes; fields have at most 8", size));
    bits = bits << 8U | byte;
  }
  const bool beyond = (bits >> 63U) != 0;
  if (size > 8 && negative && !beyond) return fail("a negative number of more than 8 bytes");
  return push({beyond && !negative ? Kind::natural : Kind::integer, bits});
}

bool Machine::text(Opcode opcode) {
  if (opcode == Opcode::short_binunicode) return need(1, opcode) && take_text(in_.number<std::uint8_t>());
  if (opcode == Opcode::binunicode) return need(4, opcode) && take_text(in_.number<std::uint32_t>());
  return need(8, opcode) && take_text(in_.number<std::uint64_t>());
}

bool Machine::take_text(std::uint64_t size) {
  if (size > limits_.text_bytes)
    return fail(fmt::format("a text of {} bytes; at most {} MiB are read", size, limits_.text_bytes >> 20U));
  if (!in_.ensure(static_cast<std::size_t>(size))) return cut("a text");
  return push(builder_.text(in_.take(static_cast<std::size_t>(size))));
}

bool Machine::memo(Opcode opcode) {
  switch (opcode) {
    case Opcode::binget:
      return need(1, opcode) && get(in_.number<std::uint8_t>());
    case Opcode::long_binget:
      return need(4, opcode) && get(in_.number<std::uint32_t>());
    case Opcode::binput:
      return need(1, opcode) && put(in_.number<std::uint8_t>());
    case Opcode::long_binput:
      return need(4, opcode) && put(in_.number<std::uint32_t>());
    default:
      return put(memo_.size());
  }
}

bool Machine::put(std::uint64_t index) {
  if (stack_.empty()) return fail("a value is remembered where there is none");
  // Optimised pickles leave numbers out, but each place took bytes of the file.
  if (index > in_.offset()) return fail(fmt::format("memo place {} in a file of fewer values", index));
  const Value& value = stack_.back();
  const auto* const kind = std::find(memo_kinds.begin(), memo_kinds.end(), value.kind);
  if (kind == memo_kinds.end() || value.bits > memo_places)
    return fail(fmt::format("{} is remembered, which no snapshot does", kind_name(value.kind)));
  if (index >= memo_.size()) memo_.resize(static_cast<std::size_t>(index) + 1, no_memo);
  const auto type = static_cast<std::uint32_t>(kind - memo_kinds.begin());
  memo_[static_cast<std::size_t>(index)] = type << 30U | static_cast<std::uint32_t>(value.bits);
  return true;
}

bool Machine::get(std::uint64_t index) {
  if (index >= memo_.size() || memo_[static_cast<std::size_t>(index)] == no_memo)
    return fail(fmt::format("memo place {} is read and was never written", index));
  const std::uint32_t entry = memo_[static_cast<std::size_t>(index)];
  return push({memo_kinds[entry >> 30U], entry & memo_places});
}

bool Machine::pop_mark(std::size_t& out) {
  if (marks_.empty()) return fail("values are gathered without a MARK");
  out = marks_.back();
  marks_.pop_back();
  return true;
}

bool Machine::tuple(std::size_t count) {
  const std::size_t bottom = marks_.empty() ? 0 : marks_.back();
  if (stack_.size() < bottom + count) return fail("a tuple of more values than there are");
  const Value made = builder_.tuple(std::span(stack_).last(count));
  stack_.resize(stack_.size() - count);
  return push(made);
}

bool Machine::add_to_list(std::size_t from) {
  if (from == 0 || stack_[from - 1].kind != Kind::list)
    return fail("values are appended to something else than a list");
  const bool fine = builder_.append(stack_[from - 1], std::span(stack_).subspan(from));
  stack_.resize(from);
  return fine;
}

bool Machine::add_to_dict(std::size_t from) {
  if (from == 0 || stack_[from - 1].kind != Kind::dict)
    return fail("values are set in something else than a mapping");
  if ((stack_.size() - from) % 2 != 0) return fail("a key of a mapping without a value");
  const bool fine = builder_.fill(stack_[from - 1], std::span(stack_).subspan(from));
  stack_.resize(from);
  return fine;
}

bool Machine::container(Opcode opcode) {
  std::size_t from = 0;
  switch (opcode) {
    case Opcode::mark:
      if (marks_.size() == limits_.depth) return fail(fmt::format("nested deeper than {}", limits_.depth));
      marks_.push_back(stack_.size());
      return true;
    case Opcode::empty_dict:
      return push(builder_.empty_dict());
    case Opcode::empty_list:
      return push(builder_.empty_list());
    case Opcode::empty_tuple:
      return tuple(0);
    case Opcode::tuple1:
      return tuple(1);
    case Opcode::tuple2:
      return tuple(2);
    case Opcode::tuple3:
      return tuple(3);
    case Opcode::tuple:
      return pop_mark(from) && tuple(stack_.size() - from);
    case Opcode::append:
      return stack_.empty() ? fail("APPEND without a value") : add_to_list(stack_.size() - 1);
    case Opcode::appends:
      return pop_mark(from) && add_to_list(from);
    case Opcode::setitem:
      return stack_.size() < 2 ? fail("SETITEM without key and value") : add_to_dict(stack_.size() - 2);
    case Opcode::setitems:
      return pop_mark(from) && add_to_dict(from);
    default:
      return refuse(opcode);
  }
}

std::string Machine::line() {
  std::string out;
  while (out.size() < 200 && in_.ensure(1) && *in_.data() != '\n') out += in_.take(1);
  if (in_.ensure(1) && *in_.data() == '\n') in_.skip(1);
  return out;
}

bool Machine::refuse(Opcode opcode) {
  const auto byte = static_cast<std::uint8_t>(opcode);
  const std::string_view name = opcode_name(byte);
  if (name.empty()) return fail(fmt::format("0x{:02x} is no opcode of a pickle", byte));
  std::string tried;
  if (opcode == Opcode::global || opcode == Opcode::inst) {
    tried = line();
    tried += '.' + line();
  } else if (opcode == Opcode::stack_global && stack_.size() >= 2) {
    const Value& module = stack_[stack_.size() - 2];
    const Value& what = stack_.back();
    if (module.kind == Kind::text && what.kind == Kind::text)
      tried = fmt::format("{}.{}", builder_.characters(module), builder_.characters(what));
  }
  if (!tried.empty())
    return fail(fmt::format(
        "refused: the pickle would import {} ({}), which no snapshot does; nothing was run", tried, name));
  return fail(
      fmt::format("refused: {} {}, which no snapshot does; nothing was run", name, opcode_purpose(byte)));
}

}  // namespace

bool is_pickle(std::string_view head) {
  if (head.size() < 2) return false;
  if (head[0] == '\x80') return static_cast<unsigned char>(head[1]) <= 0x0f;
  // Without a protocol byte only what imports at once is told from text: "cos\nsystem\n".
  if (head[0] != 'c' && head.substr(0, 2) != "(i") return false;
  const std::size_t end = head.find('\n');
  const std::size_t next = end == std::string_view::npos ? end : head.find('\n', end + 1);
  if (next == std::string_view::npos) return false;
  const auto identifier = [](char c) {
    return c == '_' || c == '.' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  const std::size_t begin = head[0] == 'c' ? 1 : 2;
  const std::string_view module = head.substr(begin, end - begin);
  const std::string_view name = head.substr(end + 1, next - end - 1);
  const bool names = !module.empty() && !name.empty() &&
                     std::all_of(module.begin(), module.end(), identifier) &&
                     std::all_of(name.begin(), name.end(), identifier);
  return names && next + 1 < head.size() &&
         std::string_view("(q)ptR0").find(head[next + 1]) != std::string_view::npos;
}

source::Result<Snapshot> read(const ReadBytes& bytes, const std::string& name, const Limits& limits) {
  Snapshot out;
  Machine machine(bytes, limits, out);
  if (!machine.run()) {
    source::Error error;
    error.source = name;
    error.message = fmt::format("byte {}: {}", machine.at, machine.error);
    return tl::unexpected(std::move(error));
  }
  out.file_bytes = machine.offset();
  return out;
}

source::Result<Snapshot> read(std::string_view bytes, const std::string& name, const Limits& limits) {
  return read(
      [&bytes](char* to, std::size_t n) {
        const std::size_t got = bytes.copy(to, n);
        bytes.remove_prefix(got);
        return got;
      },
      name, limits);
}

}  // namespace headroom::snapshot
