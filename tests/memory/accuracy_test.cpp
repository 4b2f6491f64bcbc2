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
  const auto points = measured_points();
  for (const Point& p : points) {
    INFO(p.id << " stage " << p.stage << ": peak " << p.peak_error() << ", static " << p.static_error());
    CHECK(std::abs(p.peak_error()) < 0.06);
    CHECK(std::abs(p.static_error()) < 0.03);
    peak += std::abs(p.peak_error());
    fixed += std::abs(p.static_error());
  }
  CHECK(peak / static_cast<double>(points.size()) < 0.015);
  CHECK(fixed / static_cast<double>(points.size()) < 0.01);
}

TEST_CASE("the band holds what was measured on the highest stage") {
  std::size_t inside = 0, all = 0;
  for (const Point& p : measured_points()) {
    if (p.predicted.highest != static_cast<std::size_t>(p.stage)) continue;
    ++all;
    inside += p.predicted.low <= p.peak_measured && p.peak_measured <= p.predicted.high ? 1 : 0;
  }
  REQUIRE(all > 30);
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
