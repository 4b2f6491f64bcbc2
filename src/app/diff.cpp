#include "commands.hpp"
#include "output.hpp"
namespace headroom::app {
ExitStatus diff(const Options& options) { complain(options, "not yet"); return exit_usage; }
}  // namespace headroom::app
