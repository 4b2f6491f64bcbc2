#include "headroom/lint/lint.hpp"

#include <fmt/format.h>

#include "context.hpp"
#include "headroom/advise/fixes.hpp"
#include "headroom/dialect/bridge.hpp"

namespace headroom::lint {

using source::Document;
using source::Result;

namespace {

Result<std::shared_ptr<const Document>> read(const Job& job) {
  source::Loader loader = job.loader.value_or(source::detect_loader(*job.text));
  auto doc =
      loader == source::Loader::json ? source::read_json(job.text) : source::read_yaml(job.text, loader);
  if (!doc) return tl::unexpected(doc.error());
  const bool empty =
      doc->root == source::no_node || doc->node(doc->root).value.is_null();  // `---` alone is null
  if (!empty && doc->node(doc->root).kind != source::NodeKind::mapping) {
    const auto& root = doc->node(doc->root);
    const char* what = root.kind == source::NodeKind::sequence ? "a list" : "a single value";
    return tl::unexpected(source::Error{
        fmt::format("a config is a mapping of sections (model:, optimizer:, …); this is {}", what),
        job.text->name(), job.text->location(root.span), true});
  }
  return std::make_shared<const Document>(std::move(*doc));
}

Outcome unreadable(source::Error error, const Job& job) {
  if (error.source.empty()) error.source = job.text->name();
  Outcome out;
  out.unreadable = std::move(error);
  return out;
}

}  // namespace

Outcome lint(const Job& job) {
  const schema::Schema& schema = schema::embedded_schema();
  auto doc = read(job);
  if (!doc) return unreadable(doc.error(), job);
  auto block = read_block(**doc);
  if (!block) return unreadable(block.error(), job);

  Outcome out;
  out.document = *doc;
  ContextOptions options = merge(merge(job.command_line, *block), job.repository);
  auto launch = launch_context(options, schema, out.notes);
  if (!launch) return unreadable(launch.error(), job);

  out.settings = dialect::read_bridge(*doc, schema, launch->release);
  for (const source::Override& word : job.sets)
    dialect::apply_override(out.settings, word, schema, launch->release, "--set");
  if (options.dump) out.settings.full_dump = *options.dump;
  if (options.layer) {
    out.settings.mcore_layer = *options.layer == "megatron-core";
    if (*options.layer == "megatron-lm") out.settings.dialect = "megatron-lm";
  }
  out.config = resolve::resolve(out.settings, *launch, schema, rules::embedded_resolve());

  std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
  packs.insert(packs.end(), job.extra_packs.begin(), job.extra_packs.end());
  out.findings = rules::evaluate(out.config, out.settings, packs, job.selection);
  if (!job.want_advice) {
    std::erase_if(out.findings.diagnostics,
                  [](const auto& d) { return d.severity == rules::Severity::advice; });
  }
  if (job.want_fixes) {
    advise::attach_fixes(out.findings, {&out.settings, &*launch, &schema, &rules::embedded_resolve(), packs,
                                        &job.selection, &out.config});
  }
  return out;
}

}  // namespace headroom::lint
