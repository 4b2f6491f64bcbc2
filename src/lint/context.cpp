#include "context.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "headroom/lang/check.hpp"

namespace headroom::lint {

using source::Document;
using source::Error;
using source::Node;
using source::NodeId;
using source::NodeKind;
using source::Result;

namespace {

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
    const std::string& name = doc.node(m.key).text;
    const std::string word = value.value.is_null() ? name : name + "=" + value.text;
    if (auto complaint = set_environment(out, word, "headroom.env")) {
      return tl::unexpected(error_at(doc, doc.node(m.key).span, std::move(*complaint)));
    }
  }
  return {};
}

Result<void> read_calibration(const Document& doc, const Node& node, ContextOptions& out) {
  if (node.kind == NodeKind::scalar && node.value.is_null()) return {};
  if (node.kind != NodeKind::mapping)
    return tl::unexpected(error_at(doc, node.span, "headroom.calibration is a mapping of names to numbers"));
  const auto known = calibration_keys();
  for (const source::Member& m : node.members) {
    const std::string& key = doc.node(m.key).text;
    if (std::ranges::find(known, key) == known.end()) {
      return tl::unexpected(
          error_at(doc, doc.node(m.key).span,
                   fmt::format("calibration has no key '{}'; it knows {}{}", key, fmt::join(known, ", "),
                               lang::did_you_mean(key, {known.begin(), known.end()}))));
    }
    if (auto complaint = set_calibration(out, key, doc.node(m.value).text, "calibration." + key))
      return tl::unexpected(error_at(doc, doc.node(m.value).span, std::move(*complaint)));
  }
  return {};
}

Result<void> read_key(const Document& doc, const source::Member& m, ContextOptions& out) {
  const std::string& key = doc.node(m.key).text;
  const Node& node = doc.node(m.value);
  if (key == "env") return read_env(doc, node, out);
  if (key == "calibration") return read_calibration(doc, node, out);
  const auto keys = context_keys();
  if (std::ranges::find(keys, key) == keys.end()) {
    return tl::unexpected(
        error_at(doc, doc.node(m.key).span,
                 fmt::format("the headroom block has no key '{}'; it knows {}{}", key, fmt::join(keys, ", "),
                             lang::did_you_mean(key, {keys.begin(), keys.end()}))));
  }
  if (node.kind != NodeKind::scalar) {
    return tl::unexpected(
        error_at(doc, node.span, fmt::format("headroom.{} has one value, not a list or a mapping", key)));
  }
  if (node.value.is_null()) return {};
  if (auto complaint = set_context(out, key, node.text, "headroom." + key)) {
    return tl::unexpected(error_at(doc, node.span, std::move(*complaint)));
  }
  return {};
}

/// Callers of the library fill the options themselves: the same checks as for what is read from text.
Complaint complaint_about(const ContextOptions& options) {
  const std::pair<std::string_view, const std::optional<std::string>*> given[] = {
      {"bridge", &options.bridge}, {"mcore", &options.mcore},  {"te", &options.te},
      {"torch", &options.torch},   {"gpu", &options.gpu},      {"model", &options.model},
      {"layer", &options.layer},   {"margin", &options.margin}};
  ContextOptions scratch;
  for (const auto& [key, text] : given) {
    if (!*text) continue;
    if (auto complaint = set_context(scratch, key, **text, key)) return complaint;
  }
  return {};
}

}  // namespace

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
  take(first.host_memory_bytes, second.host_memory_bytes);
  take(first.margin, second.margin);
  take(first.calibration, second.calibration);
  first.env.insert(second.env.begin(), second.env.end());
  first.env_complete = first.env_complete || second.env_complete;
  return first;
}

schema::Release choose_release(const ContextOptions& options, std::vector<std::string>& notes) {
  if (options.bridge) {
    const auto match = schema::match_bridge(*options.bridge);
    if (!match->exact)
      notes.push_back(fmt::format("Bridge {} is not known; checked against {}", *options.bridge,
                                  schema::name(match->release)));
    return match->release;
  }
  if (options.mcore) {
    const auto match = schema::match_mcore(*options.mcore);
    if (!match->exact)
      notes.push_back(fmt::format("Megatron-Core {} is not known; checked against that of Bridge {}",
                                  *options.mcore, schema::name(match->release)));
    return match->release;
  }
  return schema::default_release;
}

ContextOptions take_hints(ContextOptions options, const dialect::LaunchHints& hints,
                          std::vector<std::string>& notes) {
  if (!options.gpus) options.gpus = hints.total_gpus();
  for (const auto& [name, value] : hints.env) options.env.try_emplace(name, value);
  ContextOptions checked;
  if (hints.gpu && !options.gpu && !set_context(checked, "gpu", *hints.gpu, "gpu")) options.gpu = hints.gpu;
  if (!hints.model || options.model) return options;
  if (!set_context(checked, "model", *hints.model, "model")) {
    options.model = hints.model;
  } else {
    notes.push_back(
        fmt::format("the architecture of {} is not known: checks that need it are left out (--model NAME "
                    "takes a known one)",
                    *hints.model));
  }
  return options;
}

std::optional<schema::Layer> layer_named(std::string_view name) {
  if (name == "bridge") return schema::Layer::bridge;
  if (name == "megatron-core") return schema::Layer::megatron_core;
  if (name == "megatron-lm") return schema::Layer::megatron_lm;
  return std::nullopt;
}

Result<void> check_options(const ContextOptions& options) {
  if (auto complaint = complaint_about(options))
    return tl::unexpected(Error{std::move(*complaint), "", {}, false});
  return {};
}

resolve::LaunchContext launch_context(const ContextOptions& options, schema::Release release,
                                      const schema::Schema& schema) {
  const auto version = [](const std::optional<std::string>& text) {
    return text ? schema::parse_version(*text) : std::nullopt;
  };
  resolve::LaunchContext out;
  out.release = release;
  // Beside --bridge, --mcore only names the version that rules compare with.
  out.mcore = version(options.mcore);
  out.te = version(options.te);
  out.torch = version(options.torch);
  out.gpus = options.gpus;
  out.gpu_memory_bytes = options.gpu_memory_bytes;
  out.host_memory_bytes = options.host_memory_bytes;
  if (const auto margin = options.margin ? parse_margin(*options.margin) : std::nullopt) {
    out.margin_bytes = margin->bytes;
    out.margin_share = margin->share;
  }
  out.calibration = options.calibration;
  out.env = options.env;
  out.env_complete = options.env_complete;
  if (options.gpu) out.gpu = schema.find_gpu(*options.gpu);
  if (options.model) out.model = schema.find_model(*options.model);
  return out;
}

}  // namespace headroom::lint
