// Start-up rewrites (rules/resolve/*.yaml) and derived values (rules/schema/derived/*.yaml), compiled.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "headroom/embed/embed.hpp"
#include "headroom/lang/check.hpp"
#include "table_reader.hpp"

namespace headroom::embed {

using lang::ExprId;
using resolve::Step;
using schema::FieldId;
using schema::Space;
using source::NodeId;
using source::NodeKind;
using source::ScalarStyle;

struct LoadedResolve::Storage {
  Arena arena;
  lang::PoolBuilder pool;
  resolve::ResolvePack view;
};

namespace {

class ResolveBuilder {
 public:
  ResolveBuilder(const std::string& dir, const schema::Schema& schema, LoadedResolve::Storage& out,
                 Errors& errors)
      : dir_(dir), schema_(schema), out_(out), errors_(errors) {}

  void build() {
    read_derived();
    order_derived();
    for (const std::string& path : files_in(dir_ + "/resolve", ".yaml"))
      if (auto in = TableReader::open(path, errors_)) read_steps(*in);
    out_.view.steps = out_.arena.keep(std::move(steps_));
    out_.view.derived = out_.arena.keep(std::move(derived_));
    out_.view.pool = out_.pool.pool();
  }

 private:
  /// Compiles the scalar `id`, without its first `skip` characters.
  ExprId compile(const TableReader& in, NodeId id, std::size_t skip = 0) {
    const source::Node& n = in.node(id);
    if (n.kind != NodeKind::scalar) {
      in.fail(id, "expected an expression");
      return lang::no_expr;
    }
    source::Position at = in.position(id);
    // Block scalars begin on the next line; inside them only the line is exact.
    if (n.style == ScalarStyle::single_quoted || n.style == ScalarStyle::double_quoted) ++at.column;
    if (n.style == ScalarStyle::folded || n.style == ScalarStyle::literal) ++at.line;
    at.column += static_cast<std::uint32_t>(skip);
    auto expr = out_.pool.compile(std::string_view(n.text).substr(skip), schema_, in.file(), at);
    if (expr) return *expr;
    errors_.push_back(expr.error());
    return lang::no_expr;
  }

  void read_derived() {
    for (const std::string& path : files_in(dir_ + "/schema/derived", ".yaml")) {
      auto in = TableReader::open(path, errors_);
      if (!in) continue;
      in->each(in->root(), [&](std::string_view name, NodeId, NodeId body) {
        FieldId field = schema_.find(fmt::format("derived.{}", name));
        NodeId expr = in->get(body, "expr");
        if (field == schema::no_field || expr == source::no_node) return;  // reported with the schema
        derived_.push_back({field, compile(*in, expr)});
      });
    }
  }

  /// Depth first in the order of the files: what a value reads comes before it.
  void order_derived() {
    std::vector<resolve::Derived> ordered;
    std::map<FieldId, int> state;
    std::vector<FieldId> path;
    for (const auto& d : derived_) place(d, ordered, state, path);
    derived_ = std::move(ordered);
  }

  void place(const resolve::Derived& d, std::vector<resolve::Derived>& ordered, std::map<FieldId, int>& state,
             std::vector<FieldId>& path) {
    int& s = state[d.field];
    if (s == 2 || d.value == lang::no_expr) return;
    path.push_back(d.field);
    if (s == 1) {
      std::string circle;
      for (auto it = std::find(path.begin(), path.end(), d.field); it != path.end(); ++it)
        circle += fmt::format("{}{}", circle.empty() ? "" : " -> ", schema_.field(*it).name);
      errors_.push_back({fmt::format("derived values depend on each other: {}", circle),
                         dir_ + "/schema/derived",
                         {},
                         false});
      path.pop_back();
      return;
    }
    s = 1;
    for (FieldId read : out_.pool.fields_of(d.value)) {
      if (schema_.field(read).space != Space::derived) continue;
      auto it =
          std::find_if(derived_.begin(), derived_.end(), [&](const auto& x) { return x.field == read; });
      if (it != derived_.end()) place(*it, ordered, state, path);
    }
    state[d.field] = 2;
    path.pop_back();
    ordered.push_back(d);
  }

  void read_steps(const TableReader& in) {
    if (in.root() == source::no_node) return;
    in.each_item(in.root(), [&](NodeId item) { read_step(in, item); });
  }

  void read_step(const TableReader& in, NodeId item) {
    if (in.node(item).kind != NodeKind::mapping) return in.fail(item, "a step is a mapping");
    in.only(item, {"step", "by", "releases", "mcore", "applies_to", "when", "set", "copy", "kind", "doc"});
    Step step;
    step.name = out_.arena.keep(in.text(item, "step"));
    step.by = out_.arena.keep(in.text(item, "by"));
    if (step.name.empty()) in.fail(item, "a step needs a name: 'step'");
    if (step.by.empty()) in.fail(item, "a step needs 'by': who rewrites");
    step.releases = in.releases(item, "releases");
    read_mcore(in, item, step);
    step.layers = layers(in, item);
    if (NodeId when = in.get(item, "when"); when != source::no_node) step.when = compile(in, when);
    read_kind(in, item, step);
    bool copies = in.get(item, "copy") != source::no_node;
    if (copies == (in.get(item, "set") != source::no_node))
      in.fail(item, "a step needs either 'set' or 'copy'");
    if (copies) {
      read_copy(in, in.get(item, "copy"), step);
    } else {
      read_set(in, in.get(item, "set"), step);
    }
    steps_.push_back(step);
  }

