#include "headroom/report/json.hpp"

#include <catch2/catch.hpp>
#include <limits>
#include <nlohmann/json.hpp>

#include "sample.hpp"

using namespace headroom;
using namespace headroom::report;
using Json = nlohmann::ordered_json;

TEST_CASE("check's document holds the keys of the contract") {
  FileReport bad;
  bad.path = "b.yaml";
  bad.unreadable = source::Error{"mapping values are not allowed here", "b.yaml", {{3, 7}, {3, 8}}, true};
  const Json doc = Json::parse(report::json({sample_report(), bad}, "0.1.0"));
  CHECK(doc["schema"] == 1);
  CHECK(doc["headroom"] == "0.1.0");
  const Json& file = doc["files"][0];
  CHECK(file["path"] == "conf/a.yaml");
  CHECK(file["verdict"] == "error");
  CHECK(file["context"] == Json({{"bridge", "0.6.0"}, {"mcore", "0.18.0"}, {"gpus", 32}, {"gpu", "h100"}}));
  const Json& d = file["diagnostics"][0];
  CHECK(d["rule"] == "offload/pipeline-parallel");
  CHECK(d["severity"] == "error");
  CHECK(d["fails_at"] == "startup");
  CHECK(d["fields"] == Json({"model.cpu_offloading", "model.pipeline_model_parallel_size"}));
  CHECK(d["location"] == Json({{"line", 2}, {"column", 3}, {"end_line", 2}, {"end_column", 23}}));
  CHECK(d["related"][0]["field"] == "model.pipeline_model_parallel_size");
  CHECK(d["related"][0]["line"] == 4);
  const Json& fix = d["fixes"][0];
  CHECK(fix["set"]["optimizer.optimizer_offload_fraction"] == 0.5);
  CHECK(fix["set"]["model.cpu_offloading"] == false);
  CHECK(fix["unset"] == Json::array());
  CHECK(fix["env"] == Json::object());
  CHECK(fix["safety"] == "execution");
  CHECK(fix["verified"] == true);
  CHECK(fix["evidence"] == Json({"qwen3-30b-a3b-optimizer-offload"}));
  CHECK(d["fixes"][1]["unset"] == Json({"model.virtual_pipeline_model_parallel_size"}));
  CHECK(doc["files"][1]["verdict"] == "unreadable");
  CHECK(doc["files"][1]["message"] == "mapping values are not allowed here");
  CHECK(doc["files"][1]["location"]["column"] == 7);
}

TEST_CASE("an environment fix holds null for a variable to unset") {
  FileReport file = sample_report();
  rules::Fix fix;
  fix.env = {{"A", "1"}, {"B", std::nullopt}};
  file.diagnostics[0].fixes = {fix};
  const Json doc = Json::parse(report::json({file}, "0"));
  CHECK(doc["files"][0]["diagnostics"][0]["fixes"][0]["env"] == Json({{"A", "1"}, {"B", nullptr}}));
}

TEST_CASE("what is not in the file has no location") {
  FileReport file = sample_report();
  file.diagnostics[0].primary->source = "--set";
  file.diagnostics[0].related[0].source = "--set";
  const Json d = Json::parse(report::json({file}, "0"))["files"][0]["diagnostics"][0];
  CHECK(!d.contains("location"));
  CHECK(d["source"] == "--set");
  CHECK(d["related"][0] == Json({{"field", "model.pipeline_model_parallel_size"}, {"source", "--set"}}));
}

TEST_CASE("any bytes give valid JSON") {
  FileReport file = sample_report();
  file.path = "bad\xff\xfename";
  file.diagnostics[0].message = "nul \0 escape \033 quote \" \xc3";
  const std::string out = report::json({file}, "0");
  const Json doc = Json::parse(out);
  CHECK(doc["files"][0]["path"] == "bad\xEF\xBF\xBD\xEF\xBF\xBDname");
}

TEST_CASE("values") {
  const double inf = std::numeric_limits<double>::infinity();
  CHECK(to_json(source::Value()) == Json());
  CHECK(to_json(source::Value(true)) == Json(true));
  CHECK(to_json(source::Value(12)) == Json(12));
  CHECK(to_json(source::Value(0.5)) == Json(0.5));
  CHECK(to_json(source::Value("x")) == Json("x"));
  CHECK(to_json(source::Value(source::List{1, "a", source::List{}})) == Json({1, "a", Json::array()}));
  CHECK(to_json(source::Value(source::Opaque{})) == Json::object());
  CHECK(to_json(source::Value::unknown()) == Json());
  CHECK(to_json(source::Value(inf)) == Json("inf"));
  CHECK(to_json(source::Value(-inf)) == Json("-inf"));
  CHECK(to_json(source::Value(std::numeric_limits<double>::quiet_NaN())) == Json("nan"));
}
