// Reads a synthetic memory snapshot of a given size (default 1.1 GB) in the form that Python's pickler
// writes, and says how fast each stage is and how much memory it takes.
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <map>
#include <string>

#include "headroom/snapshot/read.hpp"
#include "headroom/snapshot/story.hpp"

using namespace headroom;

namespace {

/// Writes protocol 4 as Python does: every text and container is memoised, and read again by its number.
class Writer {
 public:
  std::string out = "\x80\x04";

  void op(char c) { out += c; }
  void little(std::uint64_t value, unsigned size) {
    for (unsigned i = 0; i < size; ++i) out += static_cast<char>(value >> 8U * i & 0xffU);
  }
  std::uint32_t memoize() {
    op('\x94');
    return memo_++;
  }
  void get(std::uint32_t place) {
    if (place < 256) {
      op('h');
      little(place, 1);
    } else {
      op('j');
      little(place, 4);
    }
  }
  void text(const std::string& text) {
    const auto [at, fresh] = texts_.try_emplace(text, memo_);
    if (!fresh) return get(at->second);
    op('\x8c');
    little(text.size(), 1);
    out += text;
    memoize();
  }
  void number(std::uint64_t value) {
    if (value < 256) {
      op('K');
      little(value, 1);
    } else if (value < 65536) {
      op('M');
      little(value, 2);
    } else if (value < 0x80000000ULL) {
      op('J');
      little(value, 4);
    } else {
      op('\x8a');
      little(7, 1);
      little(value, 7);
    }
  }
  std::uint32_t open(char container) {
    op(container);
    const auto place = memoize();
    op('(');
    return place;
  }

 private:
  std::uint32_t memo_ = 0;
  std::map<std::string, std::uint32_t> texts_;
};

class Synthetic {
 public:
  explicit Synthetic(std::uint64_t bytes) : bytes_(bytes) { w_.out.reserve(bytes + (1U << 20U)); }

  std::string run() {
    w_.open('}');
    w_.text("segments");
    segments();
    w_.text("device_traces");
    w_.open(']');
    trace();
    w_.op('e');
    w_.op('u');
    w_.op('.');
    return std::move(w_.out);
  }

 private:
  static constexpr unsigned frame_count = 4000, depth = 30, live = 20000;

  void frame(unsigned i) {
    if (i < frames_.size()) return w_.get(frames_[i]);
    frames_.push_back(w_.open('}'));
    w_.text("name");
    w_.text(fmt::format("function_{}", i));
    w_.text("filename");
    w_.text(fmt::format("/opt/megatron-lm/megatron/core/file_{}.py", i % 200));
    w_.text("line");
    w_.number(i % 3000 + 1);
    w_.op('u');
  }

  /// A fresh list of frames; frames come as they are first used.
  std::uint32_t stack(unsigned seed) {
    const auto place = w_.open(']');
    for (unsigned i = 0; i < depth; ++i)
      frame(std::min<unsigned>(static_cast<unsigned>(frames_.size()), (seed * 7919 + i * 31) % frame_count));
    w_.op('e');
    return place;
  }

  void segments() {
    w_.open(']');
    w_.open('}');
    for (const auto& [key, value] : {std::pair<const char*, std::uint64_t>{"device", 0},
                                     {"address", base},
                                     {"total_size", std::uint64_t{live} << 20U},
                                     {"allocated_size", 0},
                                     {"active_size", 0},
                                     {"stream", 0}}) {
      w_.text(key);
      w_.number(value);
    }
    w_.text("blocks");
    w_.op(']');
    w_.memoize();
    w_.op('u');
    w_.op('e');
  }

  void event(const char* action, unsigned slot, unsigned number, std::uint32_t known_stack) {
    w_.open('}');
    w_.text("action");
    w_.text(action);
    w_.text("addr");
    w_.number(base + (std::uint64_t{slot} << 20U));
    w_.text("size");
    w_.number(512U * (1 + slot % 2000));
    w_.text("stream");
    w_.number(0);
    w_.text("time_us");
    w_.number(1700000000000000ULL + number);
    w_.text("compile_context");
    w_.text("N/A");
    w_.text("user_metadata");
    w_.text("");
    w_.text("frames");
    if (known_stack == 0)
      stacks_[slot] = stack(number % 5000);
    else
      w_.get(known_stack);
    w_.op('u');
  }

  void trace() {
    w_.op(']');
    w_.memoize();
    unsigned number = 0;
    while (w_.out.size() < bytes_) {
      w_.op('(');
      for (unsigned i = 0; i < 999; i += 3, ++number) {
        const unsigned slot = number % live;
        const std::uint32_t old = stacks_[slot];
        if (old != 0) {
          event("free_requested", slot, number, old);
          event("free_completed", slot, number, old);
        }
        event("alloc", slot, number, 0);
      }
      w_.op('e');
    }
  }

  static constexpr std::uint64_t base = 0x7f0000000000ULL;
  std::uint64_t bytes_;
  Writer w_;
  std::vector<std::uint32_t> frames_;
  std::vector<std::uint32_t> stacks_ = std::vector<std::uint32_t>(live);
};

double seconds(const std::chrono::steady_clock::time_point& since) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - since).count();
}

/// Processor time of this process: what counts on a machine that others use.
double processor_seconds() {
  return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

double peak_mib() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<double>(usage.ru_maxrss) / 1024;
}

}  // namespace

int main(int argc, char** argv) {
  const double megabytes = argc > 1 ? std::atof(argv[1]) : 1100;
  const std::string file = Synthetic(static_cast<std::uint64_t>(megabytes * 1e6)).run();
  const double size = static_cast<double>(file.size()) / 1e6;
  const double before = peak_mib();
  auto start = std::chrono::steady_clock::now();
  double processor = processor_seconds();
  const auto read = snapshot::read(file, "synthetic");
  if (!read) {
    fmt::print(stderr, "{}\n", read.error().message);
    return 1;
  }
  fmt::print("snapshot of {:.0f} MB, {} events, {} stacks\n", size, read->events.size(), read->stack_count());
  const auto row = [&](std::string_view name) {
    const double wall = seconds(start), own = processor_seconds() - processor;
    fmt::print("{:<16}{:>7.2f} s {:>5.0f} MB/s, processor {:>6.2f} s {:>5.0f} MB/s, {:>6.0f} MiB more\n",
               name, wall, size / wall, own, size / own, peak_mib() - before);
  };
  row("read");
  const auto story = snapshot::tell(*read, schema::embedded_log_table(), schema::embedded_owner_table());
  row("read and told");
  return story.devices.empty() ? 1 : 0;
}