  static void read_mcore(const TableReader& in, NodeId item, Step& step) {
    NodeId at = in.get(item, "mcore");
    if (at == source::no_node) return;
    auto set = schema::parse_mcore_range(in.text(at));
    if (!set) return in.fail(at, fmt::format("'{}' is no range of Megatron-Core versions", in.text(at)));
    step.releases = static_cast<schema::ReleaseSet>(step.releases & *set);
  }

  static void read_kind(const TableReader& in, NodeId item, Step& step) {
    std::string kind = in.text(item, "kind");
    if (kind != "default" && kind != "rewrite" && kind != "moved")
      in.fail(item,
              "a step needs 'kind': default (fills in what was open), rewrite (replaces a value) or moved "
              "(an old spelling takes its place)");
    step.is_default = kind == "default";
    step.is_moved = kind == "moved";
  }

  static resolve::LayerSet layers(const TableReader& in, NodeId item) {
    auto names = in.texts(item, "applies_to");
    if (names.empty()) return resolve::all_layers;
    unsigned set = 0;
    for (const std::string& name : names) {
      if (name == "bridge") {
        set |= 1u;
      } else if (name == "megatron-core") {
        set |= 2u;
      } else if (name == "megatron-lm") {
        set |= 4u;
      } else {
        in.fail(in.get(item, "applies_to"),
                fmt::format("'{}' is no layer (bridge, megatron-core, megatron-lm)", name));
      }
    }
    return static_cast<resolve::LayerSet>(set);
  }

  void read_set(const TableReader& in, NodeId map, Step& step) {
    std::vector<resolve::Assignment> list;
    in.each(map, [&](std::string_view name, NodeId key, NodeId value) {
      FieldId field = schema_.find(name);
      if (field == schema::no_field) {
        auto near = schema_.suggest(name, schema::newest_release);
        return in.fail(key, near.empty() ? fmt::format("there is no field '{}'", name)
                                         : fmt::format("there is no field '{}'; did you mean '{}'?", name,
                                                       near.front()));
      }
      bool computed = in.node(value).kind == NodeKind::scalar && in.node(value).text.starts_with('=');
      list.push_back({field, computed ? compile(in, value, 1) : constant(in, value, field)});
    });
    step.set = out_.arena.keep(std::move(list));
  }

  /// A plain value of `set`, checked against its field.
  ExprId constant(const TableReader& in, NodeId id, FieldId field) {
    const source::Value& v = in.node(id).value;
    if (v.is_opaque()) {
      in.fail(id, "a mapping cannot be assigned");
      return lang::no_expr;
    }
    if (auto problem = lang::check_value(schema_, field, v)) in.fail(id, *problem);
    auto expr = out_.pool.compile(expression(v), schema_, in.file(), in.position(id));
    if (expr) return *expr;
    errors_.push_back(expr.error());
    return lang::no_expr;
  }

  /// `v` as the rule language writes it.
  static std::string expression(const source::Value& v) {
    if (v.is_string()) {
      std::string out = "'";
      for (char c : v.as_string()) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
      }
      return out + "'";
    }
    if (v.is_list()) {
      std::string out = "[";
      for (const auto& item : v.as_list()) out += (out.size() > 1 ? ", " : "") + expression(item);
      return out + "]";
    }
    if (v.is_double()) {
      std::string out = fmt::format("{}", v.as_double());
      return out.find_first_of(".e") == std::string::npos ? out + ".0" : out;
    }
    return v.to_text();
  }

  void read_copy(const TableReader& in, NodeId map, Step& step) {
    in.only(map, {"from", "to", "skip"});
    auto section = [&](const std::string& name) {
      if (schema_.find_section(name) == nullptr) in.fail(map, fmt::format("there is no section '{}'", name));
      return out_.arena.keep(name);
    };
    step.copy_from = section(in.text(map, "from"));
    std::vector<std::string_view> to, skip;
    for (const auto& name : in.texts(map, "to")) to.push_back(section(name));
    for (const auto& name : in.texts(map, "skip")) skip.push_back(out_.arena.keep(name));
    step.copy_to = out_.arena.keep(std::move(to));
    step.copy_skip = out_.arena.keep(std::move(skip));
  }

  const std::string& dir_;
  const schema::Schema& schema_;
  LoadedResolve::Storage& out_;
  Errors& errors_;
  std::vector<Step> steps_;
  std::vector<resolve::Derived> derived_;
};

}  // namespace

LoadedResolve::LoadedResolve() : storage(std::make_unique<Storage>()) {}
LoadedResolve::~LoadedResolve() = default;
LoadedResolve::LoadedResolve(LoadedResolve&&) noexcept = default;
LoadedResolve& LoadedResolve::operator=(LoadedResolve&&) noexcept = default;
const resolve::ResolvePack& LoadedResolve::view() const {
  return storage->view;
}

tl::expected<LoadedResolve, Errors> load_resolve(const std::string& rules_dir, const schema::Schema& schema) {
  LoadedResolve out;
  Errors errors;
  ResolveBuilder(rules_dir, schema, *out.storage, errors).build();
  if (!errors.empty()) return tl::unexpected(std::move(errors));
  return out;
}

}  // namespace headroom::embed
