#include "select.hpp"

#include <algorithm>
#include <array>

#include "headroom/schema/schema.hpp"
#include "text.hpp"

namespace headroom::oom {
namespace {

/// Files whose checks refuse a config. Their asserts name flags and fields.
constexpr std::array<std::string_view, 8> checking_files{"arguments.py",
                                                         "transformer_config.py",
                                                         "model_parallel_config.py",
                                                         "optimizer_config.py",
                                                         "training/config.py",
                                                         "distributed_data_parallel_config.py",
                                                         "parallel_state.py",
                                                         "num_microbatches_calculator.py"};

bool names_a_setting(std::string_view message) {
  const schema::Schema& schema = schema::embedded_schema();
  std::size_t begin = 0;
  constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
  while ((begin = message.find_first_of(letters, begin)) != std::string_view::npos) {
    const auto end = std::min(message.find_first_not_of(letters, begin), message.size());
    std::string word(message.substr(begin, end - begin));
    begin = end;
    while (!word.empty() && (word.front() == '-' || word.front() == '.')) word.erase(0, 1);
    while (!word.empty() && (word.back() == '-' || word.back() == '.')) word.pop_back();
    std::replace(word.begin(), word.end(), '-', '_');
    const auto dot = word.rfind('.');
    if (dot != std::string::npos) word.erase(0, dot + 1);
    if (word.find('_') == std::string::npos || word.size() > 80) continue;
    for (const std::string_view section :
         {"model.", "ddp.", "optimizer.", "train.", "checkpoint.", "comm_overlap."})
      if (schema.find(std::string(section) + word) != schema::no_field) return true;
  }
  return false;
}

bool is_validation(const Exception& e) {
  const bool refuses = e.type == "AssertionError" || e.type == "ValueError" || e.type == "RuntimeError" ||
                       e.type == "NotImplementedError" || e.type == "TypeError";
  if (!refuses) return false;
  const bool runs = e.trace.phase >= LogPhase::data && e.trace.phase != LogPhase::model_build &&
                    e.trace.phase != LogPhase::optimizer_build;
  if (e.trace.module == "validation" && !runs) return true;
  if (runs) return false;
  for (const LogLine& f : e.trace.frames)
    for (const std::string_view file : checking_files)
      if (holds(f.text, file)) return true;
  return names_a_setting(e.message);
}

/// Lines that only repeat what another rank or the launcher saw.
bool is_consequence(LineKind kind) {
  return kind == LineKind::nccl_error || kind == LineKind::nccl_timeout || kind == LineKind::environment ||
         kind == LineKind::preempted;
}

/// The type of an exception that carries the failure of another process.
bool is_wrapper(std::string_view type) {
  return holds(type, "ChildFailedError") || holds(type, "RayTaskError") || holds(type, "RayActorError") ||
         holds(type, "ActorDiedError") || holds(type, "ProcessRaisedException") ||
         holds(type, "CalledProcessError");
}

const Failure* first_of(const LogFacts& log, bool (*wanted)(LineKind)) {
  const Failure* best = nullptr;
  for (const Failure& f : log.failures)
    if (wanted(f.kind) && (best == nullptr || f.where.line < best->where.line)) best = &f;
  return best;
}

/// A lack of memory after which training went on was caught.
bool survived(const Failure& f, const LogFacts& log) {
  return log.last_iteration && log.last_iteration->line > f.where.line && f.trace.depth == 0;
}

const Failure* memory_root(const LogFacts& log) {
  const Failure* first = first_of(log, [](LineKind k) { return is_memory(k) && k != LineKind::killed; });
  if (first == nullptr || survived(*first, log)) return nullptr;
  // The same failure is often told twice, without figures first: "Cuda failure", then an exception.
  if (first->kind == LineKind::allocator && !first->figures.tried) {
    for (const Failure& f : log.failures)
      if (f.kind == LineKind::allocator && f.figures.tried && f.where.line < first->where.line + 400)
        return &f;
  }
  return first;
}

const Exception* first_real(const LogFacts& log) {
  for (const Exception& e : log.exceptions)
    if (!is_wrapper(e.type)) return &e;
  return nullptr;
}

Selected other_root(const LogFacts& log, const Exception* exception) {
  const Failure* best = nullptr;
  for (const Failure& f : log.failures) {
    if (is_memory(f.kind) || f.kind == LineKind::done || f.kind == LineKind::recovered) continue;
    if (best == nullptr || (is_consequence(best->kind) && !is_consequence(f.kind))) best = &f;
  }
  const bool says_more = best != nullptr && (exception == nullptr || !is_consequence(best->kind) ||
                                             best->where.line <= exception->where.line);
  if (says_more) return {Root::other, best, nullptr};
  if (exception != nullptr) return {Root::other, nullptr, exception};
  return {};
}

}  // namespace

bool is_memory(LineKind kind) {
  return kind <= LineKind::killed;
}

bool is_host(LineKind kind) {
  return kind >= LineKind::host_killer && kind <= LineKind::killed;
}

Selected select(const LogFacts& log) {
  const Failure* memory = memory_root(log);
  const Exception* exception = first_real(log);
  const Exception* refused = nullptr;
  for (const Exception& e : log.exceptions)
    if (refused == nullptr && is_validation(e)) refused = &e;
  if (refused != nullptr && (memory == nullptr || refused->where.line < memory->where.line))
    return {Root::validation, nullptr, refused};
  if (memory != nullptr) return {Root::memory, memory, nullptr};
  if (const Selected other = other_root(log, exception); other.root != Root::none) return other;
  // Signal 9 counts where nothing else is to blame, and where it was not the launcher that ended the others.
  const Failure* killed = first_of(log, [](LineKind k) { return k == LineKind::killed; });
  if (killed != nullptr && (!log.root_exit || *log.root_exit == -9)) return {Root::memory, killed, nullptr};
  if (killed != nullptr) return {Root::other, killed, nullptr};
  const bool ended = log.counts.contains(LineKind::done);
  if (ended || log.last_iteration) return {Root::healthy, nullptr, nullptr};
  return {};
}

}  // namespace headroom::oom
