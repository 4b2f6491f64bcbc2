// Any text as an expression: compiling it gives an error or a tree, and evaluating the tree ends.
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "headroom/lang/expr.hpp"

namespace {

using headroom::source::List;
using headroom::source::Value;

/// Values that configs hold where nothing good is expected of them.
const std::vector<Value>& odd_values() {
  static const std::vector<Value> values{Value(),
                                         true,
                                         0,
                                         -1,
                                         INT64_MIN,
                                         INT64_MAX,
                                         0.5,
                                         -0.0,
                                         1e308,
                                         "",
                                         "moe",
                                         "Et|(tt|)*9m|L",
                                         "M*M-|E/M/M",
                                         "2.10.0",
                                         List{},
                                         List{"moe", 1, Value()},
                                         List{List{"embedding", "decoder"}, List{"loss"}},
                                         headroom::source::Opaque{},
                                         Value::unknown(),
                                         List{Value::unknown(), 4}};
  return values;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace lang = headroom::lang;
  const auto& schema = headroom::schema::embedded_schema();
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lang::PoolBuilder pool;
  const auto id = pool.compile(text, schema, "fuzz", {1, 1});
  if (!id) {
    if (id.error().message.empty() || !id.error().has_location) std::abort();
    if (!pool.pool().nodes.empty()) std::abort();
    return 0;
  }
  const auto fields = pool.fields_of(*id);
  std::vector<Value> now(schema.size());
  const std::vector<std::uint8_t> set(schema.size(), 1);
  // Every field the expression reads takes every odd value once, each field another one at a time.
  const auto& odd = odd_values();
  for (std::size_t round = 0; round < odd.size(); ++round) {
    for (std::size_t i = 0; i < fields.size(); ++i) now[fields[i]] = odd[(round + i * 7) % odd.size()];
    const lang::Scope scope{&schema, headroom::schema::Release::main, now, now, set};
    const Value result = lang::evaluate(pool.pool(), *id, scope);
    static_cast<void>(result.to_text());
    if (!result.is_unknown() && !lang::unknown_causes(pool.pool(), *id, scope).empty()) std::abort();
  }
  return 0;
}
