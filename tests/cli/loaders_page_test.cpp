// docs/loaders.md says what the readers do.
#include <catch2/catch.hpp>

#include "headroom/source/document.hpp"
#include "program.hpp"

using headroom::source::Loader;
using headroom::source::Value;

namespace {

std::string kind_of(const Value& value) {
  if (value.is_double()) return "float";
  if (value.is_string()) return "string";
  return value.to_text();
}

std::vector<std::string> cells_of(const std::string& row) {
  std::vector<std::string> cells;
  for (std::size_t at = 1; at < row.size();) {
    const std::size_t end = std::min(row.find('|', at), row.size());
    std::string cell = row.substr(at, end - at);
    std::erase(cell, '`');
    cell.erase(0, cell.find_first_not_of(' '));
    cell.erase(cell.find_last_not_of(' ') + 1);
    cells.push_back(cell);
    at = end + 1;
  }
  return cells;
}

}  // namespace

TEST_CASE("the table of scalars") {
  const std::string page = headroom::cli::read(HEADROOM_SOURCE_DIR "/docs/loaders.md");
  std::size_t at = page.find("| --- |", page.find("## Scalars"));
  REQUIRE(at != std::string::npos);
  unsigned rows = 0;
  for (at = page.find('\n', at) + 1; page[at] == '|'; at = page.find('\n', at) + 1) {
    const auto cells = cells_of(page.substr(at, page.find('\n', at) - at));
    REQUIRE(cells.size() == 4);
    CAPTURE(cells[0]);
    CHECK(kind_of(headroom::source::resolve_scalar(cells[0], Loader::py_yaml)) == cells[1]);
    CHECK(kind_of(headroom::source::resolve_scalar(cells[0], Loader::omega_conf)) == cells[2]);
    CHECK(kind_of(headroom::source::resolve_scalar(cells[0], Loader::hydra)) == cells[3]);
    ++rows;
  }
  CHECK(rows > 10);
}
