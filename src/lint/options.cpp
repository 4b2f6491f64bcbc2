#include "headroom/lint/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "headroom/lang/check.hpp"
#include "headroom/schema/schema.hpp"
#include "headroom/source/document.hpp"

namespace headroom::lint {
namespace {

constexpr std::string_view keys[] = {"bridge", "mcore",       "te",     "torch",      "gpus",
                                     "gpu",    "gpu_memory",  "env",    "model",      "layer",
                                     "dump",   "host_memory", "margin", "calibration"};
constexpr std::string_view calibrated[] = {"static_bytes", "moving_ratio", "unused_share", "outside_bytes",
                                           "band_share"};

constexpr std::string_view layers[] = {"bridge", "megatron-core", "megatron-lm"};

bool is_name(std::string_view s) {
  constexpr std::string_view digits = "0123456789";
  constexpr std::string_view all = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789";
  return !s.empty() && digits.find(s.front()) == std::string_view::npos &&
         s.find_first_not_of(all) == std::string_view::npos;
}

Complaint set_release(std::optional<std::string>& slot, std::string_view value, std::string_view name,
                      bool bridge) {
  if (!(bridge ? schema::match_bridge(value) : schema::match_mcore(value))) {
    std::vector<std::string_view> known;
    for (int i = 0; bridge && i < schema::release_count; ++i) {
      known.push_back(schema::name(static_cast<schema::Release>(i)));
    }
    return fmt::format("{}: '{}' is no release{}", name, value,
                       bridge ? fmt::format("; known: {}", fmt::join(known, ", ")) : "");
  }
  slot = std::string(value);
  return {};
}

Complaint set_version(std::optional<std::string>& slot, std::string_view value, std::string_view name) {
  if (!schema::parse_version(value))
    return fmt::format("{}: '{}' is no version, such as 2.12.0", name, value);
  slot = std::string(value);
  return {};
}

Complaint set_gpu(std::optional<std::string>& slot, std::string_view value, std::string_view name) {
  const schema::Schema& schema = schema::embedded_schema();
  if (schema.find_gpu(value) == nullptr) {
    std::vector<std::string_view> kinds;
    for (const auto& gpu : schema.gpus) kinds.push_back(gpu.kind);
    return fmt::format("{}: GPU kind '{}' is not known (known: {}; --gpu-memory SIZE for others){}", name,
                       value, fmt::join(kinds, ", "), lang::did_you_mean(value, kinds));
  }
  slot = std::string(value);
  return {};
}

Complaint set_model(std::optional<std::string>& slot, std::string_view value, std::string_view name) {
  const schema::Schema& schema = schema::embedded_schema();
  if (schema.find_model(value) == nullptr) {
    std::vector<std::string_view> names;
    for (const auto& model : schema.models) {
      names.push_back(model.id);
      names.insert(names.end(), model.aliases.begin(), model.aliases.end());
    }
    return fmt::format("{}: model '{}' is not known{}", name, value, lang::did_you_mean(value, names));
  }
  slot = std::string(value);
  return {};
}

Complaint set_gpus(std::optional<std::int64_t>& slot, std::string_view value, std::string_view name) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (error != std::errc() || end != value.data() + value.size() || number < 1 || number > 10'000'000) {
    return fmt::format("{}: '{}' is no number of GPUs", name, value);
  }
  slot = number;
  return {};
}

Complaint set_layer(std::optional<std::string>& slot, std::string_view value, std::string_view name) {
  if (std::ranges::find(layers, value) == std::end(layers)) {
    return fmt::format("{}: '{}' is no layer; known are {}", name, value, fmt::join(layers, ", "));
  }
  slot = std::string(value);
  return {};
}

Complaint set_dump(std::optional<bool>& slot, std::string_view value, std::string_view name) {
  const source::Value flag = source::resolve_scalar(value, source::Loader::py_yaml);
  if (!flag.is_bool()) return fmt::format("{}: '{}' is neither true nor false", name, value);
  slot = flag.as_bool();
  return {};
}

Complaint set_margin(std::optional<std::string>& slot, std::string_view value, std::string_view name) {
  if (!parse_margin(value)) return fmt::format("{}: '{}' is no margin, such as 4GiB or 5%", name, value);
  slot = std::string(value);
  return {};
}

}  // namespace

std::span<const std::string_view> context_keys() {
  return keys;
}

std::span<const std::string_view> calibration_keys() {
  return calibrated;
}

