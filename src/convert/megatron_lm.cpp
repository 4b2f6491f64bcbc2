// Into a launch script for Megatron-LM.
#include <fmt/format.h>

#include <algorithm>

#include "fit.hpp"
#include "lost.hpp"

namespace headroom::convert {

using dialect::Change;
using dialect::Spelling;
using resolve::EffectiveConfig;
using schema::DialectRow;
using schema::FieldId;
using schema::Schema;
using schema::Space;
using source::Value;

namespace {

constexpr std::string_view language = "megatron-lm";

/// `silu` and `torch.nn.functional.silu` name one function.
bool same_function(const Value& written, const Value& path) {
  if (!written.is_string() || !path.is_string()) return false;
  const auto tail = [](std::string_view name) { return name.substr(name.find_last_of('.') + 1); };
  return path.as_string().find('.') != std::string_view::npos &&
         tail(written.as_string()) == tail(path.as_string());
}

bool is_config(const Schema& schema, FieldId id) {
  return schema.field(id).space == Space::config;
}

class Conversion {
 public:
  Conversion(const From& from, const resolve::ResolvePack& pack)
      : from_(from), wanted_(*from.config), schema_(*from.config->schema), pack_(pack) {
    wanted_.launch.model = nullptr;  // nobody names it where the script runs: its sizes are written
    name_functions(*schema_.find_dialect(language));
    said_ = wanted_;
  }

  Converted run() {
    const schema::Release r = wanted_.launch.release;
    Target target;
    target.skeleton.table = schema_.find_dialect(language);
    target.skeleton.dialect = language;
    target.skeleton.layer = schema::Layer::megatron_lm;
    target.fields = fields_with_flags(schema_, r);
    for (const auto& [name, value] : always()) set(target.skeleton, name, value);
    agree_on_flags(*target.skeleton.table);
    Fitted best = without_needless(with_switches(target), said_, target, pack_);
    Converted out;
    std::vector<std::string> words = spelt(best, out);
    out.text = script(words);
    for (const FieldId id : target.fields)
      if (!agree(wanted_.now[id], said_.now[id])) best.different.push_back(id);
    out.lost = lost(from_, best, target.fields, "Megatron-LM", pack_);
    return out;
  }

 private:
  void set(dialect::Settings& settings, std::string_view name, Value value) const {
    const FieldId id = schema_.find(name);
    if (id != schema::no_field) settings.assign(id, std::move(value), {});
  }

  /// Functions by the names that flags stand for.
  void name_functions(const schema::DialectTable& table) {
    for (const DialectRow& row : table.rows) {
      for (const auto& c : row.cases) {
        for (const auto& item : c.sets) {
          const Value path = schema_.value(item.value);
          if (same_function(wanted_.now[item.field], path)) wanted_.now[item.field] = path;
        }
      }
    }
  }

  /// What no field of the config stands for and no launch does without.
  std::vector<std::pair<std::string_view, Value>> always() const {
    const FieldId length = schema_.find("model.seq_length");
    std::vector<std::pair<std::string_view, Value>> out;
    if (length != schema::no_field && wanted_.now[length].is_int())
      out.emplace_back("args.max_position_embeddings", wanted_.now[length]);
    return out;
  }

  /// One flag may stand for fields that differ here: it says what most of them say, the first where that is
  /// open.
  void agree_on_flags(const schema::DialectTable& table) {
    for (const DialectRow& row : table.rows) {
      if (row.kind != schema::RowKind::fields || row.fields.size() < 2) continue;
      const FieldId* best = &row.fields.front();
      const auto votes = [&](FieldId of) {
        return std::ranges::count_if(row.fields,
                                     [&](FieldId id) { return agree(wanted_.now[id], wanted_.now[of]); });
      };
      for (const FieldId& id : row.fields) {
        const bool of_model = schema_.field(id).name.starts_with("model.");
        if (std::pair(votes(id), of_model) >
            std::pair(votes(*best), schema_.field(*best).name.starts_with("model.")))
          best = &id;
      }
      for (const FieldId id : row.fields)
        if (is_config(schema_, id)) said_.now[id] = wanted_.now[*best];
    }
  }

