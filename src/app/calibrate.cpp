// `headroom calibrate LOG… CONFIG`: learns the offsets of a cluster from the memory lines of its logs and
// keeps them in `.headroom.yaml`.
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "commands.hpp"
#include "headroom/lint/options.hpp"
#include "headroom/memory/calibrate.hpp"
#include "headroom/oom/input.hpp"
#include "headroom/report/terminal.hpp"
#include "headroom/source/edit.hpp"
#include "output.hpp"
#include "single.hpp"

namespace headroom::app {
namespace {

namespace fs = std::filesystem;
using memory::Learned;
using memory::Observation;

constexpr std::string_view repository_file = ".headroom.yaml";

struct Words {
  std::vector<std::string> logs, rest;  ///< `rest`: the config first, then `key=value`
};

/// The last word that is no `key=value` is the config, those before it are logs.
Words split(const std::vector<std::string>& words) {
  Words out;
  for (const auto& word : words)
    (word.find('=') != std::string::npos && !fs::exists(word) ? out.rest : out.logs).push_back(word);
  if (out.logs.empty()) return out;
  out.rest.insert(out.rest.begin(), out.logs.back());
  out.logs.pop_back();
  return out;
}

/// The nearest file above the config; else beside the `.git` above it; else beside the config.
std::string repository_of(const std::string& config) {
  std::error_code error;
  const fs::path beside = fs::absolute(config, error).lexically_normal().parent_path();
  fs::path root = beside;
  for (fs::path folder = beside;; folder = folder.parent_path()) {
    if (fs::exists(folder / repository_file, error)) return (folder / repository_file).string();
    if (fs::exists(folder / ".git", error)) {
      root = folder;
      break;
    }
    if (folder == folder.parent_path()) break;
  }
  return (root / repository_file).string();
}

using Figures = std::vector<std::pair<std::string, source::Value>>;

Figures figures_of(const resolve::Calibration& c) {
  Figures out{{"static_bytes", source::Value(static_cast<std::int64_t>(c.static_bytes))},
              {"moving_ratio", source::Value(c.moving_ratio)}};
  if (c.unused_share) out.emplace_back("unused_share", source::Value(*c.unused_share));
  if (c.outside_bytes)
    out.emplace_back("outside_bytes", source::Value(static_cast<std::int64_t>(*c.outside_bytes)));
  if (c.band_share) out.emplace_back("band_share", source::Value(*c.band_share));
  return out;
}

class Calibrate {
 public:
  explicit Calibrate(const Options& options) : options_(options) {}

  ExitStatus run() {
    Words words = split(options_.words);
    if (words.logs.empty()) {
      complain(options_, "calibrate takes one or more logs and then the CONFIG that they are of");
      return exit_usage;
    }
    Options single = options_;
    single.words = words.rest;
    Single input;
    if (const ExitStatus status = read_single(single, "calibrate", input); status != exit_clean)
      return status;
    for (const auto& note : input.outcome.notes)
      static_cast<void>(write(stderr, "note: " + report::printable(note) + "\n"));
    const auto shape = memory::read_shape(input.outcome.config);
    if (!shape) {
      source::Error error = shape.error();
      error.source = input.path;
      return fail(error);
    }
    std::vector<Observation> observations;
    for (const auto& log : words.logs) {
      if (auto error = observe(log, shape->shape, observations)) return fail(*error);
    }
    const auto learned = memory::calibrate(shape->shape, observations);
    if (!learned) {
      complain(options_,
               "no memory line of Megatron Bridge or Megatron-LM in the logs: they report memory after the "
               "first steps, and with logger.log_memory_to_tensorboard or --log-memory-to-tensorboard");
      return exit_usage;
    }
    return keep(repository_of(input.path), *learned, observations.size());
  }

 private:
  std::optional<source::Error> observe(const std::string& path, const memory::Shape& shape,
                                       std::vector<Observation>& out) {
    auto input = oom::Input::open(path);
    if (!input) return input.error();
    if (input->content() != oom::Content::log)
      return source::Error{"is a memory snapshot, not a log", path, {}, false};
    const auto facts = oom::read_log(*input);
    if (!facts) return facts.error();
    for (const oom::MemoryReport& r : facts->reports) {
      if (!r.rank && shape.parallel.pp > 1) continue;  // nothing says which stage that is
      out.push_back({memory::stage_of_rank(shape, r.rank.value_or(0)), r.allocated, r.max_allocated,
                     r.reserved, r.max_reserved, r.device_used});
    }
    return std::nullopt;
  }

