#include "read_graphs.hpp"

#include <string_view>

namespace headroom::memory {
void set_graph_modules(const source::Value& modules, Graphs& g) {
  const bool some = modules.is_string() || (modules.is_list() && !modules.as_list().empty());
  g.whole_layer = g.kind != Graphs::Kind::none && !some;
  const auto captured = [&](std::string_view module) { return g.whole_layer || holds_name(modules, module); };
  g.attention = captured("attn");
  g.feedforward = captured("mlp");
  g.router = captured("moe_router") || captured("moe_preprocess") || captured("moe");
  g.mamba = captured("mamba");
}

void read_graphs(const Fields& f, Graphs& g) {
  const auto kind = f.text("model.cuda_graph_impl");
  g.kind = f.flag("derived.full_iteration_graph") ? Graphs::Kind::full_iteration
           : kind == "local"                      ? Graphs::Kind::local
           : kind == "transformer_engine"         ? Graphs::Kind::te
                                                  : Graphs::Kind::none;
  g.warmup = f.number("model.cuda_graph_warmup_steps", 3);
  const auto& modules = f.value("derived.graph_modules");
  set_graph_modules(modules.is_list() ? modules : source::Value{}, g);
}

}  // namespace headroom::memory
