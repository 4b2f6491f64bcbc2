// Branches, loops and functions of a script. A condition that known values decide leaves one branch, the
// others are dead; else every branch is read, and what they set is merged.
#include <fmt/format.h>

#include <algorithm>

#include "shell_reader.hpp"

namespace headroom::source {

using Kind = ShellNode::Kind;

namespace {

constexpr std::uint32_t max_depth = 300;

bool is_set(const ShellVariable* variable) {
  return variable != nullptr && variable->value != nullptr &&
         (variable->value->state == ShellValue::State::scalar ||
          variable->value->state == ShellValue::State::array);
}

bool is_known(const ShellVariable* variable) {
  return is_set(variable) && std::all_of(variable->value->fields.begin(), variable->value->fields.end(),
                                         [](const Field& field) { return is_known(field.glyphs); });
}

/// Whether part of the value is known: an array with one unknown element is still a list of arguments.
bool has_content(const ShellVariable* variable) {
  if (!is_set(variable)) return false;
  const auto& fields = variable->value->fields;
  if (variable->value->state == ShellValue::State::array || fields.empty() || fields.front().glyphs.empty())
    return true;
  const Glyphs& glyphs = fields.front().glyphs;
  return std::any_of(glyphs.begin(), glyphs.end(), [](const Glyph& g) { return !g.unknown; });
}

bool same(const ShellVariable* a, const ShellVariable* b) {
  if (a == b || (a != nullptr && b != nullptr && a->value == b->value)) return true;
  if (!is_known(a) || !is_known(b) || a->value->state != b->value->state) return false;
  const auto equal = [](const Field& x, const Field& y) { return text_of(x.glyphs) == text_of(y.glyphs); };
  const auto& x = a->value->fields;
  const auto& y = b->value->fields;
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), equal);
}

/// Whether `way` is the value `before` with something behind it, as `+=` makes it.
bool extends(const ShellVariable* way, const ShellVariable* before) {
  if (!is_set(way) || way->value->state != before->value->state) return false;
  const auto& more = way->value->fields;
  const auto& less = before->value->fields;
  const auto starts_with = [](const Field& longer, const Field& shorter) {
    return shorter.glyphs.size() <= longer.glyphs.size() &&
           std::equal(shorter.glyphs.begin(), shorter.glyphs.end(), longer.glyphs.begin(),
                      [](const Glyph& a, const Glyph& b) { return a.c == b.c && a.site == b.site; });
  };
  return less.size() <= more.size() && std::equal(less.begin(), less.end(), more.begin(), starts_with);
}

std::string shown(const ShellVariable& variable) {
  std::string out;
  for (const Field& field : variable.value->fields)
    out += (out.empty() ? "" : " ") + text_of(field.glyphs).substr(0, 100);
  return out.empty() ? "empty" : out.substr(0, 100);
}

}  // namespace

ShellReader::Truth ShellReader::read(const Unit& unit, const ShellNode& node) {
  if (!state_.step()) return {};
  state_.place = unit.text.span(node.begin, std::min(node.begin + 1, node.end));
  if (++depth_ > max_depth) state_.fail(state_.place, "nested too deeply");
  Truth truth = state_.failed() ? Truth{} : read_kind(unit, node);
  --depth_;
  if (!node.negated) return truth;
  const Outcome outcome = truth.outcome;
  truth.outcome = outcome == Outcome::yes  ? Outcome::no
                  : outcome == Outcome::no ? Outcome::yes
                                           : Outcome::undecided;
  return truth;
}

