// Options that take one of a few words.
#pragma once
#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/lang/check.hpp"
#include "headroom/lint/options.hpp"

namespace headroom::app {

/// Sets `into` to the value of the word; what is wrong with it, where it is none of them.
template <class T, std::size_t N>
lint::Complaint choose(T& into, const std::string& text, std::string_view option,
                       const std::array<std::pair<std::string_view, T>, N>& choices) {
  std::vector<std::string_view> names;
  for (const auto& [name, value] : choices) {
    if (name == text) {
      into = value;
      return {};
    }
    names.push_back(name);
  }
  return fmt::format("{}: '{}' is none of {}{}", option, text, fmt::join(names, ", "),
                     lang::did_you_mean(text, names));
}

}  // namespace headroom::app
