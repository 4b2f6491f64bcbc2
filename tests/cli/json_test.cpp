// The documents of --format json hold the keys that they promise.
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include "headroom/lint/options.hpp"
#include "program.hpp"

using headroom::cli::run;
using Json = nlohmann::json;

namespace {

// `?key` may be absent. A value is a type name, an array of one schema, or an object schema.
void matches(const Json& value, const Json& schema, const std::string& path) {
  INFO(path << ": " << value.dump());
  if (schema.is_string()) {
    const auto type = schema.get<std::string>();
    if (type == "number") {
      CHECK(value.is_number_unsigned());
    } else if (type == "integer") {
      CHECK(value.is_number_integer());
    } else if (type != "any") {
      CHECK(value.type_name() == type);
    }
  } else if (schema.is_array()) {
    REQUIRE(value.is_array());
    for (std::size_t i = 0; i < value.size(); ++i)
      matches(value[i], schema[0], path + "/" + std::to_string(i));
  } else {
    REQUIRE(value.is_object());
    for (const auto& [name, part] : schema.items()) {
      const bool optional = name.starts_with('?');
      const std::string key = optional ? name.substr(1) : name;
      if (!optional) CHECK(value.contains(key));
      if (value.contains(key)) matches(value[key], part, path + "/" + key);
    }
    for (const auto& [key, ignored] : value.items()) {
      INFO("unknown key " << key);
      CHECK((schema.contains(key) || schema.contains("?" + key)));
    }
  }
}

const char* const check_schema = R"({
  "schema": "number", "headroom": "string",
  "files": [{
    "path": "string", "verdict": "string", "?message": "string", "?notes": ["string"], "?diff": "string",
    "?location": {"line": "number", "column": "number", "end_line": "number", "end_column": "number"},
    "?memory": {"peak_bytes": "number", "low_bytes": "number", "high_bytes": "number", "used_bytes": "number",
                "?capacity_bytes": "number", "?fits": "boolean", "stage": "number", "phase": "string"},
    "?left_out": [{"needs": "string", "checks": "number"}],
    "?context": {"?bridge": "string", "mcore": "string", "te": "string", "torch": "string", "?gpus": "number",
                 "?gpu": "string", "?gpu_memory_bytes": "number", "?model": "string", "?layer": "string"},
    "?memory": {"peak_bytes": "number", "low_bytes": "number", "high_bytes": "number", "used_bytes": "number",
                "capacity_bytes": "number", "fits": "boolean", "stage": "number", "phase": "string"},
    "?diagnostics": [{
      "rule": "string", "severity": "string", "?fails_at": "string", "message": "string", "fields": ["string"],
      "?location": {"line": "number", "column": "number", "end_line": "number", "end_column": "number"},
      "?source": "string",
      "related": [{"field": "string", "?line": "number", "?column": "number", "?end_line": "number",
                   "?end_column": "number", "?source": "string"}],
      "fixes": [{"title": "string", "set": "object", "unset": ["string"], "env": "object", "safety": "string",
                 "verified": "boolean", "evidence": ["string"], "?also_repairs": ["string"],
                 "?peak_bytes": "number", "?peak_delta_bytes": "integer", "?fits": "boolean", "basis": "string",
                 "?step_time_ratio": "any", "?step_time_low": "any", "?step_time_high": "any"}]}]}]})";

}  // namespace

TEST_CASE("check") {
  const auto result = run({{"check", "examples", "/none.yaml", "--format", "json"}});
  CHECK(result.status == 2);
  const Json doc = Json::parse(result.out);
  matches(doc, Json::parse(check_schema), "");
  CHECK(doc["files"].size() > 10);
  CHECK(doc["files"].back()["path"] == "/none.yaml");
  CHECK(doc["files"].back()["verdict"] == "unreadable");
}

TEST_CASE("check with a setting of the command line") {
  const auto result = run({{"check", "examples/llama3_70b_sft_h100.yaml", "--format", "json",
                            "model.cpu_offloading=true", "model.cpu_offloading_num_layers=1"}});
  CHECK(result.status == 1);
  matches(Json::parse(result.out), Json::parse(check_schema), "");
}

TEST_CASE("effective") {
  const auto result = run({{"effective", "examples/llama3_70b_sft_h100.yaml", "model.fp8", "model.num_layers",
                            "optimizer.lr", "model.tp_comm_overlap", "--format", "json"}});
  REQUIRE(result.status == 0);
  const Json doc = Json::parse(result.out);
  CHECK(doc["schema"] == 1);
  CHECK(doc["values"].size() == 4);
  CHECK(doc["values"]["model.fp8"]["value"] == "hybrid");  // copied from mixed_precision at start-up
  CHECK(doc["values"]["model.fp8"]["origin"] != "file");
  CHECK(doc["values"]["model.num_layers"]["value"] == 80);
  CHECK(doc["values"]["model.num_layers"]["written"] == 80);
  CHECK(doc["values"]["model.num_layers"]["location"]["line"] == 7);
  CHECK(doc["values"]["optimizer.lr"]["value"] == 5.0e-06);
}

TEST_CASE("rule") {
  const Json list = Json::parse(run({{"rule", "--format", "json"}}).out);
  CHECK(list["rules"].size() > 100);
  matches(list["rules"][0],
          Json::parse(R"({"id": "string", "title": "string", "severity": "string", "?fails_at": "string",
                         "releases": ["string"], "applies_to": ["string"]})"),
          "");
  const Json page =
      Json::parse(run({{"rule", "offload/pipeline-parallel", "--format", "json"}}).out)["rules"][0];
  CHECK(page["when"].is_string());
  CHECK(!page["fixes"].empty());
  CHECK(!page["sources"].empty());
  CHECK(page["page"].is_string());
}

TEST_CASE("the schema of the headroom block knows the keys that the block takes") {
  const Json doc = Json::parse(run({{"schema"}}).out);
  const Json& keys = doc["properties"]["headroom"]["properties"];
  std::size_t known = 0;
  for (const auto key : headroom::lint::context_keys()) {
    INFO(key);
    CHECK(keys.contains(std::string(key)));
    ++known;
  }
  CHECK(keys.size() == known);
}