  /// Figures of a broken log can lie beyond what `.headroom.yaml` may say: then it would be refused from now
  /// on.
  bool readable(const Figures& figures) const {
    lint::ContextOptions context;
    for (const auto& [name, value] : figures) {
      const std::string text = source::to_yaml(value, source::Loader::omega_conf);
      if (const auto complaint = lint::set_calibration(context, name, text, name)) {
        complain(options_, "the logs hold figures that no GPU has: " + *complaint);
        return false;
      }
    }
    return true;
  }

  ExitStatus keep(const std::string& path, const Learned& learned, std::size_t reports) {
    if (!readable(figures_of(learned.calibration))) return exit_usage;
    std::error_code none;
    const bool exists = fs::exists(path, none);
    std::string before, after;
    if (exists) {
      const auto text = source::read_file(path);
      if (!text) return fail(text.error());
      before = (*text)->text();
    }
    const auto edited = with_figures(path, before, figures_of(learned.calibration));
    if (!edited) return fail(edited.error());
    if (options_.diff)
      return write_own(stdout, source::unified_diff(path, before, *edited)) ? exit_clean : exit_usage;
    if (*edited != before) {
      const auto written = exists ? source::replace_file(path, before, *edited) : create(path, *edited);
      if (!written) return fail(written.error());
    }
    return print(path, learned, reports);
  }

  static source::Result<void> create(const std::string& path, const std::string& text) {
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "wx"), &std::fclose);
    if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size() ||
        std::fflush(file.get()) != 0)
      return tl::unexpected(source::Error{"cannot be written", path, {}, false});
    return {};
  }

  /// One value after the other: each edit is of the text that the last one left.
  static source::Result<std::string> with_figures(const std::string& path, std::string text,
                                                  const Figures& figures) {
    if (text.empty()) {
      text = "calibration:\n";
      for (const auto& [name, value] : figures)
        text += fmt::format("  {}: {}\n", name, source::to_yaml(value, source::Loader::omega_conf));
      return text;
    }
    for (const auto& [name, value] : figures) {
      const auto parsed = std::make_shared<const source::SourceText>(path, text);
      const auto doc = source::read_yaml(parsed, source::Loader::omega_conf);
      if (!doc) return tl::unexpected(doc.error());
      auto edits = source::set_value(*doc, {"calibration", name}, value);
      if (!edits) return tl::unexpected(edits.error());
      text = source::apply_edits(*parsed, std::move(*edits));
    }
    return text;
  }

  ExitStatus print(const std::string& path, const Learned& learned, std::size_t reports) const {
    const Figures figures = figures_of(learned.calibration);
    std::string out;
    if (options_.format == Format::json) {
      nlohmann::ordered_json j{{"schema", 1}, {"file", path}, {"reports", reports}};
      for (const auto& [name, value] : figures)
        j["calibration"][name] = value.is_int() ? nlohmann::ordered_json(value.as_int())
                                                : nlohmann::ordered_json(value.as_double());
      j["peak_error_before"] = learned.error_before;
      j["peak_error_after"] = learned.error_after;
      out = j.dump(2) + "\n";
    } else {
      out = fmt::format("learned from {} memory report{}:\n", reports, reports == 1 ? "" : "s");
      for (const auto& [name, value] : figures)
        out += fmt::format("  {}: {}\n", name, source::to_yaml(value, source::Loader::omega_conf));
      out += fmt::format("mean error of the peaks: {:.1f} % before, {:.1f} % with it\nwritten to {}\n",
                         100 * learned.error_before, 100 * learned.error_after, report::printable(path));
    }
    return write(stdout, out) ? exit_clean : exit_usage;
  }

  [[nodiscard]] ExitStatus fail(const source::Error& error) const {
    static_cast<void>(write(stderr, report::error_text(error, nullptr, text_options(options_, stderr))));
    return exit_usage;
  }

  const Options& options_;
};

}  // namespace

ExitStatus calibrate(const Options& options) {
  return Calibrate(options).run();
}

}  // namespace headroom::app
