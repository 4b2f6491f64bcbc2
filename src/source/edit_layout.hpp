// How an edit is laid out: indentation, line breaks, commas, brackets. Internal to set_value and remove_key.
#pragma once
#include <string>
#include <vector>

#include "headroom/source/document.hpp"
#include "headroom/source/edit.hpp"
#include "text_scan.hpp"

namespace headroom::source {

class EditLayout {
 public:
  explicit EditLayout(const Document& doc);

  /// Last member `key` that the text of this mapping itself has (not one that `<<` brought).
  [[nodiscard]] const Member* find_own(NodeId map, std::string_view key) const;
  /// `flow`: the member stands in a flow mapping.
  [[nodiscard]] std::vector<Edit> replace_value(const Member& member, const Value& value, bool flow) const;
  /// Gives a file without content its first key.
  [[nodiscard]] std::vector<Edit> fill_root(const std::string& key, const Value& value) const;
  [[nodiscard]] std::vector<Edit> add_member(NodeId map, const std::string& key, const Value& value) const;
  /// `parent`: the member whose value `map` is; none at the root.
  [[nodiscard]] std::vector<Edit> remove_member(NodeId map, const Member* parent, std::string_view key) const;

 private:
  struct Extent {
    std::uint32_t begin = 0;
    std::uint32_t end = 0;
  };
  [[nodiscard]] Extent extent(const Member& member) const;
  [[nodiscard]] std::uint32_t colon_end(const Member& member) const;
  [[nodiscard]] std::uint32_t line_start(std::uint32_t p) const;
  [[nodiscard]] std::uint32_t line_end(std::uint32_t p) const;
  [[nodiscard]] std::uint32_t next_line(std::uint32_t p) const;
  [[nodiscard]] bool first_on_line(std::uint32_t p) const;
  [[nodiscard]] std::vector<Member> own_members(NodeId map) const;
  [[nodiscard]] std::string pair_text(const std::string& key, const Value& value) const;
  [[nodiscard]] std::string block_text(const std::string& key, const Value& value, std::size_t indent) const;
  [[nodiscard]] std::string members_below(const Value& value, std::size_t indent) const;
  [[nodiscard]] std::vector<Edit> replace_by_members(const Member& member, const Value& value) const;
  [[nodiscard]] std::vector<Edit> add_to_flow(NodeId map, const std::string& key, const Value& value) const;
  [[nodiscard]] std::vector<Edit> add_to_block(NodeId map, const std::string& key, const Value& value) const;
  [[nodiscard]] Edit remove_from_flow(const std::vector<Member>& own, std::size_t index) const;
  [[nodiscard]] std::size_t find_step() const;

  const Document& doc_;
  std::string_view text_;
  TextScan scan_;
  std::string newline_;
  std::size_t step_ = 2;  ///< spaces by which the file indents
};

/// Whether two documents hold the same values everywhere but at `path`. What is written as `${…}` is compared
/// as text: it follows the value that it names.
[[nodiscard]] bool same_but_for(const Document& a, NodeId in_a, const Document& b, NodeId in_b,
                                const std::vector<std::string>& path, std::size_t depth);

}  // namespace headroom::source
