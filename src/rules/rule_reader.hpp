// One rule file to one Rule; every fault is reported, with its place.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "rule_file.hpp"
#include "storage.hpp"

namespace headroom::rules {

class RuleReader {
 public:
  RuleReader(LoadedPack::Storage& storage, const schema::Schema& schema, std::vector<source::Error>& errors)
      : storage_(storage), schema_(schema), errors_(errors) {}

  /// Adds the rule to the storage where the file has no fault.
  void read(const std::shared_ptr<const source::SourceText>& text, std::string id);

 protected:  // the reader of choices (choices_reader.cpp) is made of the same parts
  using NodeId = source::NodeId;

  void front_matter(const source::Document& doc);
  void key(const source::Member& m);
  void whole(const source::SourceText& text, const Page& page);

  void severity(NodeId id);
  void fails_at(NodeId id);
  void releases(NodeId id, bool mcore);
  void applies_to(NodeId id);
  void at(NodeId id);
  void message(NodeId id);
  void sources(NodeId id);
  void fixes(NodeId id);
  std::optional<FixData> fix(NodeId id);
  void fix_key(const source::Member& m, FixData& fix);
  void fix_set(NodeId id, FixData& fix);
  void fix_unset(NodeId id, FixData& fix);
  void fix_env(NodeId id, FixData& fix);
  lang::ExprId fix_value(NodeId id, schema::FieldId field);
  void page_blocks(const Page& page);

  lang::ExprId expression(NodeId id, std::size_t skip = 0);
  lang::ExprId expression(NodeId id, std::string_view part, std::size_t base);
  /// A field by name; `no_field` after an error.
  schema::FieldId field(NodeId id, bool writable);
  std::optional<std::string_view> scalar(NodeId id, std::string_view what);
  bool flag(NodeId id, std::string_view what);
  /// The scalars of a list, or the one scalar.
  std::vector<NodeId> scalars(NodeId id, std::string_view what);
  std::vector<std::string_view> texts(NodeId id, std::string_view what);
  bool known(NodeId key, const std::vector<std::string_view>& keys, std::string_view where);
  void fault(NodeId id, std::string message);
  void fault(source::Span span, std::string message);
  const source::Node& node(NodeId id) const { return doc_->node(id); }

  LoadedPack::Storage& storage_;
  const schema::Schema& schema_;
  std::vector<source::Error>& errors_;
  const source::Document* doc_ = nullptr;
  Rule rule_;
  bool native_ = false, has_when_ = false, has_message_ = false, has_at_ = false, has_severity_ = false;
  bool has_fails_at_ = false;
};

}  // namespace headroom::rules
