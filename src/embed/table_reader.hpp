// Typed access to a YAML table of rules/, collecting every problem with its place.
#pragma once
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "headroom/schema/release.hpp"
#include "headroom/source/document.hpp"

namespace headroom::embed {

/// Owns the strings and arrays that tables point to.
class Arena {
 public:
  std::string_view keep(std::string_view text);
  template <class T>
  std::span<const T> keep(std::vector<T> items) {
    if (items.empty()) return {};
    auto owned = std::make_shared<std::vector<T>>(std::move(items));
    arrays_.push_back(owned);
    return *owned;
  }

 private:
  std::vector<std::unique_ptr<std::string>> strings_;
  std::vector<std::shared_ptr<const void>> arrays_;
};

/// A value that may differ between releases: `x` or `{'<0.4.2': x, '>=0.4.2': y}`.
struct ReleaseValue {
  schema::ReleaseSet releases = schema::all_releases;
  source::NodeId node = source::no_node;
};

class TableReader {
 public:
  TableReader(source::Document doc, std::vector<source::Error>& errors)
      : doc_(std::move(doc)), errors_(errors) {}

  /// Reads and parses `path`; nullopt (and an error) where that fails.
  static std::optional<TableReader> open(const std::string& path, std::vector<source::Error>& errors);

  [[nodiscard]] const source::Document& doc() const { return doc_; }
  [[nodiscard]] const std::string& file() const { return doc_.source->name(); }
  [[nodiscard]] source::NodeId root() const { return doc_.root; }
  [[nodiscard]] const source::Node& node(source::NodeId id) const { return doc_.node(id); }
  [[nodiscard]] source::Position position(source::NodeId id) const;
  void fail(source::NodeId at, std::string message) const;
  void fail_at(source::Span span, std::string message) const;

  /// Calls `visit(key, key node, value node)` for every member; an error where `map` is no mapping or a key
  /// comes twice.
  void each(source::NodeId map,
            const std::function<void(std::string_view, source::NodeId, source::NodeId)>& visit) const;
  void each_item(source::NodeId list, const std::function<void(source::NodeId)>& visit) const;
  /// An error for every key of `map` that is not among `known`.
  void only(source::NodeId map, std::initializer_list<std::string_view> known) const;
  /// Value of `key`, no_node where it is absent.
  [[nodiscard]] source::NodeId get(source::NodeId map, std::string_view key) const;

  [[nodiscard]] std::string text(source::NodeId id) const;                         ///< a scalar's characters
  [[nodiscard]] std::string text(source::NodeId map, std::string_view key) const;  ///< empty where absent
  [[nodiscard]] bool boolean(source::NodeId map, std::string_view key, bool otherwise) const;
  [[nodiscard]] std::optional<double> number(source::NodeId map, std::string_view key) const;
  [[nodiscard]] std::optional<std::int64_t> integer(source::NodeId map, std::string_view key) const;
  /// A list of scalars, or one scalar as a list of one; empty where absent.
  [[nodiscard]] std::vector<std::string> texts(source::NodeId map, std::string_view key) const;
  /// Release range of `key`; every release where absent.
  [[nodiscard]] schema::ReleaseSet releases(source::NodeId map, std::string_view key) const;
  [[nodiscard]] schema::ReleaseSet range(source::NodeId at, std::string_view text) const;
  [[nodiscard]] std::vector<ReleaseValue> by_release(source::NodeId id) const;

 private:
  source::Document doc_;
  std::vector<source::Error>& errors_;
};

/// Files of `dir` that end in `suffix`, sorted by name; empty where there is no such folder.
[[nodiscard]] std::vector<std::string> files_in(const std::string& dir, std::string_view suffix);
/// Name of a file without folder and ending.
[[nodiscard]] std::string stem(const std::string& path);

}  // namespace headroom::embed
