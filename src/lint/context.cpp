#include "context.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace headroom::lint {

using source::Document;
using source::Error;
using source::Node;
using source::NodeId;
using source::NodeKind;
using source::Result;

namespace {

constexpr std::string_view block_keys[] = {"bridge",     "mcore", "te",    "torch", "gpus", "gpu",
                                           "gpu_memory", "env",   "model", "layer", "dump"};

constexpr std::string_view layers[] = {"bridge", "megatron-core", "megatron-lm"};

Error error_at(const Document& doc, source::Span span, std::string message) {
  return {std::move(message), doc.source->name(), doc.source->location(span), true};
}

Result<void> read_env(const Document& doc, const Node& node, ContextOptions& out) {
  if (node.kind == NodeKind::scalar && node.value.is_null()) return {};
  if (node.kind != NodeKind::mapping) {
    return tl::unexpected(error_at(doc, node.span, "headroom.env is a mapping of names to values"));
  }
  out.env_complete = true;
  for (const source::Member& m : node.members) {
    const Node& value = doc.node(m.value);
    if (value.kind != NodeKind::scalar) {
      return tl::unexpected(
          error_at(doc, value.span, "an environment variable has one value, not a list or a mapping"));
    }
    auto text = value.value.is_null() ? std::nullopt : std::optional(value.text);
    out.env.insert_or_assign(doc.node(m.key).text, std::move(text));
  }
  return {};
}

Result<void> read_key(const Document& doc, const source::Member& m, ContextOptions& out) {
  const std::string& key = doc.node(m.key).text;
  const Node& node = doc.node(m.value);
  if (key == "env") return read_env(doc, node, out);
  if (std::ranges::find(block_keys, key) == std::end(block_keys)) {
    return tl::unexpected(error_at(
        doc, doc.node(m.key).span,
        fmt::format("the headroom block has no key '{}'; it knows {}", key, fmt::join(block_keys, ", "))));
  }
  if (node.kind != NodeKind::scalar) {
    return tl::unexpected(
        error_at(doc, node.span, fmt::format("headroom.{} has one value, not a list or a mapping", key)));
  }
  if (node.value.is_null()) return {};
  if (key == "gpus") {
    if (!node.value.is_int() || node.value.as_int() < 1) {
      return tl::unexpected(error_at(doc, node.span, "headroom.gpus is the number of GPUs, at least 1"));
    }
    out.gpus = node.value.as_int();
    return {};
  }
  if (key == "dump") {
    if (!node.value.is_bool())
      return tl::unexpected(error_at(doc, node.span, "headroom.dump is true or false"));
    out.dump = node.value.as_bool();
    return {};
  }
  std::optional<std::string>* targets[] = {&out.bridge, &out.mcore, &out.te, &out.torch, nullptr,
                                           &out.gpu,    nullptr,    nullptr, &out.model, &out.layer};
  auto index = static_cast<std::size_t>(std::ranges::find(block_keys, key) - std::begin(block_keys));
  if (targets[index] != nullptr) {
    *targets[index] = node.text;
    return {};
  }
  auto bytes = parse_size(node.text);
  if (!bytes)
    return tl::unexpected(
        error_at(doc, node.span, fmt::format("'{}' is no memory size such as 80GB or 79.1GiB", node.text)));
  out.gpu_memory_bytes = *bytes;
  return {};
}

Error option_error(std::string message) {
  return {std::move(message), "", {}, false};
}

Result<std::optional<schema::Version>> version(const std::optional<std::string>& text,
                                               std::string_view what) {
  if (!text) return std::optional<schema::Version>{};
  auto v = schema::parse_version(*text);
  if (!v) return tl::unexpected(option_error(fmt::format("'{}' is no version of {}", *text, what)));
  return v;
}

Result<schema::Release> choose_release(const ContextOptions& options, std::vector<std::string>& notes) {
  if (options.bridge) {
    auto match = schema::match_bridge(*options.bridge);
    if (!match)
      return tl::unexpected(option_error(fmt::format(
          "'{}' is no Megatron Bridge release; known are 0.2.2, 0.3.1, 0.4.2, 0.5.1, 0.6.0 and main",
          *options.bridge)));
    if (!match->exact)
      notes.push_back(fmt::format("Bridge {} is not known; checked against {}", *options.bridge,
                                  schema::name(match->release)));
    return match->release;
  }
  if (options.mcore) {
    auto match = schema::match_mcore(*options.mcore);
    if (!match)
      return tl::unexpected(option_error(fmt::format("'{}' is no Megatron-Core release", *options.mcore)));
    if (!match->exact)
      notes.push_back(fmt::format("Megatron-Core {} is not known; checked against that of Bridge {}",
                                  *options.mcore, schema::name(match->release)));
    return match->release;
  }
  return schema::default_release;
}

}  // namespace

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

