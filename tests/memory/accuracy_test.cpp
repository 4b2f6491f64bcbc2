#include <catch2/catch.hpp>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "measured.hpp"

using headroom::test::measured_points;
using headroom::test::Point;

TEST_CASE("predicted and measured memory agree") {
  double peak = 0, fixed = 0;
  std::size_t all = 0, near = 0, low = 0;
  for (const Point& p : measured_points()) {
    if (p.published()) continue;
    INFO(p.id << " stage " << p.stage << ": peak " << p.peak_error() << ", static " << p.static_error());
    CHECK(std::abs(p.peak_error()) < 0.15);
    CHECK(std::abs(p.static_error()) < 0.15);
    near += std::abs(p.peak_error()) < 0.05 && std::abs(p.static_error()) < 0.03 ? 1 : 0;
    low += p.peak_error() < -0.05 ? 1 : 0;
    peak += std::abs(p.peak_error());
    fixed += std::abs(p.static_error());
    ++all;
  }
  REQUIRE(all > 120);
  const auto count = static_cast<double>(all);
  CHECK(peak / count < 0.02);
  CHECK(fixed / count < 0.01);
  CHECK(static_cast<double>(near) > 0.85 * count);
  CHECK(static_cast<double>(low) <= 0.05 * count);
}

TEST_CASE("published peaks of runs that are known in outline only") {
  double peak = 0;
  std::size_t all = 0;
  for (const Point& p : measured_points()) {
    if (!p.published()) continue;
    INFO(p.id << ": " << p.peak_error());
    CHECK(std::abs(p.peak_error()) < 0.4);
    peak += std::abs(p.peak_error());
    ++all;
  }
  REQUIRE(all > 15);
  CHECK(peak / static_cast<double>(all) < 0.2);
}

TEST_CASE("the band holds what was measured on the highest stage") {
  std::size_t inside = 0, all = 0;
  for (const Point& p : measured_points()) {
    if (p.published() || p.predicted.highest != static_cast<std::size_t>(p.stage)) continue;
    ++all;
    inside += p.predicted.low <= p.peak_measured && p.peak_measured <= p.predicted.high ? 1 : 0;
  }
  REQUIRE(all > 60);
  INFO(inside << " of " << all);
  CHECK(static_cast<double>(inside) >= 0.9 * static_cast<double>(all));
}

TEST_CASE("docs/accuracy.md is what the data say") {
  const std::string path = HEADROOM_SOURCE_DIR "/docs/accuracy.md";
  const std::string now = headroom::test::accuracy_page(measured_points());
  if (std::getenv("HEADROOM_UPDATE_GOLDENS") != nullptr) std::ofstream(path, std::ios::binary) << now;
  std::ifstream file(path, std::ios::binary);
  std::stringstream written;
  written << file.rdbuf();
  CHECK(written.str() == now);
}
