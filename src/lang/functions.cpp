#include "functions.hpp"

#include <algorithm>

namespace headroom::lang {
namespace {

constexpr Kinds number = k_number, layout = k_string | k_list;

constexpr FunctionInfo table[] = {
    {Fn::size, "size", false, 1, k_int, {k_string | k_list, k_any, k_any}},
    {Fn::either, "either", false, 2, k_any, {k_any, k_any, k_any}},
    {Fn::coalesce, "coalesce", false, 2, k_any, {k_any, k_any, k_any}},
    {Fn::min, "min", false, 2, k_int | k_float | k_null, {number, number, k_any}},
    {Fn::max, "max", false, 2, k_int | k_float | k_null, {number, number, k_any}},
    {Fn::abs, "abs", false, 1, k_int | k_float | k_null, {number, k_any, k_any}},
    {Fn::sum, "sum", false, 1, k_int | k_float | k_null, {k_list, k_any, k_any}},
    {Fn::product, "product", false, 1, k_int | k_float | k_null, {k_list, k_any, k_any}},
    {Fn::lcm, "lcm", false, 2, k_int | k_float | k_null, {number, number, k_any}},
    {Fn::to_int, "int", false, 1, k_int | k_null, {k_number | k_string, k_any, k_any}},
    {Fn::to_string, "string", false, 1, k_string | k_null, {k_any, k_any, k_any}},
    {Fn::is_string, "is_string", false, 1, k_bool, {k_any, k_any, k_any}},
    {Fn::is_list, "is_list", false, 1, k_bool, {k_any, k_any, k_any}},
    {Fn::is_bool, "is_bool", false, 1, k_bool, {k_any, k_any, k_any}},
    {Fn::is_int, "is_int", false, 1, k_bool, {k_any, k_any, k_any}},
    {Fn::is_float, "is_float", false, 1, k_bool, {k_any, k_any, k_any}},
    {Fn::class_name, "class_name", false, 1, k_string | k_null, {k_string, k_any, k_any}},
    {Fn::subclass, "subclass", false, 2, k_bool, {k_string, k_string, k_any}},
    {Fn::range, "range", false, 1, k_list | k_null, {number, k_any, k_any}},
    {Fn::layout_valid, "layout_valid", false, 1, k_bool, {layout, k_any, k_any}},
    {Fn::layout_stages, "layout_stages", false, 1, k_int | k_null, {layout, k_any, k_any}},
    {Fn::layout_count, "layout_count", false, 2, k_int | k_null, {layout, k_string, k_any}},
    {Fn::layout_count_in, "layout_count_in", false, 3, k_int | k_null, {layout, number, k_string}},
    {Fn::layout_first, "layout_first", false, 1, k_string | k_null, {layout, k_any, k_any}},
    {Fn::layout_last, "layout_last", false, 1, k_string | k_null, {layout, k_any, k_any}},
    {Fn::layout_stage, "layout_stage", false, 2, k_string | k_null, {layout, number, k_any}},
    {Fn::hybrid_valid, "hybrid_valid", false, 1, k_bool, {k_string, k_any, k_any}},
    {Fn::hybrid_layers, "hybrid_layers", false, 1, k_int | k_null, {k_string, k_any, k_any}},
    {Fn::hybrid_count, "hybrid_count", false, 2, k_int | k_null, {k_string, k_string, k_any}},
    {Fn::hybrid_stages, "hybrid_stages", false, 1, k_int | k_null, {k_string, k_any, k_any}},
    {Fn::hybrid_mtp_depths, "hybrid_mtp_depths", false, 1, k_int | k_null, {k_string, k_any, k_any}},
    {Fn::starts_with, "startsWith", true, 1, k_bool, {k_string, k_string, k_any}},
    {Fn::ends_with, "endsWith", true, 1, k_bool, {k_string, k_string, k_any}},
    {Fn::contains, "contains", true, 1, k_bool, {k_string | k_list, k_any, k_any}},
    {Fn::split, "split", true, 1, k_list | k_null, {k_string, k_string, k_any}},
    {Fn::lower, "lower", true, 0, k_string | k_null, {k_string, k_any, k_any}},
    {Fn::replace, "replace", true, 2, k_string | k_null, {k_string, k_string, k_string}},
    {Fn::unique, "unique", true, 0, k_list | k_null, {k_list, k_any, k_any}},
    {Fn::index_of, "indexOf", true, 1, k_int | k_null, {k_list, k_any, k_any}},
    {Fn::known, "known", false, 1, k_bool, {k_any, k_any, k_any}},
};

}  // namespace

std::span<const FunctionInfo> functions() {
  return table;
}

const FunctionInfo* find_function(std::string_view name, bool method) {
  const auto* it = std::find_if(std::begin(table), std::end(table),
                                [&](const FunctionInfo& f) { return f.method == method && f.name == name; });
  return it == std::end(table) ? nullptr : it;
}

}  // namespace headroom::lang
