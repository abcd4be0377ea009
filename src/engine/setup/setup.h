#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engine/setup/planner_names.h"
#include "engine/setup/settings.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "io/format.h"
#include "kernels/context.h"
#include "kernels/generated/generator.h"
#include "kernels/registry.h"
#include "machine/machine.h"
#include "net/link.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/planner.h"
#include "optimizer/passes.h"
#include "placement/planner.h"

namespace tessera::engine {

/// The environment of a session's plans and runs: its settings, the machine and the budget that
/// follow from them, and every registry.
///
/// Threads: nothing that a plan depends on changes after construction, so any number may read it.
/// The generator keeps code, and the losses of runs without it: that decides how a run runs, not
/// its plan.
class Setup {
 public:
  /// Takes the kernels that the settings ask for; with a link, which outlives it, for the processes
  /// at its ends, each a site. Errors: `user` for settings with unknown names.
  Setup(Settings settings, const kernels::Registry& kernels, Machine machine,
        net::Link* link = nullptr);

  Setup(const Setup&) = delete;
  Setup& operator=(const Setup&) = delete;

  /// Returns the same setup with another memory budget.
  std::unique_ptr<Setup> with_memory(int64_t bytes) const;

  const Settings& settings() const { return settings_; }
  const Machine& machine() const { return machine_; }
  /// The memory that a run may use and its computing threads: the settings', or a share of the
  /// machine's memory and all of its threads.
  const Budget& budget() const { return budget_; }
  /// Returns the budget of each of `num_spaces` memory spaces: the settings' budget, or the share;
  /// an even part of that if all belong to one process.
  Budget budget_of_each(size_t num_spaces) const;

  /// Returns the link to the processes of the other sites; null if all sites belong to this one.
  net::Link* link() const { return link_; }

  const io::FormatRegistry& formats() const { return formats_; }
  const expr::FunctionRegistry& functions() const { return functions_; }
  const expr::AggregateRegistry& aggregates() const { return aggregates_; }
  const kernels::Registry& kernels() const { return kernels_; }
  /// The source of code for these kernels.
  const kernels::generated::Generator& generator() const { return generator_; }
  const optimizer::RuleRegistry& rules() const { return rules_; }
  const optimizer::RelationRuleRegistry& relation_rules() const { return relation_rules_; }
  const optimizer::PlacementRuleRegistry& placement_rules() const { return placement_rules_; }
  const optimizer::PassRegistry& passes() const { return passes_; }
  const optimizer::partition::PlannerRegistry& planners() const { return planners_; }
  const placement::PlannerRegistry& placement_planners() const { return placement_planners_; }
  /// Returns the planners of placements to try, the default first: the named one, or all that are
  /// no baselines; none on one site.
  std::vector<std::string> placements() const;
  /// The planners that the settings ask for.
  const PlannerNames& planner_names() const { return planner_names_; }

  /// The context of rules, kernels and cost models.
  const kernels::Context& context() const { return context_; }

  /// Returns the names that can be left out (Settings::rules_off): the rules and passes of every
  /// stage, by stage.
  std::vector<std::string> names_of_rules() const;

 private:
  Settings settings_;
  net::Link* link_;
  Machine machine_;
  Budget budget_;
  expr::FunctionRegistry functions_;
  expr::AggregateRegistry aggregates_;
  optimizer::RuleRegistry rules_;
  optimizer::RelationRuleRegistry relation_rules_;
  optimizer::PlacementRuleRegistry placement_rules_;
  optimizer::PassRegistry passes_;
  optimizer::partition::PlannerRegistry planners_;
  placement::PlannerRegistry placement_planners_;
  PlannerNames planner_names_;
  kernels::generated::Generator generator_;
  kernels::Registry kernels_;
  io::FormatRegistry formats_;
  kernels::Context context_;  // of the members above
};

}  // namespace tessera::engine
