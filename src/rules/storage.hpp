// What a LoadedPack owns. Views into containers that never move their elements.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "headroom/rules/pack.hpp"

namespace headroom::rules {

struct LoadedPack::Storage {
  lang::PoolBuilder pool;
  std::vector<Rule> rules;
  RulePack view;

  std::string_view keep(std::string text) { return strings_.emplace_back(std::move(text)); }
  std::span<const schema::FieldId> keep(std::vector<schema::FieldId> v) {
    return fields_.emplace_back(std::move(v));
  }
  std::span<const MessagePart> keep(std::vector<MessagePart> v) { return parts_.emplace_back(std::move(v)); }
  std::span<const FixData> keep(std::vector<FixData> v) { return fixes_.emplace_back(std::move(v)); }
  std::span<const FixSet> keep(std::vector<FixSet> v) { return sets_.emplace_back(std::move(v)); }
  std::span<const FixEnv> keep(std::vector<FixEnv> v) { return envs_.emplace_back(std::move(v)); }
  std::span<const SourceRef> keep(std::vector<SourceRef> v) { return sources_.emplace_back(std::move(v)); }
  std::span<const Example> keep(std::vector<Example> v) { return examples_.emplace_back(std::move(v)); }
  std::span<const std::string_view> keep(std::vector<std::string_view> v) {
    return names_.emplace_back(std::move(v));
  }

 private:
  std::deque<std::string> strings_;
  std::deque<std::vector<schema::FieldId>> fields_;
  std::deque<std::vector<MessagePart>> parts_;
  std::deque<std::vector<FixData>> fixes_;
  std::deque<std::vector<FixSet>> sets_;
  std::deque<std::vector<FixEnv>> envs_;
  std::deque<std::vector<SourceRef>> sources_;
  std::deque<std::vector<Example>> examples_;
  std::deque<std::vector<std::string_view>> names_;
};

}  // namespace headroom::rules
