#include "shell_expand.hpp"

#include <algorithm>

#include "chars.hpp"
#include "shell_arithmetic.hpp"

namespace headroom::source {

using Note = Unevaluated::Kind;

std::vector<Field> ShellExpander::fields(const ShellWord& word) {
  Output out;
  out.now.token = text_.span(word.begin, word.end);
  emit_word(out, word);
  finish(out);
  const bool only_quotes = std::all_of(word.parts.begin(), word.parts.end(), [](const ShellPart& part) {
    return part.kind == ShellPart::Kind::literal;
  });
  if (out.done.size() == 1 && out.done.front().glyphs.empty()) out.done.front().written_empty = only_quotes;
  (void)state_.step(out.done.size());
  return std::move(out.done);
}

Field ShellExpander::whole(const ShellWord& word) {
  Output out;
  out.split = false;
  out.now.token = text_.span(word.begin, word.end);
  emit_word(out, word);
  out.now.written_empty =
      out.now.glyphs.empty() && word.parts.size() == 1 && word.parts.front().kind == ShellPart::Kind::literal;
  return std::move(out.now);
}

void ShellExpander::finish(Output& out) {
  if (!out.present && out.now.glyphs.empty()) return;
  Field next;
  next.token = out.now.token;
  out.done.push_back(std::move(out.now));
  out.now = std::move(next);
  out.present = false;
}

void ShellExpander::emit_word(Output& out, const ShellWord& word) {
  for (const ShellPart& part : word.parts) {
    if (state_.failed()) return;
    switch (part.kind) {
      case ShellPart::Kind::literal:
        emit_literal(out, word, part);
        break;
      case ShellPart::Kind::parameter:
        emit_parameter(out, part);
        break;
      case ShellPart::Kind::arithmetic:
        emit_arithmetic(out, part);
        break;
      case ShellPart::Kind::substitution:
        state_.note(Note::command_substitution, text_.span(part.begin, part.end));
        emit_unknown(out, part, !part.quoted);
        break;
      case ShellPart::Kind::placeholder:
        state_.note(Note::placeholder, text_.span(part.begin, part.end));
        emit_unknown(out, part, false);
        break;
      case ShellPart::Kind::braces:
        state_.note(Note::brace_expansion, text_.span(part.begin, part.end));
        emit_unknown(out, part, true);
        break;
    }
  }
}

Site ShellExpander::site_of(const ShellPart& part) const {
  return text_.site(part.begin, part.end, part.outer_begin, part.outer_end);
}

void ShellExpander::emit_literal(Output& out, const ShellWord& word, const ShellPart& part) {
  const std::size_t first = out.now.glyphs.size();
  const std::size_t size = part.escaped ? part.value.size() : part.end - part.begin;
  if (part.quoted) out.present = true;
  if (!state_.spend(size) || size == 0) return;
  for (std::uint32_t i = 0; i < size; ++i) {
    Glyph glyph = text_.glyph(part.escaped ? part.begin : part.begin + i);
    if (part.escaped) {
      glyph.c = part.value[i];
      glyph.escaped = true;
      glyph.site.inner = glyph.site.outer = text_.span(part.begin, part.end);
    }
    glyph.quoted = part.quoted;
    // An unknown of the text around is unquoted here where this word does not quote it.
    glyph.loose = glyph.unknown && !part.quoted;
    out.now.glyphs.push_back(glyph);
  }
  const Site outer = site_of(part);
  Glyph& front = out.now.glyphs[first];
  Glyph& back = out.now.glyphs.back();
  if (front.site.inner.begin == outer.inner.begin) front.site.outer.begin = outer.outer.begin;
  if (back.site.inner.end == outer.inner.end) back.site.outer.end = outer.outer.end;
  const bool home = first == 0 && !part.quoted && front.c == '~' && &part == &word.parts.front() &&
                    (part.begin + 1 == word.end || text_.at(part.begin + 1) == '/');
  if (home) front.unknown = true;
}

void ShellExpander::emit_unknown(Output& out, const ShellPart& part, bool loose) {
  if (!state_.spend(part.end - part.begin)) return;
  const Site site = site_of(part);
  const std::uint32_t route = text_.route(part.begin);
  for (std::uint32_t p = part.begin; p < part.end; ++p) {
    Glyph glyph;
    glyph.c = text_.glyph(p).c;
    glyph.unknown = glyph.computed = true;
    glyph.quoted = part.quoted;
    glyph.loose = loose;
    glyph.site = site;
    glyph.route = route;
    out.now.glyphs.push_back(glyph);
  }
  if (part.quoted) out.present = true;
}

void ShellExpander::emit_computed(Output& out, const ShellPart& part, const std::string& text,
                                  std::uint32_t given) {
  Glyphs glyphs;
  for (const char c : text) {
    Glyph glyph;
    glyph.c = c;
    glyph.computed = true;
    glyph.site = site_of(part);
    glyph.given = given;
    glyph.quoted = part.quoted;
    glyph.route = text_.route(part.begin);
    glyphs.push_back(glyph);
  }
  if (part.quoted) out.present = true;
  if (state_.spend(glyphs.size())) out.now.glyphs.insert(out.now.glyphs.end(), glyphs.begin(), glyphs.end());
}

/// The text of an expansion: split at blanks where nothing quotes it.
void ShellExpander::emit_glyphs(Output& out, const ShellPart& part, const Glyphs& glyphs,
                                std::uint32_t given) {
  if (part.quoted) out.present = true;
  if (!state_.spend(glyphs.size())) return;
  const Site site = site_of(part);
  const std::uint32_t outer = text_.route(part.begin);
  std::uint32_t last_route = 0;
  std::uint32_t route = 0;
  bool fresh = true;
  for (const Glyph& original : glyphs) {
    const bool separates = !part.quoted && !original.quoted && !original.unknown && out.split &&
                           (is_blank(original.c) || original.c == '\n');
    if (separates) {
      finish(out);
      continue;
    }
    Glyph glyph = original;
    if (fresh || last_route != glyph.route) {
      last_route = glyph.route;
      route = state_.routes.extend(glyph.route, site, outer);
      fresh = false;
    }
    glyph.route = route;
    glyph.quoted = glyph.quoted || part.quoted;
    glyph.loose = glyph.unknown && !part.quoted;
    glyph.given = state_.givens.join(glyph.given, given);
    out.now.glyphs.push_back(glyph);
  }
}

void ShellExpander::emit_list(Output& out, const ShellPart& part, const Value& value) {
  const bool star =
      part.parameter->subscript == ShellParameter::Subscript::star || part.parameter->name == "*";
  const bool join = !out.split || (part.quoted && star);
  for (std::size_t i = 0; i < value.list.size() && !state_.failed(); ++i) {
    if (i > 0 && join) emit_computed(out, part, " ", 0);
    if (i > 0 && !join) finish(out);
    const Field& element = value.list[i];
    emit_glyphs(out, part, element.glyphs, value.given);
    if (element.glyphs.empty() && !join && part.quoted) {
      out.now.token = element.token;
      out.now.written_empty = element.written_empty;
    }
    const bool open = !element.glyphs.empty() && element.glyphs.front().loose && !out.now.glyphs.empty();
    if (open) {
      for (Glyph& glyph : out.now.glyphs) glyph.loose = glyph.loose || glyph.unknown;
    }
  }
}

void ShellExpander::emit_parameter(Output& out, const ShellPart& part) {
  const Value value = evaluate(part);
  const ShellParameter& parameter = *part.parameter;
  const bool several = parameter.name == "@" || parameter.name == "*" ||
                       parameter.subscript == ShellParameter::Subscript::at ||
                       parameter.subscript == ShellParameter::Subscript::star;
  switch (value.kind) {
    case Value::Kind::absent: {
      const bool special =
          !is_alpha(parameter.name.empty() ? ' ' : parameter.name.front()) && parameter.name.front() != '_';
      state_.note(special ? Note::positional : Note::unset_variable, text_.span(part.begin, part.end),
                  state_.target.empty() ? parameter.name : std::string());
      emit_unknown(out, part, !part.quoted || (several && !parameter.length));
      break;
    }
    case Value::Kind::unknown:
      emit_unknown(out, part, !part.quoted || (several && !parameter.length));
      break;
    case Value::Kind::unset:
      if (part.quoted && !several) out.present = true;
      break;
    case Value::Kind::text:
      emit_glyphs(out, part, value.glyphs, value.given);
      break;
    case Value::Kind::list:
      emit_list(out, part, value);
      break;
  }
}

void ShellExpander::emit_arithmetic(Output& out, const ShellPart& part) {
  std::uint32_t given = 0;
  const auto value = arithmetic(part.expression, given);
  if (value) return emit_computed(out, part, std::to_string(*value), given);
  state_.note(Note::arithmetic, text_.span(part.begin, part.end));
  emit_unknown(out, part, !part.quoted);
}

std::optional<std::int64_t> ShellExpander::arithmetic(const ShellWord& expression, std::uint32_t& given) {
  const Field text = whole(expression);
  if (!is_known(text.glyphs)) return std::nullopt;
  for (const Glyph& glyph : text.glyphs) given = state_.givens.join(given, glyph.given);
  const auto lookup = [&](const std::string& name) -> std::optional<std::string> {
    const ShellVariable* variable = state_.find(name);
    if (variable == nullptr || variable->value == nullptr) return std::nullopt;
    const ShellValue& value = *variable->value;
    if (value.state == ShellValue::State::unset) return std::string();
    if (value.state == ShellValue::State::unknown || value.fields.empty()) return std::nullopt;
    const Glyphs& glyphs = value.fields.front().glyphs;
    constexpr std::size_t longest_number = 64;
    if (glyphs.size() > longest_number || !is_known(glyphs)) return std::nullopt;
    given = state_.givens.join(given, value.given);
    for (const Glyph& glyph : glyphs) given = state_.givens.join(given, glyph.given);
    return text_of(glyphs);
  };
  return shell_arithmetic(text_of(text.glyphs), lookup);
}

}  // namespace headroom::source
