// Reads rules/recipes: every recipe with what it takes over from its base, release by release.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "schema_builder.hpp"

namespace headroom::embed {

using schema::FieldId;
using schema::FieldValue;
using schema::LiteralId;
using schema::Release;
using schema::ReleaseSet;
using source::NodeId;
using source::NodeKind;
using Kind = schema::Literal::Kind;

class RecipeCatalogue {
 public:
  explicit RecipeCatalogue(SchemaBuilder& builder) : b_(builder) {}

  void read() {
    for (const std::string& path : files_in(b_.dir_ + "/recipes", ".yaml")) {
      auto in = TableReader::open(path, b_.errors_);
      if (!in) continue;
      files_.push_back(std::make_unique<TableReader>(std::move(*in)));
      const TableReader& file = *files_.back();
      file.each(file.root(),
                [&](std::string_view name, NodeId key, NodeId body) { read_entry(file, name, key, body); });
    }
    for (Entry& e : entries_) find_base(e);
    check_names();
    if (!b_.errors_.empty()) return;
    write();
  }

 private:
  using Valued = SchemaBuilder::Valued;
  using Values = std::map<FieldId, LiteralId>;

  struct Entry {
    const TableReader* in = nullptr;
    NodeId key = source::no_node, base_node = source::no_node;
    std::string name, gpu;
    std::vector<std::string> aliases;
    ReleaseSet releases = 0;
    bool shared = false, usual_size = false;
    schema::RecipeKind kind = schema::RecipeKind::library;
    std::int64_t gpus = 0;
    std::size_t base = no_base;
    std::vector<std::pair<FieldId, LiteralId>> sections;  ///< in place of all that the base has of them
    std::vector<std::pair<FieldId, std::vector<Valued>>> values;  ///< beside those of the base
  };
  static constexpr std::size_t no_base = static_cast<std::size_t>(-1);

  void read_entry(const TableReader& in, std::string_view name, NodeId key, NodeId body) {
    in.only(body, {"base", "aliases", "releases", "kind", "gpus", "gpu", "usual_size", "values"});
    Entry e;
    e.in = &in;
    e.key = key;
    e.name = name;
    e.base_node = in.get(body, "base");
    e.aliases = in.texts(body, "aliases");
    e.releases = in.releases(body, "releases");
    const std::string kind = in.text(body, "kind");
    e.shared = kind == "shared";
    e.kind = kind == "benchmark" ? schema::RecipeKind::benchmark : schema::RecipeKind::library;
    if (!e.shared && kind != "benchmark" && kind != "library")
      in.fail(key, "the kind of a recipe is library or benchmark; shared, where it is only a base of others");
    e.gpus = in.integer(body, "gpus").value_or(0);
    if (e.gpus < 0 || e.gpus > 1'000'000) in.fail(in.get(body, "gpus"), "that is no number of GPUs");
    e.gpu = in.text(body, "gpu");
    e.usual_size = in.boolean(body, "usual_size", false);
    if (!e.gpu.empty() && b_.out_.find_gpu(e.gpu) == nullptr)
      in.fail(in.get(body, "gpu"), fmt::format("rules/gpus.yaml has no GPU kind '{}'", e.gpu));
    in.each(in.get(body, "values"), [&](std::string_view section, NodeId at, NodeId value) {
      read_section(in, e, section, at, value);
    });
    entries_.push_back(std::move(e));
  }

  /// Values are not held against types and choices: some recipes give what the annotation does not allow
  /// (`train.manual_gc_eval: 100`).
  void read_section(const TableReader& in, Entry& e, std::string_view name, NodeId at, NodeId body) {
    const bool environment = name == "env";
    const schema::Section* section = b_.out_.find_section(name);
    if (section == nullptr && !environment) return in.fail(at, fmt::format("there is no section '{}'", name));
    if (in.node(body).kind != NodeKind::mapping) {
      if (environment) return in.fail(body, "expected a mapping of variables");
      e.sections.emplace_back(section->field, b_.literal(in, body));
      return;
    }
    // Being written, a section exists.
    if (section != nullptr && !section->present) {
      schema::Literal present;
      present.kind = Kind::opaque;
      e.values.emplace_back(section->field, std::vector<Valued>{{schema::all_releases, b_.literal(present)}});
    }
    in.each(body, [&](std::string_view field, NodeId field_key, NodeId value) {
      const FieldId id = b_.field_named(in, field_key, fmt::format("{}.{}", name, field));
      if (id == schema::no_field) return;
      e.values.emplace_back(id, b_.values(in, value));
    });
  }

