#include "shell_state.hpp"

#include <fmt/format.h>

#include "chars.hpp"

namespace headroom::source {

namespace {

constexpr std::size_t max_expanded = 4u << 20;
constexpr std::size_t max_assumptions = 1000;
constexpr std::size_t max_notes = 10'000;
constexpr std::size_t max_note_text = 200;

}  // namespace

ShellState::ShellState(std::shared_ptr<const SourceText> source, const Limits& limit) : limits(limit) {
  script.source = std::move(source);
}

const ShellVariable* ShellState::find(const std::string& name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : &found->second;
}

void ShellState::set(const std::string& name, ShellVariable variable) {
  const auto found = variables_.find(name);
  if (found == variables_.end()) {
    undo_.emplace_back(name, std::nullopt);
    variables_.emplace(name, std::move(variable));
  } else {
    undo_.emplace_back(name, std::move(found->second));
    found->second = std::move(variable);
  }
}

ShellState::Changes ShellState::changes(std::size_t mark) const {
  Changes out;
  for (std::size_t i = mark; i < undo_.size(); ++i) {
    const auto found = variables_.find(undo_[i].first);
    if (found != variables_.end()) out.insert_or_assign(undo_[i].first, found->second);
  }
  return out;
}

void ShellState::roll_back(std::size_t mark) {
  while (undo_.size() > mark) {
    auto& [name, before] = undo_.back();
    if (before) {
      variables_.insert_or_assign(name, std::move(*before));
    } else {
      variables_.erase(name);
    }
    undo_.pop_back();
  }
}

std::uint32_t ShellState::assume(std::string text) {
  const auto [at, fresh] = assumed_.try_emplace(text, static_cast<std::uint32_t>(script.assumptions.size()));
  if (fresh) script.assumptions.push_back(std::move(text));
  if (script.assumptions.size() > max_assumptions || givens.total() > 250 * max_assumptions) {
    fail(place, fmt::format("more than {} assumptions", max_assumptions));
  }
  return givens.one(at->second);
}

void ShellState::note(Unevaluated::Kind kind, Span span, std::string variable) {
  note_text(kind, span, source().slice(span), std::move(variable));
}

void ShellState::note_text(Unevaluated::Kind kind, Span span, std::string_view text, std::string variable) {
  if (script.not_evaluated.size() >= max_notes || !noted_.emplace(static_cast<int>(kind), span.begin).second)
    return;
  std::size_t length = std::min(text.size(), max_note_text);
  while (length < text.size() && length > 0 && (static_cast<unsigned char>(text[length]) & 0xC0U) == 0x80U)
    --length;
  if (variable.empty()) variable = target;
  script.not_evaluated.push_back({kind, span, std::string(text.substr(0, length)), std::move(variable)});
}

bool ShellState::spend(std::size_t bytes) {
  bytes_ += bytes;
  if (bytes_ > max_expanded) fail(place, fmt::format("expands to more than {} MiB", max_expanded >> 20));
  return !failed();
}

bool ShellState::step(std::size_t count) {
  steps_ += count;
  if (steps_ > limits.nodes) fail(place, fmt::format("more than {} commands and words", limits.nodes));
  return !failed();
}

void ShellState::fail(Span span, std::string message) {
  if (!error) error = error_at(source(), span, std::move(message));
}

}  // namespace headroom::source