std::optional<Margin> parse_margin(std::string_view text) {
  if (text == "0") return Margin{};
  if (!text.ends_with('%')) {
    const auto size = parse_size(text);
    return size ? std::optional(Margin{static_cast<double>(*size), 0}) : std::nullopt;
  }
  const source::Value number =
      source::resolve_scalar(text.substr(0, text.size() - 1), source::Loader::omega_conf);
  if (!number.is_number() || !(number.as_double() >= 0 && number.as_double() < 100)) return std::nullopt;
  return Margin{0, number.as_double() / 100};
}

Complaint set_calibration(ContextOptions& context, std::string_view key, std::string_view value,
                          std::string_view name) {
  const source::Value number = source::resolve_scalar(value, source::Loader::omega_conf);
  const double x = number.is_number() ? number.as_double() : std::nan("");
  const bool ratio = key == "moving_ratio";
  const bool bytes = key.ends_with("bytes");
  // Beyond these a log is of another run, and estimates would be nonsense.
  const double most = bytes ? 1e15 : ratio ? 100 : 1;
  if (!std::isfinite(x) || std::abs(x) > most || (key != "static_bytes" && x < 0) || (ratio && x < 0.01))
    return fmt::format("{}: '{}' is no {}", name, value,
                       bytes   ? "number of bytes"
                       : ratio ? "ratio from 0.01 to 100"
                               : "share from 0 to 1");
  resolve::Calibration& c = context.calibration ? *context.calibration : context.calibration.emplace();
  if (key == "static_bytes") c.static_bytes = x;
  if (ratio) c.moving_ratio = x;
  if (key == "unused_share") c.unused_share = x;
  if (key == "outside_bytes") c.outside_bytes = x;
  if (key == "band_share") c.band_share = x;
  return {};
}

Complaint set_context(ContextOptions& context, std::string_view key, std::string_view value,
                      std::string_view name) {
  if (key == "bridge") return set_release(context.bridge, value, name, true);
  if (key == "mcore") return set_release(context.mcore, value, name, false);
  if (key == "te") return set_version(context.te, value, name);
  if (key == "torch") return set_version(context.torch, value, name);
  if (key == "gpu") return set_gpu(context.gpu, value, name);
  if (key == "model") return set_model(context.model, value, name);
  if (key == "gpus") return set_gpus(context.gpus, value, name);
  if (key == "layer") return set_layer(context.layer, value, name);
  if (key == "dump") return set_dump(context.dump, value, name);
  if (key == "margin") return set_margin(context.margin, value, name);
  const auto size = parse_size(value);
  if (!size) return fmt::format("{}: '{}' is no size, such as 80GB, 141GiB or 85899345920", name, value);
  (key == "host_memory" ? context.host_memory_bytes : context.gpu_memory_bytes) = size;
  return {};
}

Complaint set_environment(ContextOptions& context, std::string_view word, std::string_view name) {
  const std::size_t equals = word.find('=');
  const std::string_view variable = word.substr(0, equals);
  if (!is_name(variable)) return fmt::format("{}: '{}' is no NAME=value", name, word);
  auto& slot = context.env[std::string(variable)];
  slot =
      equals == std::string_view::npos ? std::nullopt : std::optional(std::string(word.substr(equals + 1)));
  return {};
}

std::optional<std::uint64_t> parse_size(std::string_view text) {
  std::size_t used = 0;
  while (used < text.size() &&
         (std::isdigit(static_cast<unsigned char>(text[used])) != 0 || text[used] == '.'))
    ++used;
  if (used == 0 || std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(used), '.') > 1)
    return std::nullopt;
  double number = 0;
  for (std::size_t i = 0, scale = 0; i < used; ++i) {
    if (text[i] == '.') {
      scale = 1;
      continue;
    }
    double digit = text[i] - '0';
    if (scale == 0) {
      number = number * 10 + digit;
    } else {
      scale *= 10;
      number += digit / static_cast<double>(scale);
    }
  }
  std::string unit(text.substr(used));
  std::erase(unit, ' ');
  std::ranges::transform(unit, unit.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static constexpr std::pair<std::string_view, double> units[] = {{"", 1},
                                                                  {"b", 1},
                                                                  {"kb", 1e3},
                                                                  {"kib", 1024.0},
                                                                  {"mb", 1e6},
                                                                  {"mib", 1048576.0},
                                                                  {"gb", 1e9},
                                                                  {"gib", 1073741824.0},
                                                                  {"g", 1073741824.0},
                                                                  {"tb", 1e12},
                                                                  {"tib", 1099511627776.0}};
  for (const auto& [name, factor] : units) {
    const double bytes = number * factor;
    if (unit == name && bytes >= 1 && bytes < 1e18) return static_cast<std::uint64_t>(bytes);
  }
  return std::nullopt;
}

}  // namespace headroom::lint
