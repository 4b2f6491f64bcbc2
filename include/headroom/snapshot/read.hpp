// Reads the pickles that torch.cuda.memory._dump_snapshot (Python) and torch::cuda::_memory_snapshot_pickled
// (C++) write. A pickle is a program; this reader runs none. It knows the opcodes that build numbers, texts,
// lists, tuples and mappings. Everything else is refused by name, before anything of it is looked at.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "headroom/snapshot/snapshot.hpp"
#include "headroom/source/error.hpp"

namespace headroom::snapshot {

struct Limits {
  std::uint64_t memory_bytes = std::uint64_t{8} << 30U;  ///< of the tables that reading builds
  std::uint32_t text_bytes = 16U << 20U;                 ///< of one text
  std::uint32_t depth = 256;                             ///< of nesting
};

/// Fills a buffer from the file: the number of bytes, 0 at the end. At most the asked number.
using ReadBytes = std::function<std::size_t(char*, std::size_t)>;

/// Whether a file that begins so is a pickle of any protocol, and nothing that people read. Eight bytes
/// suffice for what torch writes.
[[nodiscard]] bool is_pickle(std::string_view head);

/// Reads in one pass; the file is never in memory as a whole. Errors name the byte: "byte 1234: …".
[[nodiscard]] source::Result<Snapshot> read(const ReadBytes& bytes, const std::string& name,
                                            const Limits& limits = {});
[[nodiscard]] source::Result<Snapshot> read(std::string_view bytes, const std::string& name,
                                            const Limits& limits = {});

}  // namespace headroom::snapshot
