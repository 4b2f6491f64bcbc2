#include "context.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <utility>

#include "headroom/lang/check.hpp"

namespace headroom::app {
namespace {

std::string_view trim(std::string_view s) {
  constexpr std::string_view blank = " \t\r";
  const std::size_t begin = s.find_first_not_of(blank);
  if (begin == std::string_view::npos) return {};
  return s.substr(begin, s.find_last_not_of(blank) - begin + 1);
}

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
    return fmt::format("{}: GPU kind '{}' is not known{} (known: {}; --gpu-memory SIZE for others)", name,
                       value, lang::did_you_mean(value, kinds), fmt::join(kinds, ", "));
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

struct FileCloser {
  void operator()(std::FILE* f) const { std::fclose(f); }
};

}  // namespace

Complaint set_context(lint::ContextOptions& context, std::string_view key, std::string_view value,
                      std::string_view name) {
  if (key == "bridge") return set_release(context.bridge, value, name, true);
  if (key == "mcore") return set_release(context.mcore, value, name, false);
  if (key == "te") return set_version(context.te, value, name);
  if (key == "torch") return set_version(context.torch, value, name);
  if (key == "gpu") return set_gpu(context.gpu, value, name);
  if (key == "model") return set_model(context.model, value, name);
  if (key == "gpus") return set_gpus(context.gpus, value, name);
  const auto size = lint::parse_size(value);
  if (!size) return fmt::format("{}: '{}' is no size, such as 80GB, 141GiB or 85899345920", name, value);
  context.gpu_memory_bytes = size;
  return {};
}

Complaint set_environment(lint::ContextOptions& context, std::string_view word, std::string_view name) {
  const std::size_t equals = word.find('=');
  const std::string_view variable = word.substr(0, equals);
  if (!is_name(variable)) return fmt::format("{}: '{}' is no NAME=value", name, word);
  auto& slot = context.env[std::string(variable)];
  slot =
      equals == std::string_view::npos ? std::nullopt : std::optional(std::string(word.substr(equals + 1)));
  return {};
}

std::optional<source::Error> read_environment_file(lint::ContextOptions& context, const std::string& path) {
  constexpr std::size_t most = 1U << 20U;
  const std::unique_ptr<std::FILE, FileCloser> file(std::fopen(path.c_str(), "rb"));
  if (!file) return source::Error{fmt::format("cannot read: {}", std::strerror(errno)), path, {}, false};
  std::string text(most + 1, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file.get()));
  if (std::ferror(file.get()) != 0) {
    return source::Error{fmt::format("cannot read: {}", std::strerror(errno)), path, {}, false};
  }
  if (text.size() > most) return source::Error{"too large for a list of variables (1 MiB)", path, {}, false};
  std::string_view rest = text;
  for (std::uint32_t number = 1; !rest.empty(); ++number) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    std::string_view line = trim(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.starts_with("export ")) line = trim(line.substr(7));
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos || !is_name(line.substr(0, equals)) ||
        line.find('\0') != line.npos) {
      return source::Error{"expected NAME=value", path, {{number, 1}, {number, 2}}, true};
    }
    std::string_view value = trim(line.substr(equals + 1));
    if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
        value.back() == value.front()) {
      value = value.substr(1, value.size() - 2);
    }
    context.env[std::string(line.substr(0, equals))] = std::string(value);
  }
  context.env_complete = true;
  return {};
}

}  // namespace headroom::app
