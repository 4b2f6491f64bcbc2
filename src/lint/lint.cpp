#include "headroom/lint/lint.hpp"

#include <fmt/format.h>

#include "context.hpp"
#include "failure.hpp"
#include "headroom/advise/fixes.hpp"
#include "headroom/dialect/bridge.hpp"
#include "headroom/memory/facts.hpp"
#include "suppressions.hpp"

namespace headroom::lint {

namespace {

Outcome unreadable(source::Error error, const Job& job) {
  if (error.source.empty()) error.source = job.text->name();
  Outcome out;
  out.unreadable = std::move(error);
  return out;
}

}  // namespace

Outcome lint(const Job& job) {
  const schema::Schema& schema = schema::embedded_schema();
  auto opened = dialect::open(job.text, job.loader, job.dialect, schema);
  if (!opened) return unreadable(opened.error(), job);
  ContextOptions block;
  if (opened->document != nullptr) {
    auto read = read_block(*opened->document);
    if (!read) return unreadable(read.error(), job);
    block = std::move(*read);
  }

  Outcome out;
  out.document = opened->document;
  out.opened = *opened;
  const ContextOptions given = merge(merge(job.command_line, block), job.beside);
  ContextOptions options = merge(given, job.repository);
  if (auto ok = check_options(options); !ok) return unreadable(ok.error(), job);
  const schema::Release release = choose_release(options, out.notes);
  out.settings = dialect::read(*opened, schema, release);
  if (!opened->why.empty()) {
    out.notes.push_back(fmt::format("read as {}: {}", opened->table->title, opened->why));
  }
  out.notes.insert(out.notes.end(), out.settings.notes.begin(), out.settings.notes.end());
  options = merge(take_hints(given, out.settings.hints, out.notes), job.repository);
  if (job.log != nullptr) options = merge(options, context_of_log(*job.log, options));
  resolve::LaunchContext launch = launch_context(options, release, schema);

  for (const source::Override& word : job.sets)
    dialect::apply_override(out.settings, word, schema, release, "--set");
  if (options.dump) out.settings.full_dump = *options.dump;
  if (options.layer) out.settings.layer = *layer_named(*options.layer);
  out.config = resolve::resolve(out.settings, launch, schema, rules::embedded_resolve());
  const auto memory = memory::add_facts(out.config);

  std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
  packs.insert(packs.end(), job.extra_packs.begin(), job.extra_packs.end());
  out.findings = rules::evaluate(out.config, out.settings, packs, job.selection);
  const advise::Bench bench{&out.settings, &launch,        &schema,     &rules::embedded_resolve(),
                            packs,         &job.selection, &out.config, memory};
  if (job.log != nullptr) explain(*job.log, launch, bench, out);
  if (!job.want_advice) {
    std::erase_if(out.findings.diagnostics,
                  [](const auto& d) { return d.severity == rules::Severity::advice; });
  }
  if (job.want_fixes && job.log == nullptr) {
    advise::attach_fixes(out.findings, bench);
  }
  suppress(out, job, packs);
  return out;
}

source::Result<ContextOptions> context_of_script(std::shared_ptr<const source::SourceText> text) {
  const schema::Schema& schema = schema::embedded_schema();
  const auto opened = dialect::open(std::move(text), {}, "", schema);
  if (!opened) return tl::unexpected(opened.error());
  const dialect::Settings settings = dialect::read(*opened, schema, schema::default_release);
  ContextOptions out;
  out.gpus = settings.hints.total_gpus();
  out.env = settings.hints.env;
  for (const dialect::Setting& s : settings.settings) {
    const schema::Field& field = schema.field(s.field);
    if (field.space == schema::Space::environment && s.value.is_string())
      out.env.insert_or_assign(std::string(field.name.substr(4)), std::string(s.value.as_string()));
  }
  return out;
}

}  // namespace headroom::lint
