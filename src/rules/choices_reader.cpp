// rules/plan/*.yaml to dimensions.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <utility>

#include "headroom/rules/choices.hpp"
#include "rule_reader.hpp"

namespace headroom::rules {

using source::NodeKind;

struct LoadedChoices::Storage : LoadedPack::Storage {
  std::vector<Dimension> dimensions;
  ChoicePack choices;
  std::deque<std::vector<std::int64_t>> sizes;
};

namespace {

constexpr std::array<std::pair<std::string_view, Part>, 5> parts{{{"layout", Part::layout},
                                                                  {"activations", Part::activations},
                                                                  {"states", Part::states},
                                                                  {"allocator", Part::allocator},
                                                                  {"job", Part::job}}};

class ChoicesReader : private RuleReader {
 public:
  ChoicesReader(LoadedChoices::Storage& storage, const schema::Schema& schema,
                std::vector<source::Error>& errors)
      : RuleReader(storage, schema, errors), out_(storage) {}

  void read(const std::shared_ptr<const source::SourceText>& text, std::string id) {
    const auto doc = source::read_yaml(text, source::Loader::omega_conf);
    if (!doc) {
      errors_.push_back(doc.error());
      errors_.back().source = text->name();
      return;
    }
    doc_ = &*doc;
    if (doc->root == source::no_node || node(doc->root).kind != NodeKind::mapping)
      return fault(source::Span{0, 1}, "a dimension is a mapping: title, label, part, choices");
    dimension_ = Dimension{};
    has_part_ = false;
    dimension_.id = storage_.keep(std::move(id));
    for (const auto& m : node(doc->root).members) key(m);
    whole(doc->root);
    out_.dimensions.push_back(dimension_);
  }

 private:
  void key(const source::Member& m) {
    static const std::vector<std::string_view> keys{"title", "label", "part",   "free",   "stages",
                                                    "when",  "field", "values", "choices"};
    if (!known(m.key, keys, "a dimension")) return;
    const std::string& name = node(m.key).text;
    if (name == "title" || name == "label" || name == "free" || name == "part") text(m, name);
    if (name == "stages") dimension_.stages = flag(m.value, name);
    if (name == "when") dimension_.when = expression(m.value);
    if (name == "field") dimension_.field = field(m.value, true);
    if (name == "values") values(m.value);
    if (name == "choices") choices(m.value);
  }

  void text(const source::Member& m, const std::string& name) {
    const auto value = scalar(m.value, name);
    if (!value) return;
    if (name == "part") return part(m.value, *value);
    auto& target = name == "title" ? dimension_.title : name == "label" ? dimension_.label : dimension_.free;
    target = storage_.keep(std::string(*value));
  }

  void part(NodeId id, std::string_view value) {
    has_part_ = true;
    const auto it = std::ranges::find(parts, value, &std::pair<std::string_view, Part>::first);
    if (it == parts.end())
      return fault(id, fmt::format("'{}' is no part: layout, activations, states, allocator or job", value));
    dimension_.part = it->second;
  }

  void values(NodeId id) {
    std::vector<std::int64_t> list;
    for (const NodeId item : scalars(id, "values")) {
      if (node(item).value.is_int() && node(item).value.as_int() > 0)
        list.push_back(node(item).value.as_int());
      else
        fault(item, "a size is a whole number above zero");
    }
    dimension_.values = out_.sizes.emplace_back(std::move(list));
  }

  void choices(NodeId id) {
    if (node(id).kind != NodeKind::sequence) return fault(id, "choices is a list of edits: set, unset, env");
    std::vector<FixData> all;
    for (const NodeId item : node(id).items)
      if (const auto f = fix(item)) all.push_back(*f);
    dimension_.choices = storage_.keep(std::move(all));
  }

  void whole(NodeId root) {
    if (dimension_.title.empty()) fault(root, "title is missing");
    if (dimension_.label.empty()) fault(root, "label is missing");
    if (!has_part_) fault(root, "part is missing: layout, activations, states, allocator or job");
    if ((dimension_.part == Part::job) == dimension_.free.empty())
      fault(root, "free, the word of --free, belongs to a dimension of part job, and only there");
    const bool sizes = dimension_.field != schema::no_field;
    if (sizes == dimension_.values.empty()) fault(root, "field and values belong together");
    if (!sizes && !dimension_.stages && dimension_.choices.empty())
      fault(root, "a dimension has choices, or a field and its values");
  }

  LoadedChoices::Storage& out_;
  Dimension dimension_;
  bool has_part_ = false;
};

/// "03-context.yaml" -> "context": numbers only order the files.
std::string id_of(const std::filesystem::path& path) {
  std::string name = path.stem().string();
  const std::size_t dash = name.find_first_not_of("0123456789");
  return dash != std::string::npos && dash > 0 && name[dash] == '-' ? name.substr(dash + 1) : name;
}

}  // namespace

LoadedChoices::LoadedChoices() : storage(std::make_unique<Storage>()) {}
LoadedChoices::~LoadedChoices() = default;
LoadedChoices::LoadedChoices(LoadedChoices&&) noexcept = default;
LoadedChoices& LoadedChoices::operator=(LoadedChoices&&) noexcept = default;
const ChoicePack& LoadedChoices::view() const {
  return storage->choices;
}

tl::expected<LoadedChoices, std::vector<source::Error>> load_choices(const std::string& dir,
                                                                     const schema::Schema& schema) {
  namespace fs = std::filesystem;
  std::vector<source::Error> errors;
  LoadedChoices out;
  std::vector<fs::path> files;
  std::error_code ec;
  for (auto it = fs::directory_iterator(dir, ec); !ec && it != fs::end(it); it.increment(ec))
    if (it->path().extension() == ".yaml") files.push_back(it->path());
  if (ec) errors.push_back({ec.message(), dir, {}, false});
  std::sort(files.begin(), files.end());
  ChoicesReader reader(*out.storage, schema, errors);
  for (const auto& file : files) {
    const auto text = source::read_file(file.string());
    if (!text) {
      errors.push_back(text.error());
      continue;
    }
    reader.read(*text, id_of(file));
  }
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  out.storage->choices = {out.storage->pool.pool(), out.storage->dimensions};
  return out;
}

}  // namespace headroom::rules
