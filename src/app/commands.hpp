// The commands. Each reads its inputs, calls the pipeline, prints, and returns the exit status.
#pragma once
#include "options.hpp"

namespace headroom::app {

[[nodiscard]] ExitStatus check(const Options& options);
[[nodiscard]] ExitStatus effective(const Options& options);
[[nodiscard]] ExitStatus convert(const Options& options);
[[nodiscard]] ExitStatus estimate(const Options& options);
[[nodiscard]] ExitStatus plan(const Options& options);
[[nodiscard]] ExitStatus diff(const Options& options);
[[nodiscard]] ExitStatus calibrate(const Options& options);
[[nodiscard]] ExitStatus explain(const Options& options);
[[nodiscard]] ExitStatus rule(const Options& options);
[[nodiscard]] ExitStatus test_rules(const Options& options);
/// `status` is that of the command where it was started; it is then the program's, and the value
/// `exit_clean`.
[[nodiscard]] ExitStatus run(const Options& options, int& status);
[[nodiscard]] ExitStatus schema_document(const Options& options);
[[nodiscard]] ExitStatus lsp_server(const Options& options);
[[nodiscard]] ExitStatus generate(const Options& options);

}  // namespace headroom::app
