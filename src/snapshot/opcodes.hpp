// The opcodes of Python's pickles, protocols 0 to 5.
#pragma once
#include <cstdint>
#include <string_view>

namespace headroom::snapshot {

enum class Opcode : std::uint8_t {
  // What torch writes.
  proto = 0x80,
  frame = 0x95,
  stop = '.',
  mark = '(',
  empty_dict = '}',
  empty_list = ']',
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  append = 'a',
  appends = 'e',
  setitem = 's',
  setitems = 'u',
  memoize = 0x94,
  binput = 'q',
  long_binput = 'r',
  binget = 'h',
  long_binget = 'j',
  none = 'N',
  newtrue = 0x88,
  newfalse = 0x89,
  binint = 'J',
  binint1 = 'K',
  binint2 = 'M',
  long1 = 0x8a,
  binfloat = 'G',
  binunicode = 'X',
  short_binunicode = 0x8c,
  binunicode8 = 0x8d,
  // Refused, but their operand says what was tried.
  global = 'c',
  inst = 'i',
  stack_global = 0x93,
  reduce = 'R',
};

/// Python's name of an opcode ("REDUCE"); empty for a byte that is none.
[[nodiscard]] std::string_view opcode_name(std::uint8_t byte);
/// What a refused opcode is for, as the end of a sentence: "calls a function".
[[nodiscard]] std::string_view opcode_purpose(std::uint8_t byte);

}  // namespace headroom::snapshot
