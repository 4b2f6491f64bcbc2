#pragma once
#include <fstream>
#include <iterator>
#include <string>

#include "headroom/snapshot/read.hpp"

namespace headroom::snapshot::test {

inline std::string file(const std::string& name) {
  std::ifstream in(std::string(HEADROOM_SOURCE_DIR "/tests/data/snapshots/") + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace headroom::snapshot::test