Result<ContextOptions> read_block(const Document& doc) {
  ContextOptions out;
  if (doc.root == source::no_node || doc.node(doc.root).kind != NodeKind::mapping) return out;
  NodeId block = doc.find(doc.root, "headroom");
  if (block == source::no_node) return out;
  const Node& node = doc.node(block);
  if (node.kind == NodeKind::scalar && node.value.is_null()) return out;
  if (node.kind != NodeKind::mapping)
    return tl::unexpected(error_at(doc, node.span, "the headroom block is a mapping"));
  for (const source::Member& m : node.members) {
    if (auto ok = read_key(doc, m, out); !ok) return tl::unexpected(ok.error());
  }
  return out;
}

ContextOptions merge(ContextOptions first, const ContextOptions& second) {
  auto take = [](auto& mine, const auto& theirs) {
    if (!mine) mine = theirs;
  };
  // --mcore on the command line is a choice of release too: a bridge release said elsewhere must not outrank
  // it.
  if (!first.bridge && !first.mcore) first.bridge = second.bridge;
  take(first.mcore, second.mcore);
  take(first.te, second.te);
  take(first.torch, second.torch);
  take(first.gpu, second.gpu);
  take(first.model, second.model);
  take(first.layer, second.layer);
  take(first.dump, second.dump);
  take(first.gpus, second.gpus);
  take(first.gpu_memory_bytes, second.gpu_memory_bytes);
  first.env.insert(second.env.begin(), second.env.end());
  first.env_complete = first.env_complete || second.env_complete;
  return first;
}

Result<resolve::LaunchContext> launch_context(const ContextOptions& options, const schema::Schema& schema,
                                              std::vector<std::string>& notes) {
  resolve::LaunchContext out;
  auto release = choose_release(options, notes);
  if (!release) return tl::unexpected(release.error());
  out.release = *release;
  auto mcore = version(options.mcore, "Megatron-Core");
  auto te = version(options.te, "Transformer Engine");
  auto torch = version(options.torch, "torch");
  for (const auto* v : {&mcore, &te, &torch}) {
    if (!*v) return tl::unexpected(v->error());
  }
  // Beside --bridge, --mcore only names the version that rules compare with.
  out.mcore = *mcore;
  out.te = *te;
  out.torch = *torch;
  out.gpus = options.gpus;
  out.gpu_memory_bytes = options.gpu_memory_bytes;
  out.env = options.env;
  out.env_complete = options.env_complete;
  if (options.gpu) {
    out.gpu = schema.find_gpu(*options.gpu);
    if (out.gpu == nullptr) {
      std::string kinds;
      for (const schema::Gpu& g : schema.gpus)
        kinds += fmt::format("{}{}", kinds.empty() ? "" : ", ", g.kind);
      return tl::unexpected(
          option_error(fmt::format("'{}' is no GPU kind; known are {}", *options.gpu, kinds)));
    }
  }
  if (options.layer && std::ranges::find(layers, *options.layer) == std::end(layers))
    return tl::unexpected(
        option_error(fmt::format("'{}' is no layer; known are {}", *options.layer, fmt::join(layers, ", "))));
  if (options.model) {
    out.model = schema.find_model(*options.model);
    if (out.model == nullptr)
      return tl::unexpected(
          option_error(fmt::format("'{}' is no model of the catalogue (rules/models)", *options.model)));
  }
  return out;
}

}  // namespace headroom::lint