ShellReader::Truth ShellReader::read_kind(const Unit& unit, const ShellNode& node) {
  if (node.kind != Kind::simple) note_redirections(unit, node);
  switch (node.kind) {
    case Kind::simple:
      return simple(unit, node);
    case Kind::list:
      return list(unit, node);
    case Kind::and_or:
      return and_or(unit, node);
    case Kind::pipeline:
      return pipeline(unit, node);
    case Kind::conditional:
      return conditional(unit, node, 0);
    case Kind::loop:
      return loop(unit, node);
    case Kind::each:
      return each(unit, node);
    case Kind::choice:
      return choice(unit, node);
    case Kind::group:
      return read(unit, *node.children.front());
    case Kind::subshell:
      return subshell(unit, node);
    case Kind::function:
      define(unit, node);
      return {};
    case Kind::test:
      return test(unit, node);
    case Kind::arithmetic:
      return arithmetic(unit, node);
  }
  return {};
}

template <class Body>
ShellReader::Branch ShellReader::branch(Body body) {
  const std::size_t mark = state_.mark();
  const Flow flow = std::exchange(flow_, Flow::on);
  ++maybe_;
  body();
  --maybe_;
  Branch out{state_.changes(mark), std::exchange(flow_, flow)};
  state_.roll_back(mark);
  return out;
}

template <class Body>
void ShellReader::dead(Body body) {
  const std::size_t mark = state_.mark();
  const Flow flow = std::exchange(flow_, Flow::on);
  ++dead_;
  body();
  --dead_;
  flow_ = flow;
  state_.roll_back(mark);
}

template <class Body>
void ShellReader::under(std::uint32_t given, Body body) {
  const std::uint32_t before = std::exchange(given_, state_.givens.join(given_, given));
  body();
  given_ = before;
}

/// A command that may run.
ShellReader::Truth ShellReader::maybe(const Unit& unit, const ShellNode& node) {
  Truth truth;
  const Branch taken = branch([&] { truth = read(unit, node); });
  merge({taken, Branch{}}, unit.text.span(node.begin, node.begin));
  return truth;
}

void ShellReader::merge(const std::vector<Branch>& branches, Span place) {
  std::vector<const Branch*> ways;
  for (const Branch& branch : branches) {
    if (branch.flow == Flow::on) ways.push_back(&branch);
  }
  if (ways.empty()) {
    flow_ = branches.front().flow;
    return;
  }
  std::set<std::string> names;
  for (const Branch* way : ways) {
    for (const auto& [name, variable] : way->changes) names.insert(name);
  }
  for (const std::string& name : names) {
    const ShellVariable* found = state_.find(name);
    std::optional<ShellVariable> before;
    if (found != nullptr) before = *found;
    std::vector<const ShellVariable*> values;
    for (const Branch* way : ways) {
      const auto changed = way->changes.find(name);
      values.push_back(changed != way->changes.end() ? &changed->second : before ? &*before : nullptr);
    }
    merge_one(name, values, place);
  }
}

/// `ways`: the variable at the end of each branch. Where they differ the value from before stays, else the
/// only known one is taken, and either is an assumption.
void ShellReader::merge_one(const std::string& name, const std::vector<const ShellVariable*>& ways,
                            Span place) {
  const auto put = [&](ShellVariable variable, const std::string& assumption) {
    auto value = std::make_shared<ShellValue>(*variable.value);
    std::size_t bytes = 1;
    for (const Field& field : value->fields) bytes += field.glyphs.size();
    if (!state_.spend(bytes)) return;
    value->given = state_.givens.join(value->given, state_.assume(assumption));
    variable.value = std::move(value);
    state_.set(name, std::move(variable));
  };
  const bool all_same = std::all_of(ways.begin(), ways.end(),
                                    [&](const ShellVariable* way) { return same(way, ways.front()); });
  if (all_same) {
    if (ways.front() != nullptr) state_.set(name, *ways.front());
    return;
  }
  const std::uint32_t line = state_.source().position(place.begin).line;
  const ShellVariable* before = state_.find(name);
  const bool stays = std::any_of(ways.begin(), ways.end(), [&](const ShellVariable* way) {
    return way != nullptr && before != nullptr && way->value == before->value;
  });
  if (stays && has_content(before)) {
    const bool adds =
        std::all_of(ways.begin(), ways.end(), [&](const ShellVariable* way) { return extends(way, before); });
    if (adds) {
      // What is there is there in either case: its words rest on nothing.
      (void)state_.assume(fmt::format("what line {} adds to {} under a condition is left out", line, name));
      return;
    }
    const ShellVariable kept = *before;
    return put(kept,
               fmt::format("{} is taken as {}, although line {} may change it", name, shown(kept), line));
  }
  // A branch that sets something unknown leaves nothing to take; one that leaves the variable alone does.
  const ShellVariable* only = nullptr;
  bool several = false;
  for (const ShellVariable* way : ways) {
    const bool untouched = way == nullptr || (before != nullptr && way->value == before->value);
    if (!is_known(way)) {
      several = several || !untouched;
      continue;
    }
    several = several || (only != nullptr && !same(only, way));
    only = way;
  }
  if (only != nullptr && !several) {
    return put(*only, fmt::format("{} is taken as {}, which line {} sets under a condition", name,
                                  shown(*only), line));
  }
  ShellVariable unknown;
  for (const ShellVariable* way : ways) {
    if (way != nullptr) unknown = *way;
  }
  auto value = std::make_shared<ShellValue>();
  value->state = ShellValue::State::unknown;
  unknown.value = std::move(value);
  state_.set(name, std::move(unknown));
}

