#include "optimizer/partition/baselines.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer {

namespace {

std::vector<std::string> split_at_commas(const std::string& text) {
  std::vector<std::string> names(1);
  for (const char character : text) {
    if (character == ',') {
      names.emplace_back();
    } else {
      names.back() += character;
    }
  }
  return names;
}

}  // namespace

/// What people cut by hand: Megatron is the heads and the hidden units (label:h,f), "sequence" the
/// positions (label:s,t), "attention" the heads alone (label:h). Source: EinDecomp §9.2.
void register_planner_label(PlannerRegistry& registry) {
  registry.add({"label", "Labels by name in as many pieces as possible, the first name first",
                "NAME,...", [](const partition::Problem& problem, const std::string& argument) {
                  partition::Assignment assignment =
                      partition::cut_along(problem, split_at_commas(argument));
                  const double cost = partition::cost_of(problem, assignment);
                  return partition::Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer
