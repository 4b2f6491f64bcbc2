#include "applying.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "headroom/dialect/writer.hpp"
#include "headroom/source/edit.hpp"

namespace headroom::app {
namespace {

using Text = std::shared_ptr<const source::SourceText>;

tl::unexpected<source::Error> failed(std::string message, std::string where = {}) {
  return tl::unexpected(source::Error{std::move(message), std::move(where), {}, false});
}

std::vector<dialect::Change> changes_of(const rules::Fix& fix, const dialect::Settings& settings,
                                        const schema::Schema& schema) {
  std::vector<dialect::Change> out;
  for (const auto& field : fix.unset) out.push_back({field, std::nullopt});
  for (const auto& [field, value] : fix.set) out.push_back({field, value});
  for (const auto& [name, value] : fix.env) {
    const schema::FieldId id = schema.find("env." + name);
    if (id == schema::no_field || settings.find(id) == nullptr) continue;
    out.push_back({"env." + name, value ? std::optional(source::Value(*value)) : std::nullopt});
  }
  return out;
}

/// Variables go into the `env_vars` of Megatron Bridge where the config has them; elsewhere they are the
/// launch's.
source::Result<Text> with_variables(const rules::Fix& fix, Text text, source::Loader loader) {
  for (const auto& [name, value] : fix.env) {
    const auto doc = source::read_yaml(text, loader);
    if (!doc) return tl::unexpected(doc.error());
    if (doc->root == source::no_node || doc->node(doc->root).kind != source::NodeKind::mapping) return text;
    const auto block = doc->find(doc->root, "env_vars");
    if (block == source::no_node || doc->node(block).kind != source::NodeKind::mapping) return text;
    const std::vector<std::string> path{"env_vars", name};
    auto edits =
        value ? source::set_value(*doc, path, source::Value(*value)) : source::remove_key(*doc, path);
    if (!edits) return tl::unexpected(edits.error());
    text = std::make_shared<const source::SourceText>(text->name(),
                                                      source::apply_edits(*text, std::move(*edits)));
  }
  return text;
}

}  // namespace

source::Result<Text> with_change(const rules::Fix& fix, Text text, std::optional<source::Loader> loader,
                                 const lint::Outcome& outcome) {
  const schema::Schema& schema = schema::embedded_schema();
  const schema::Release release = outcome.config.launch.release;
  const auto spelt =
      dialect::spell(outcome.settings, schema, release, changes_of(fix, outcome.settings, schema));
  if (!spelt) return failed("the language of this file has no words for the change");
  if (outcome.document != nullptr) loader = outcome.document->loader;
  for (const dialect::Spelling& change : *spelt) {
    const auto opened = dialect::open(text, loader, outcome.settings.dialect, schema);
    if (!opened) return tl::unexpected(opened.error());
    auto written = dialect::write(*opened, dialect::read(*opened, schema, release), schema, change);
    if (!written) return tl::unexpected(written.error());
    text = std::make_shared<const source::SourceText>(text->name(), std::move(*written));
  }
  const bool yaml = outcome.document != nullptr && outcome.document->loader != source::Loader::json;
  return yaml ? with_variables(fix, std::move(text), *loader) : text;
}

source::Result<void> write_new(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "wbx");
  if (file == nullptr)
    return failed(errno == EEXIST ? std::string("exists already; give the name of a new file")
                                  : fmt::format("cannot write: {}", std::strerror(errno)),
                  path);
  const bool whole = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) == 0 && whole) return {};
  const int error = errno;
  std::remove(path.c_str());
  return failed(fmt::format("cannot write: {}", std::strerror(error)), path);
}

}  // namespace headroom::app
