// Text that another program hands over.
#pragma once
#include <memory>
#include <string>

#include "headroom/source/document.hpp"

namespace headroom::source {

/// Reads an open descriptor to its end, with the checks of read_file; it stays open.
[[nodiscard]] Result<std::shared_ptr<const SourceText>> read_descriptor(int descriptor,
                                                                        const std::string& name,
                                                                        const Limits& limits = {});

}  // namespace headroom::source
