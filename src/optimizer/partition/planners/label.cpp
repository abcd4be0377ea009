#include <set>

#include <fmt/ranges.h>

#include "base/error.h"
#include "optimizer/partition/planner.h"
#include "optimizer/partition/search/baselines.h"

namespace tessera::optimizer::partition::planner_label {

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

void check_names(const Problem& problem, const std::vector<std::string>& names) {
  std::set<std::string> known;
  for (const StatementModel& statement : problem.model.statements) {
    known.insert(statement.names.begin(), statement.names.end());
  }
  for (const std::string& name : names) {
    TESSERA_USER_CHECK(known.count(name) == 1,
                       "planner label:{}: no statement has a label {}; there are {}", name, name,
                       fmt::join(known, ", "));
  }
}

}  // namespace

/// Cuts that people make by hand: Megatron cuts heads and hidden units (label:h,f), "sequence"
/// positions (label:s,t), "attention" heads alone (label:h). Source: EinDecomp §9.2.
void register_planner(PlannerRegistry& registry) {
  registry.add({"label", "Labels by name in as many pieces as possible, the first name first",
                "NAME,...", [](const Problem& problem, const std::string& argument) {
                  const std::vector<std::string> names = split_at_commas(argument);
                  check_names(problem, names);
                  Assignment assignment = cut_along(problem, names);
                  const double cost = cost_of(problem.choice, assignment);
                  return Solution{std::move(assignment), cost, std::nullopt};
                }});
}

}  // namespace tessera::optimizer::partition::planner_label