  /// The base is an entry for every release of the recipe, which is not a recipe based on this one.
  void find_base(Entry& e) {
    if (e.base_node == source::no_node) return;
    const std::string name = e.in->text(e.base_node);
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      if (entries_[i].name == name && (entries_[i].releases & e.releases) == e.releases) e.base = i;
    }
    if (e.base == no_base)
      return e.in->fail(e.base_node, fmt::format("no recipe '{}' has all releases of this one", name));
    for (std::size_t i = e.base; i != no_base; i = entries_[i].base) {
      if (&entries_[i] != &e) continue;
      e.base = no_base;
      return e.in->fail(e.base_node, "this recipe is its own base");
    }
  }

  /// A name means one thing in each release.
  void check_names() {
    std::map<std::string_view, ReleaseSet> seen;
    auto take = [&](const Entry& e, std::string_view name) {
      ReleaseSet& have = seen[name];
      if ((have & e.releases) != 0)
        e.in->fail(e.key, fmt::format("'{}' names two recipes of one release", name));
      have = static_cast<ReleaseSet>(have | e.releases);
    };
    for (const Entry& e : entries_) {
      take(e, e.name);
      for (const std::string& alias : e.aliases) take(e, alias);
    }
  }

  Values in_release(const Entry& e, Release r) const {
    Values out = e.base == no_base ? Values{} : in_release(entries_[e.base], r);
    auto set = [&](FieldId id, LiteralId value) {
      if (b_.literals_[value].kind == Kind::absent) {
        out.erase(id);
      } else {
        out[id] = value;
      }
    };
    for (const auto& [section, value] : e.sections) {
      const auto number = b_.fields_[section].section;
      std::erase_if(out, [&](const auto& entry) { return b_.fields_[entry.first].section == number; });
      set(section, value);
    }
    for (const auto& [id, list] : e.values)
      for (const Valued& v : list)
        if (schema::contains(v.releases, r)) set(id, v.value);
    return out;
  }

  /// One entry for each group of releases in which a recipe sets the same.
  void write() {
    std::vector<schema::TrainingRecipe> out;
    for (const Entry& e : entries_) {
      if (e.shared) continue;
      std::vector<std::pair<ReleaseSet, Values>> groups;
      for (int i = 0; i < schema::release_count; ++i) {
        if (!schema::contains(e.releases, static_cast<Release>(i))) continue;
        Values now = in_release(e, static_cast<Release>(i));
        auto same =
            std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.second == now; });
        if (same == groups.end()) same = groups.insert(groups.end(), {0, std::move(now)});
        same->first = static_cast<ReleaseSet>(same->first | (1u << static_cast<unsigned>(i)));
      }
      const std::string_view name = b_.arena_.keep(e.name), gpu = b_.arena_.keep(e.gpu);
      const auto aliases = b_.keep_texts(e.aliases);
      for (const auto& [releases, values] : groups)
        out.push_back({name, aliases, releases, e.kind, static_cast<std::int32_t>(e.gpus), gpu, e.usual_size,
                       parts(values)});
    }
    std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
      return a.name != b.name ? a.name < b.name : a.releases < b.releases;
    });
    b_.out_.training_recipes = b_.arena_.keep(std::move(out));
    b_.out_.recipe_parts = b_.arena_.keep(std::move(parts_));
  }

  std::span<const std::uint16_t> parts(const Values& values) {
    std::map<std::uint8_t, std::vector<std::pair<FieldId, LiteralId>>> sections;
    for (const auto& [id, value] : values) sections[b_.fields_[id].section].emplace_back(id, value);
    std::vector<std::uint16_t> out;
    for (const auto& [number, list] : sections) {
      auto [it, fresh] = part_numbers_.try_emplace(list, static_cast<std::uint16_t>(parts_.size()));
      if (fresh) {
        std::vector<FieldValue> part;
        for (const auto& [id, value] : list) part.push_back({id, value});
        parts_.push_back(b_.arena_.keep(std::move(part)));
        if (parts_.size() > 0xffff)
          b_.errors_.push_back(
              {"too many different sections of recipes for 16-bit numbers", b_.dir_, {}, false});
      }
      out.push_back(it->second);
    }
    return b_.arena_.keep(std::move(out));
  }

  SchemaBuilder& b_;
  std::vector<std::unique_ptr<TableReader>> files_;
  std::vector<Entry> entries_;
  std::vector<std::span<const FieldValue>> parts_;
  std::map<std::vector<std::pair<FieldId, LiteralId>>, std::uint16_t> part_numbers_;
};

void SchemaBuilder::read_training_recipes() {
  RecipeCatalogue(*this).read();
}

}  // namespace headroom::embed
