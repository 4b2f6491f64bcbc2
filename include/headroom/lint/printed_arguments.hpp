// The settings that Megatron-LM prints at its start, as the launch line that would give them.
#pragma once
#include <map>
#include <string>

#include "headroom/schema/schema.hpp"

namespace headroom::lint {

/// `torchrun … pretrain_gpt.py --hidden-size 4096 …` from `hidden_size` -> `4096`; empty where the list does
/// not describe a model. What no flag says is left out.
[[nodiscard]] std::string launch_line(const std::map<std::string, std::string>& arguments,
                                      const schema::Schema& schema);

}  // namespace headroom::lint
