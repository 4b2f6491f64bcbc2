#include "opcodes.hpp"

#include <algorithm>
#include <array>

namespace headroom::snapshot {
namespace {

struct Entry {
  std::uint8_t byte;
  std::string_view name, purpose;  // no purpose: torch writes it
};

constexpr std::string_view old = "belongs to protocols that torch never wrote snapshots in";
constexpr std::string_view stacks = "juggles with the stack of the unpickler";
constexpr std::string_view bytes = "builds bytes";
constexpr std::string_view objects = "builds an object of a class";
constexpr std::string_view outside = "loads an object from outside the file";
constexpr std::string_view sets = "builds a set";

constexpr std::array<Entry, 68> entries{{
    {'(', "MARK", {}},
    {'.', "STOP", {}},
    {'0', "POP", stacks},
    {'1', "POP_MARK", stacks},
    {'2', "DUP", stacks},
    {'F', "FLOAT", old},
    {'I', "INT", old},
    {'J', "BININT", {}},
    {'K', "BININT1", {}},
    {'L', "LONG", old},
    {'M', "BININT2", {}},
    {'N', "NONE", {}},
    {'P', "PERSID", outside},
    {'Q', "BINPERSID", outside},
    {'R', "REDUCE", "calls a function"},
    {'S', "STRING", old},
    {'T', "BINSTRING", old},
    {'U', "SHORT_BINSTRING", old},
    {'V', "UNICODE", old},
    {'X', "BINUNICODE", {}},
    {'a', "APPEND", {}},
    {'b', "BUILD", "sets the state of an object"},
    {'c', "GLOBAL", "imports a name"},
    {'d', "DICT", old},
    {'}', "EMPTY_DICT", {}},
    {'e', "APPENDS", {}},
    {'g', "GET", old},
    {'h', "BINGET", {}},
    {'i', "INST", "imports a class and calls it"},
    {'j', "LONG_BINGET", {}},
    {'l', "LIST", old},
    {']', "EMPTY_LIST", {}},
    {'o', "OBJ", objects},
    {'p', "PUT", old},
    {'q', "BINPUT", {}},
    {'r', "LONG_BINPUT", {}},
    {'s', "SETITEM", {}},
    {'t', "TUPLE", {}},
    {')', "EMPTY_TUPLE", {}},
    {'u', "SETITEMS", {}},
    {'G', "BINFLOAT", {}},
    {0x80, "PROTO", {}},
    {0x81, "NEWOBJ", objects},
    {0x82, "EXT1", "imports a registered name"},
    {0x83, "EXT2", "imports a registered name"},
    {0x84, "EXT4", "imports a registered name"},
    {0x85, "TUPLE1", {}},
    {0x86, "TUPLE2", {}},
    {0x87, "TUPLE3", {}},
    {0x88, "NEWTRUE", {}},
    {0x89, "NEWFALSE", {}},
    {0x8a, "LONG1", {}},
    {0x8b, "LONG4", "builds a number that no field of a snapshot can have"},
    {'B', "BINBYTES", bytes},
    {'C', "SHORT_BINBYTES", bytes},
    {0x8c, "SHORT_BINUNICODE", {}},
    {0x8d, "BINUNICODE8", {}},
    {0x8e, "BINBYTES8", bytes},
    {0x8f, "EMPTY_SET", sets},
    {0x90, "ADDITEMS", sets},
    {0x91, "FROZENSET", sets},
    {0x92, "NEWOBJ_EX", objects},
    {0x93, "STACK_GLOBAL", "imports a name"},
    {0x94, "MEMOIZE", {}},
    {0x95, "FRAME", {}},
    {0x96, "BYTEARRAY8", bytes},
    {0x97, "NEXT_BUFFER", outside},
    {0x98, "READONLY_BUFFER", outside},
}};

const Entry* find(std::uint8_t byte) {
  const auto* const at =
      std::find_if(entries.begin(), entries.end(), [byte](const Entry& entry) { return entry.byte == byte; });
  return at == entries.end() ? nullptr : at;
}

}  // namespace

std::string_view opcode_name(std::uint8_t byte) {
  const Entry* const entry = find(byte);
  return entry == nullptr ? std::string_view() : entry->name;
}

std::string_view opcode_purpose(std::uint8_t byte) {
  const Entry* const entry = find(byte);
  return entry == nullptr ? std::string_view() : entry->purpose;
}

}  // namespace headroom::snapshot
