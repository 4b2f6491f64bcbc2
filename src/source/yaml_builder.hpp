// Turns yaml-cpp's events into the nodes of a Document. Internal to the reader.
#pragma once
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/mark.h>

#include <string>
#include <unordered_set>
#include <vector>

#include "headroom/source/document.hpp"
#include "text_scan.hpp"

namespace headroom::source {

/// Thrown out of yaml-cpp's parser by the builder, and caught by read_yaml: no other way to stop it.
struct ReadingStopped {
  Error error;
};

class YamlBuilder final : public YAML::EventHandler {
 public:
  /// `base`: bytes of `doc.source` that the parser does not see (a byte order mark).
  YamlBuilder(Document& doc, const Limits& limits, std::uint32_t base);

  /// Offset up to which the parser has delivered events.
  [[nodiscard]] std::uint32_t progress() const { return progress_; }
  /// Stops where the text in front of the document, at `document`, has a directive but no `---`.
  void check_directives(std::uint32_t document) const;
  [[nodiscard]] bool has_interpolation() const { return has_interpolation_; }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnAnchor(const YAML::Mark& mark, const std::string& name) override;
  void OnSequenceEnd() override { close_collection(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  struct Frame {
    NodeId node = no_node;
    NodeId key = no_node;      ///< mapping: key that waits for its value
    std::uint32_t column = 0;  ///< block collections
    std::uint32_t cursor = 0;  ///< end of what has been read of it
    bool mapping = false;
    bool flow = false;
    bool bracket = false;  ///< begins with `[` or `{` (a pair in `[a: b]` does not)
  };

  std::uint32_t offset(const YAML::Mark& mark);
  NodeId new_node(Span span);
  void remember_anchor(YAML::anchor_t anchor, NodeId id);
  void add(NodeId id);
  void open_collection(NodeKind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       bool flow);
  void close_collection();
  [[nodiscard]] std::uint32_t absent_place() const;
  [[nodiscard]] bool stands_for_next_item(std::uint32_t p) const;
  void add_absent(TextScan::Properties properties, bool has_properties, YAML::anchor_t anchor);
  void check_absent_part() const;
  void check_reserved(const Node& node) const;
  void type_scalar(NodeId id);
  void find_duplicates(NodeId map);
  void report_duplicate(NodeId earlier, NodeId later);
  void apply_merge_keys(NodeId map);
  void merge_from(NodeId value, std::vector<Member>& merged);
  NodeId copy(NodeId from, Span span, std::uint32_t depth);
  [[noreturn]] void stop(Span span, std::string message) const;

  Document& doc_;
  const Limits& limits_;
  TextScan scan_;
  std::uint32_t base_;
  std::uint32_t progress_ = 0;
  std::vector<Frame> stack_;
  std::vector<NodeId> anchors_;
  std::unordered_set<std::string> anchor_names_;
  bool has_interpolation_ = false;
};

/// A copy of a subtree as if it stood at `span`; `too_many` where the document would pass `limits.nodes`.
[[nodiscard]] NodeId copy_subtree(Document& doc, NodeId from, Span span, const Limits& limits,
                                  std::uint32_t depth);
/// Value of a sequence from those of its items: a List, or Opaque where an item is a mapping.
[[nodiscard]] Value sequence_value(const Document& doc, const Node& sequence);

}  // namespace headroom::source