ShellReader::Truth ShellReader::list(const Unit& unit, const ShellNode& node) {
  Truth truth;
  for (const auto& child : node.children) {
    if (state_.failed()) return {};
    if (flow_ == Flow::on) {
      truth = read(unit, *child);
    } else {
      dead([&] { (void)read(unit, *child); });
    }
  }
  return truth;
}

ShellReader::Truth ShellReader::and_or(const Unit& unit, const ShellNode& node) {
  Truth truth = read(unit, *node.children.front());
  for (std::size_t i = 0; i < node.operators.size() && !state_.failed(); ++i) {
    const ShellNode& next = *node.children[i + 1];
    const bool wants_yes = node.operators[i] == '&';
    const Outcome outcome = truth.outcome;
    const bool runs =
        outcome == (wants_yes ? Outcome::yes : Outcome::no) || (outcome == Outcome::ran && wants_yes);
    if (flow_ != Flow::on) {
      dead([&] { (void)read(unit, next); });
    } else if (runs) {
      under(truth.given, [&] {
        const std::uint32_t given = truth.given;
        truth = read(unit, next);
        truth.given = state_.givens.join(truth.given, given);
      });
    } else if (outcome == Outcome::ran) {
      (void)maybe(unit, next);
    } else if (outcome == Outcome::undecided) {
      const Truth second = maybe(unit, next);
      // Unknown and no is no; unknown or yes is yes.
      if (second.outcome == (wants_yes ? Outcome::no : Outcome::yes)) truth = second;
    } else {
      dead([&] { (void)read(unit, next); });
    }
  }
  return truth;
}

ShellReader::Truth ShellReader::pipeline(const Unit& unit, const ShellNode& node) {
  for (const auto& child : node.children) {
    const std::size_t mark = state_.mark();
    const Flow flow = flow_;
    (void)read(unit, *child);
    flow_ = flow;
    state_.roll_back(mark);
  }
  return {};
}

ShellReader::Truth ShellReader::subshell(const Unit& unit, const ShellNode& node) {
  const std::size_t mark = state_.mark();
  const Flow flow = flow_;
  const Truth truth = read(unit, *node.children.front());
  flow_ = flow;
  keep_exports(mark);
  state_.roll_back(mark);
  return truth;
}

/// The condition at `from`, its branch, and the rest: `elif`, `else` or nothing.
ShellReader::Truth ShellReader::conditional(const Unit& unit, const ShellNode& node, std::size_t from) {
  const auto& children = node.children;
  if (from + 1 >= children.size()) {
    return from < children.size() ? read(unit, *children[from]) : Truth{};
  }
  const Truth condition = read(unit, *children[from]);
  Truth truth;
  const auto body = [&] { truth = read(unit, *children[from + 1]); };
  const auto rest = [&] { truth = conditional(unit, node, from + 2); };
  if (condition.outcome == Outcome::yes) {
    under(condition.given, body);
    const Truth result = truth;
    dead(rest);
    return result;
  }
  if (condition.outcome == Outcome::no) {
    dead(body);
    truth = {};
    under(condition.given, rest);
    return truth;
  }
  std::vector<Branch> branches;
  branches.push_back(branch(body));
  branches.push_back(branch(rest));
  merge(branches, unit.text.span(node.begin, node.begin));
  return {};
}