  /// Some flags count only beside a switch (`--num-query-groups` and `--group-query-attention`): each switch
  /// that brings the values nearer stays.
  Fitted with_switches(Target& target) const {
    Fitted best = fit(said_, target, pack_);
    for (const DialectRow& row : target.skeleton.table->rows) {
      if (best.different.empty()) break;
      if (!is_switch(row)) continue;
      Target trial = target;
      if (row.kind == schema::RowKind::fields)
        trial.skeleton.assign(row.fields.front(), Value(row.action), {});
      for (const auto& c : row.cases)
        for (const auto& item : c.sets) trial.skeleton.assign(item.field, schema_.value(item.value), {});
      Fitted next = fit(said_, trial, pack_);
      if (badness(next, wanted_) >= badness(best, wanted_)) continue;
      best = std::move(next);
      target = std::move(trial);
    }
    return best;
  }

  bool is_switch(const DialectRow& row) const {
    if (row.arity != schema::Arity::none || !schema::contains(row.releases, wanted_.launch.release))
      return false;
    if (row.kind == schema::RowKind::choice) return row.cases.size() == 1;
    return row.kind == schema::RowKind::fields && row.fields.size() == 1 &&
           schema_.field(row.fields.front()).space == Space::extra;
  }

  /// Flags for every setting; one that no flag says alone goes back to the differences.
  std::vector<std::string> spelt(Fitted& best, Converted& out) const {
    for (const dialect::Setting& s : best.settings.settings)
      out.changes.push_back({std::string(schema_.field(s.field).name), s.value});
    // The model first: it is what people look for.
    std::ranges::sort(out.changes, {},
                      [](const Change& c) { return std::pair(!c.field.starts_with("model."), c.field); });
    std::vector<std::string> words, names;
    dialect::Settings empty;
    empty.table = best.settings.table;
    for (const Change& change : out.changes) {
      const auto one = dialect::spell_among(empty, schema_, wanted_.launch.release, change, out.changes);
      if (!one || (!one->value && !one->bare)) {
        const FieldId id = schema_.find(change.field);
        if (std::ranges::find(best.different, id) == best.different.end()) best.different.push_back(id);
        continue;
      }
      if (!one->value || std::ranges::find(names, one->name) != names.end()) continue;
      names.push_back(one->name);
      words.push_back(dialect::words_of(*one));
    }
    return words;
  }

  std::string script(const std::vector<std::string>& words) const {
    std::string out =
        fmt::format("#!/bin/bash\n# The settings of {}, as arguments of Megatron-LM.\n", from_.name);
    for (std::size_t i = 0; i < schema_.size(); ++i) {
      const auto id = static_cast<FieldId>(i);
      if (schema_.field(id).space != Space::environment || wanted_.set[id] == 0) continue;
      const Value& value = wanted_.now[id];
      if (value.is_string())
        out += fmt::format("export {}={}\n", schema_.field(id).name.substr(4),
                           source::shell_quote(value.as_string()));
    }
    out += launcher();
    for (const std::string& word : words) out += fmt::format(" \\\n    {}", word);
    return out + "\n";
  }

  std::string launcher() const {
    const auto& launch = wanted_.launch;
    const std::int64_t per_node = launch.gpu != nullptr ? launch.gpu->gpus_per_node : 8;
    if (!launch.gpus) return "torchrun pretrain_gpt.py";
    const std::int64_t on_one = std::min(*launch.gpus, per_node);
    return fmt::format("torchrun --nproc_per_node {} --nnodes {} pretrain_gpt.py", on_one,
                       (*launch.gpus + on_one - 1) / on_one);
  }

  const From& from_;
  EffectiveConfig wanted_;
  EffectiveConfig said_;  ///< what flags can say of it
  const Schema& schema_;
  const resolve::ResolvePack& pack_;
};

}  // namespace

std::vector<FieldId> fields_with_flags(const Schema& schema, schema::Release r) {
  std::vector<FieldId> out;
  const schema::DialectTable* table = schema.find_dialect(language);
  if (table == nullptr) return out;
  const auto add = [&](FieldId id) {
    if (is_config(schema, id) && schema::contains(schema.field(id).releases, r)) out.push_back(id);
  };
  for (const DialectRow& row : table->rows) {
    if (!schema::contains(row.releases, r)) continue;
    for (const FieldId id : row.fields) add(id);
    for (const auto& c : row.cases)
      for (const auto& item : c.sets) add(item.field);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

Converted to_megatron_lm(const From& from, const resolve::ResolvePack& pack) {
  return Conversion(from, pack).run();
}

}  // namespace headroom::convert
