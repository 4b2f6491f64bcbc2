#include "read_tower.hpp"

#include <fmt/format.h>

#include <cstddef>

namespace headroom::memory {

void read_tower(const Fields& f, Shape& s, std::vector<std::string>& assumptions) {
  const auto& sizes = f.value("derived.vision_tower");
  if (!sizes.is_list() || sizes.as_list().size() != 8) return;
  const auto at = [&](std::size_t i) {
    const auto& v = sizes.as_list()[i];
    return v.is_number() ? v.as_double() : 0.0;
  };
  Tower& t = s.tower;
  t.layers = at(0);
  t.hidden = at(1);
  t.ffn = at(2);
  t.patch = at(3);
  t.merged = at(4);
  t.gated = at(5) > 0;
  t.projector = at(6);
  const auto& hugging_face = f.value("model.use_hf_vision_model");
  const bool whole = at(7) == 0 || hugging_face.truthy();
  t.shards = whole ? 1 : s.parallel.tp;
  t.frozen = f.flag("model.freeze_vision_model");
  const double layer = t.hidden * (4 * t.hidden + (t.gated ? 3 : 2) * t.ffn);
  assumptions.push_back(fmt::format(
      "a vision tower of about {:.0f} million parameters; what it keeps of the images is not counted",
      t.layers * layer / 1e6));
}

}  // namespace headroom::memory