ShellReader::Truth ShellReader::loop(const Unit& unit, const ShellNode& node) {
  const Truth condition = read(unit, *node.children.front());
  if (condition.outcome == (node.name == "until" ? Outcome::yes : Outcome::no)) {
    dead([&] { (void)read(unit, *node.children.back()); });
  } else {
    (void)maybe(unit, *node.children.back());
  }
  return {};
}

ShellReader::Truth ShellReader::each(const Unit& unit, const ShellNode& node) {
  const ShellNode& body = *node.children.front();
  std::vector<Field> values;
  ShellExpander expander(state_, unit.text);
  for (const ShellWord& word : node.words) {
    for (Field& field : expander.fields(word)) values.push_back(std::move(field));
  }
  const bool one = values.size() == 1 && is_known(values.front().glyphs);
  if (!one) {
    forget(node.name, unit.text.span(node.begin, std::max(node.begin, body.begin)));
    (void)maybe(unit, body);
    return {};
  }
  ShellVariable variable;
  auto value = std::make_shared<ShellValue>();
  value->state = ShellValue::State::scalar;
  value->fields = std::move(values);
  variable.value = std::move(value);
  state_.set(node.name, std::move(variable));
  return read(unit, body);
}

ShellReader::Truth ShellReader::choice(const Unit& unit, const ShellNode& node) {
  ShellExpander expander(state_, unit.text);
  const Field subject = expander.whole(node.words.front());
  std::vector<Branch> branches;
  bool decided = false;  // an item that matches for sure ends the choice
  std::uint32_t given = 0;
  for (std::size_t i = 0; i < node.children.size() && !state_.failed(); ++i) {
    Truth hit{Outcome::no, 0};
    for (const ShellWord& pattern : node.patterns[i]) {
      const Truth one = matches(subject, expander.whole(pattern).glyphs);
      if (one.outcome == Outcome::yes || hit.outcome == Outcome::no) hit = one;
      given = state_.givens.join(given, one.given);
      if (hit.outcome == Outcome::yes) break;
    }
    const auto body = [&] { (void)read(unit, *node.children[i]); };
    if (decided || hit.outcome == Outcome::no) {
      dead(body);
    } else if (hit.outcome == Outcome::yes && branches.empty()) {
      under(given, body);
      decided = true;
    } else {
      branches.push_back(branch(body));
      decided = hit.outcome == Outcome::yes;
    }
  }
  if (branches.empty()) return {};
  if (!decided) branches.emplace_back();
  merge(branches, unit.text.span(node.begin, node.begin));
  return {};
}

void ShellReader::define(const Unit& unit, const ShellNode& node) {
  if (dead_ > 0 || node.children.empty()) return;
  const auto [at, fresh] =
      functions_.insert_or_assign(node.name, Function{&unit, node.children.front().get()});
  if (fresh) defined_.push_back(node.name);
}

void ShellReader::call(Function& function, std::vector<Field> arguments) {
  if (function.running) return;
  const Function now = function;  // the body may define it anew
  function.running = true;
  function.called = function.called || dead_ == 0;
  for (Field& argument : arguments) {
    for (Glyph& glyph : argument.glyphs) glyph.quoted = glyph.splittable = false;
  }
  const auto before = std::exchange(state_.positionals, std::move(arguments));
  (void)read(*now.unit, *now.body);
  state_.positionals = before;
  function.running = false;
  if (flow_ == Flow::returned) flow_ = Flow::on;
}

}  // namespace headroom::source
