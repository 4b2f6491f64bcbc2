// `${a.b}` in a Document, as OmegaConf resolves it.
#pragma once
#include "headroom/source/document.hpp"

namespace headroom::source {

/// Replaces the values of scalars that hold `${…}`; what cannot be resolved becomes unknown, with a Remark.
/// Fails where repeated mappings pass the limits.
[[nodiscard]] Result<void> resolve_interpolations(Document& doc, const Limits& limits);

}  // namespace headroom::source
