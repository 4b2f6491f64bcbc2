// A text as a planning request.
#pragma once
#include <memory>
#include <string>

#include "../lint/support.hpp"
#include "headroom/plan/plan.hpp"

namespace headroom::test {

/// Keeps what a request points to.
struct PlanInput {
  lint::Outcome outcome;
  std::vector<const rules::RulePack*> packs{&rules::embedded_rules()};
  rules::Selection everything;
  plan::Request request;

  explicit PlanInput(lint::Outcome o) : outcome(std::move(o)) {
    request.bench = {&outcome.settings,
                     &outcome.config.launch,
                     outcome.config.schema,
                     &rules::embedded_resolve(),
                     packs,
                     &everything,
                     &outcome.config,
                     {}};
    request.choices = &rules::embedded_choices();
  }
  PlanInput(const PlanInput&) = delete;
  PlanInput& operator=(const PlanInput&) = delete;
};

}  // namespace headroom::test
