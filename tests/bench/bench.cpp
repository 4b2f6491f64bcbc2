// Time inside the process of each stage on a real 860-line recipe: median of many runs, and each stage as a
// ratio to reading the YAML, which the parsing library bounds.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <vector>

#include "headroom/cost/step_time.hpp"
#include "headroom/dialect/bridge.hpp"
#include "headroom/lint/lint.hpp"
#include "headroom/memory/ledger.hpp"
#include "plan_bench.hpp"

using namespace headroom;

namespace {

template <class F>
double median_us(int runs, F&& f) {
  std::vector<double> times;
  for (int i = 0; i < runs; ++i) {
    auto start = std::chrono::steady_clock::now();
    f();
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
  }
  std::ranges::nth_element(times, times.begin() + runs / 2);
  return times[static_cast<std::size_t>(runs) / 2];
}

}  // namespace

int main() {
  const std::string path = HEADROOM_SOURCE_DIR "/tests/data/recipes/llama3_70b_sft_32gpu_h100_fp8cs.yaml";
  auto text = source::read_file(path);
  if (!text) {
    fmt::print(stderr, "{}\n", text.error().message);
    return 2;
  }
  constexpr int runs = 200;
  const schema::Schema& schema = schema::embedded_schema();
  auto doc = source::read_yaml(*text, source::Loader::py_yaml);
  if (!doc) return 2;
  auto shared = std::make_shared<const source::Document>(*doc);
  resolve::LaunchContext launch;
  launch.release = schema::newest_release;
  launch.gpus = 32;
  launch.gpu = schema.find_gpu("h100");
  auto settings = dialect::read_bridge(shared, schema, launch.release);
  auto config = resolve::resolve(settings, launch, schema, rules::embedded_resolve());
  const rules::RulePack* packs[] = {&rules::embedded_rules()};
  lint::Job job;
  job.text = *text;
  job.command_line.gpus = 32;
  job.command_line.gpu = "h100";
  job.command_line.bridge = "main";

  double read = median_us(runs, [&] { (void)source::read_yaml(*text, source::Loader::py_yaml); });
  auto row = [&](std::string_view name, double us) {
    fmt::print("{:<28}{:>10.0f} us   {:>5.2f} x read\n", name, us, us / read);
  };
  row("read YAML", read);
  row("map to settings",
      median_us(runs, [&] { (void)dialect::read_bridge(shared, schema, launch.release); }));
  row("resolve",
      median_us(runs, [&] { (void)resolve::resolve(settings, launch, schema, rules::embedded_resolve()); }));
  row("all rules", median_us(runs, [&] { (void)rules::evaluate(config, settings, packs, {}); }));
  row("lint, fixes verified", median_us(runs, [&] { (void)lint::lint(job); }));
  if (auto shape = memory::read_shape(config)) {
    row("model shape", median_us(runs, [&] { (void)memory::read_shape(config); }));
    constexpr int loop = 1000;
    const double all = median_us(20, [&] {
      for (int i = 0; i < loop; ++i) (void)memory::peaks(shape->shape);
    });
    fmt::print("{:<28}{:>10.2f} us   all {} stages, in a loop\n", "memory peaks", all / loop,
               memory::peaks(shape->shape).stages.size());
    const cost::Job machine = cost::read_job(config);
    const cost::LayerTimes layers = cost::layer_times(shape->shape, machine);
    double seconds = 0;  // read below, so that the loops stay
    const double whole = median_us(20, [&] {
      for (int i = 0; i < loop; ++i) seconds += cost::step_time(shape->shape, machine).total;
    });
    const double stages = median_us(20, [&] {
      for (int i = 0; i < loop; ++i) seconds += cost::step_time(shape->shape, machine, layers).total;
    });
    fmt::print("{:<28}{:>10.2f} us   {:.2f} us where the layers are known{}\n", "step time", whole / loop,
               stages / loop, seconds > 0 ? "" : "?");
  }
  bench::plan_rows();
  fmt::print("{} rules, {} fields, {} start-up steps\n", packs[0]->rules.size(), schema.size(),
             rules::embedded_resolve().steps.size());
  return 0;
}
