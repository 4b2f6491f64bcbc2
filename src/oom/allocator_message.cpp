#include "allocator_message.hpp"

#include <vector>

#include "text.hpp"

namespace headroom::oom {
namespace {

/// Beyond any device: torch 2.1 to 2.3 print 17179869184.00 GiB where a driver does not tell.
constexpr double absurd = 1e15;

std::optional<double> sane(std::optional<double> bytes) {
  return bytes && *bytes >= 0 && *bytes < absurd ? bytes : std::nullopt;
}

std::optional<double> size_before(std::string_view text, std::string_view mark) {
  const auto at = text.find(mark);
  return at == std::string_view::npos ? std::nullopt : sane(trailing_size(text.substr(0, at)));
}

std::optional<double> size_after(std::string_view text, std::string_view mark) {
  const auto rest = after(text, mark);
  return rest ? sane(leading_size(*rest)) : std::nullopt;
}

void take(std::optional<double>& into, std::optional<double> value) {
  if (value) into = value;
}

std::vector<double> other_processes(std::string_view text) {
  std::vector<double> out;
  for (auto rest = after(text, "Process "); rest; rest = after(*rest, "Process ")) {
    const auto has = after(*rest, " has ");
    if (!has || !leading_integer(*rest)) continue;
    const auto use = sane(leading_size(*has));
    if (use && holds(has->substr(0, 60), "memory in use")) out.push_back(*use);
  }
  return out;
}

/// In a container the driver lists this process under another number: "Process 105400 has 76.92 GiB memory in
/// use" and no "this process". It is the one that holds what torch reserved, and little more.
void find_own(std::vector<double>& processes, AllocatorFigures& out) {
  const auto reserved = out.reserved();
  if (out.in_use || !reserved) return;
  std::size_t best = processes.size();
  for (std::size_t i = 0; i < processes.size(); ++i) {
    const double slack = 0.01 * processes[i];  // figures are rounded
    if (processes[i] + slack < *reserved) continue;
    if (best == processes.size() || processes[i] < processes[best]) best = i;
  }
  if (best == processes.size()) return;
  out.in_use = processes[best];
  processes.erase(processes.begin() + static_cast<std::ptrdiff_t>(best));
}

void read_old(std::string_view text, AllocatorFigures& out) {
  take(out.capacity, size_before(text, " total capacity"));
  take(out.allocated, size_before(text, " already allocated"));
  take(out.free, size_before(text, " free;"));
  if (!out.free) take(out.free, size_before(text, " free)"));
  std::optional<double> reserved = size_before(text, " reserved in total by PyTorch");
  if (!reserved) reserved = size_before(text, " cached)");
  if (reserved && out.allocated) out.reserved_unallocated = std::max(0.0, *reserved - *out.allocated);
}

void read_new(std::string_view text, AllocatorFigures& out) {
  take(out.capacity, size_after(text, "total capacity of "));
  take(out.capacity, size_after(text, "total capacty of "));
  take(out.free, size_before(text, " is free"));
  take(out.in_use, size_after(text, "this process has "));
  take(out.allocated, size_before(text, " is allocated by PyTorch"));
  take(out.private_pools, size_before(text, " allocated in private pools"));
  take(out.reserved_unallocated, size_before(text, " is reserved by PyTorch but unallocated"));
}

}  // namespace

void read_allocator_message(std::string_view message, AllocatorFigures& out) {
  const auto start = message.find("Tried to allocate ");
  if (start != std::string_view::npos) message = message.substr(start);
  take(out.tried, size_after(message, "Tried to allocate "));
  if (const auto gpu = after(message, "GPU "); gpu) {
    if (const auto number = leading_integer(*gpu); number && *number >= 0 && *number < 1024)
      out.gpu = static_cast<std::int32_t>(*number);
  }
  take(out.allowed, size_before(message, " allowed;"));
  if (holds(message, " already allocated"))
    read_old(message, out);
  else
    read_new(message, out);
  auto processes = other_processes(message);
  find_own(processes, out);
  out.others = 0;
  for (const double bytes : processes) out.others += bytes;
  out.other_count = static_cast<std::int32_t>(processes.size());
}

bool is_complete(const AllocatorFigures& figures) {
  return figures.tried && figures.allocated && figures.reserved_unallocated;
}

}  // namespace headroom::oom
