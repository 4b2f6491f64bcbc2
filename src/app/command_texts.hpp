// What `headroom --help` and `headroom COMMAND --help` say of each command.
#pragma once
#include <array>
#include <string_view>

#include "options.hpp"

namespace headroom::app {

struct CommandInfo {
  std::string_view name;
  Command command;
  std::string_view usage, what;
};
inline constexpr auto commands = std::to_array<CommandInfo>({
    {"check", Command::check, "headroom check CONFIG... [key=value...] [options]",
     "Say what will go wrong with a config before it is launched, and what to change"},
    {"effective", Command::effective, "headroom effective CONFIG [FIELD...] [key=value...] [options]",
     "Show the values that the framework will really run, and where each comes from"},
    {"convert", Command::convert, "headroom convert CONFIG --to bridge|megatron-lm [key=value...] [options]",
     "Write the same settings in another config language; what it has no word for is listed"},
    {"estimate", Command::estimate, "headroom estimate CONFIG [key=value...] [options]",
     "Say how much memory each pipeline stage needs, by component and phase"},
    {"plan", Command::plan, "headroom plan CONFIG [key=value...] [options]",
     "Find configs of the same job that are legal, fit, and run fastest"},
    {"diff", Command::diff, "headroom diff OLD NEW [key=value...] [options]",
     "Say what a change does: findings, memory by stage, step time"},
    {"calibrate", Command::calibrate, "headroom calibrate LOG... CONFIG [key=value...] [options]",
     "Learn a cluster's offsets from the memory lines of its logs, and keep them in .headroom.yaml"},
    {"run", Command::run, "headroom run CONFIG... [key=value...] [options] -- COMMAND [words...]",
     "Check a config, run a command, and explain its end if it dies of memory"},
    {"explain", Command::explain, "headroom explain [FILE|-] [--config CONFIG] [options]",
     "Say from a log or memory snapshot what a run died of, and what to change"},
    {"rule", Command::rule, "headroom rule [ID|GLOB...] [options]",
     "List the rules, or show the page of one"},
    {"test-rules", Command::test_rules, "headroom test-rules DIR|FILE... [options]",
     "Run the examples inside rule files as tests"},
    {"schema", Command::schema, "headroom schema [--dialect NAME] [--bridge RELEASE]",
     "Print the JSON Schema of a config language, for editors"},
    {"lsp", Command::lsp, "headroom lsp [options]",
     "Language server on standard input and output, for editors"},
    {"generate", Command::generate, "headroom generate man|bash|zsh|fish",
     "Print the manual page, or the completions of a shell"},
});

inline constexpr std::string_view program_what =
    "headroom reads LLM training configs for Megatron Bridge and Megatron-Core and says what will go "
    "wrong before a GPU is touched.";

inline constexpr std::string_view overview_end =
    "Exit status: 0 nothing at or above --fail-on (default: error), 1 findings, 2 wrong usage or unreadable "
    "input, 3 a bug in headroom.\n\n"
    "  headroom check run_config.yaml --gpus 32 --gpu h100\n"
    "  headroom check config.yaml model.tensor_model_parallel_size=4 --bridge 0.5.1\n"
    "  headroom effective config.yaml model.fp8 model.recompute_modules\n"
    "  headroom estimate config.yaml --gpus 32 --gpu h100 --why\n"
    "  headroom plan config.yaml --gpus 32 --gpu h100\n"
    "  headroom diff old.yaml new.yaml --gpus 32 --gpu h100 --fail-on memory+2GiB\n"
    "  headroom run config.yaml --gpus 8 -- torchrun --nproc-per-node 8 train.py\n"
    "  headroom explain run.log --config run_config.yaml\n"
    "  headroom rule 'offload/*'\n";

inline constexpr std::string_view explain_end =
    "FILE is a log or a memory snapshot (torch.cuda.memory._dump_snapshot), also compressed (gzip, zstd); "
    "without one standard input is read, and with --config alone the estimate has to do. With --config the "
    "estimate of the run's memory is compared with what the log says, and every change is tried on it; a "
    "script given beside a config supplies environment and number of GPUs.\n"
    "On a terminal explain asks for what is missing; --answer gives an answer beforehand.\n";

inline constexpr std::string_view check_end =
    "CONFIG is a YAML or JSON file, a launch script, a file of arguments, `-` for standard input, or a "
    "directory (*.yaml, *.yml and *.json below it). A script given beside configs supplies their "
    "environment "
    "and number of GPUs.\n"
    "Words `key=value`, `+key=value` and `~key` change settings as on Megatron Bridge's command line.\n"
    "A top-level `headroom:` block in a config and the nearest .headroom.yaml above it can say the same as "
    "the "
    "launch options; the command line wins, then the config, then .headroom.yaml.\n";

inline constexpr std::string_view run_end =
    "CONFIG is what `headroom check` takes. Findings go to standard error; errors keep the command from "
    "being "
    "started (exit status 1). The output of the command is passed through unchanged and so are signals; its "
    "exit status is headroom's (128 + N after signal N, 127 where it is not found).\n\n"
    "  headroom run run_config.yaml --gpus 8 --gpu h100 -- torchrun --nproc-per-node 8 train.py\n";

inline constexpr std::string_view plan_end =
    "The job stays the same: model, global batch, sequence length and precision, unless --free opens one. "
    "Everything else that rules/plan lists may change. Exit status 1: no plan was found.\n";

inline constexpr std::string_view diff_end =
    "OLD and NEW are configs, launch scripts, or REV:PATH of a git repository; words and --set hold for "
    "both.\n"
    "With one CONFIG the words are the change: `headroom diff c.yaml model.tensor_model_parallel_size=8`.\n"
    "--fail-on: error (default), warning, ignored, memory, slow, advice: a finding of at least that "
    "severity "
    "appeared; memory+2GiB, memory+5%: the highest peak rose by more; step-time+5%: a step takes longer; "
    "never.\n";

}  // namespace headroom::app
