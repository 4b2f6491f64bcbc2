#include "headroom/lsp/framing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace headroom::lsp {
namespace {

constexpr std::string_view end_of_header = "\r\n\r\n";

bool same_letters(std::string_view a, std::string_view b) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

// The value of `Content-Length`; other fields (`Content-Type`) are let alone.
std::optional<std::uint64_t> length_in(std::string_view header) {
  std::optional<std::uint64_t> length;
  while (!header.empty()) {
    const std::string_view line = header.substr(0, header.find("\r\n"));
    header.remove_prefix(std::min(line.size() + 2, header.size()));
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || !same_letters(line.substr(0, colon), "content-length")) continue;
    std::string_view value = line.substr(colon + 1);
    value.remove_prefix(std::min(value.find_first_not_of(" \t"), value.size()));
    value = value.substr(0, value.find_last_not_of(" \t") + 1);
    std::uint64_t number = 0;
    const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error != std::errc() || stop != value.data() + value.size() || value.empty()) return {};
    length = number;
  }
  return length;
}

}  // namespace

std::optional<MessageReader::Message> MessageReader::read_header() {
  const std::size_t end = buffer_.find(end_of_header);
  if (end == std::string::npos ? buffer_.size() > longest_header : end > longest_header) {
    broken_ = true;
    buffer_.clear();
    return Message{"", "a header without end"};
  }
  if (end == std::string::npos) return {};
  body_ = length_in(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + end_of_header.size());
  if (!body_) {
    broken_ = true;
    buffer_.clear();
    return Message{"", "a header without a Content-Length"};
  }
  if (*body_ <= longest_message) return {};
  skip_ = *body_;
  const std::string problem =
      fmt::format("a message of {} bytes; the longest is {}", *body_, longest_message);
  body_.reset();
  return Message{"", problem};
}

std::optional<MessageReader::Message> MessageReader::next() {
  if (broken_) return {};
  if (skip_ != 0) {
    const std::uint64_t gone = std::min<std::uint64_t>(skip_, buffer_.size());
    buffer_.erase(0, gone);
    skip_ -= gone;
    if (skip_ != 0) return {};
  }
  if (!body_) {
    if (auto problem = read_header()) return problem;
    if (!body_) return {};
  }
  if (buffer_.size() < *body_) return {};
  Message out{buffer_.substr(0, *body_), ""};
  buffer_.erase(0, *body_);
  body_.reset();
  return out;
}

std::string framed(std::string_view body) {
  return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

}  // namespace headroom::lsp
