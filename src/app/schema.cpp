// `headroom schema`: a config language as JSON Schema, for editors.
#include "headroom/report/json_schema.hpp"

#include <fmt/format.h>

#include "commands.hpp"
#include "output.hpp"

namespace headroom::app {

ExitStatus schema_document(const Options& options) {
  if (!options.words.empty()) {
    complain(options, fmt::format("schema takes no words, and '{}' is one: --dialect and --bridge choose",
                                  options.words.front()));
    return exit_usage;
  }
  const schema::Schema& schema = schema::embedded_schema();
  const schema::DialectTable* table = schema.find_dialect(options.dialect);
  if (!report::has_file(table)) {
    complain(options,
             fmt::format("{} has no config files: its settings are options of a program", table->title));
    return exit_usage;
  }
  schema::Release release = schema::default_release;
  if (options.context.bridge) {
    const auto match = schema::match_bridge(*options.context.bridge);
    if (!match) {
      complain(options, fmt::format("--bridge: '{}' is no release", *options.context.bridge));
      return exit_usage;
    }
    release = match->release;
    if (!match->exact) {
      static_cast<void>(write(stderr, fmt::format("note: bridge {} is not known, using {}\n",
                                                  *options.context.bridge, schema::name(release))));
    }
  }
  return write(stdout, report::json_schema(schema, table, release)) ? exit_clean : exit_usage;
}

}  // namespace headroom::app
