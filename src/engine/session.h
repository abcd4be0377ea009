#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engine/frames.h"
#include "engine/run_control.h"
#include "engine/settings.h"
#include "engine/source.h"
#include "engine/stages.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "frontend/einsum/einsum.h"
#include "io/format.h"
#include "kernels/context.h"
#include "kernels/registry.h"
#include "machine/machine.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/partition.h"
#include "optimizer/passes.h"
#include "runtime/executor.h"
#include "store/tile_io.h"

namespace tessera::engine {

/// Everything a session knows: functions, aggregates, rules, kernels and formats, and how to plan
/// and run with them.
///
/// Threads: plan() is const and may be called from any number; run() one at a time.
class Session {
 public:
  /// With every registered kernel, on this machine.
  explicit Session(Settings settings = {});
  /// With these kernels only, for a machine.
  Session(Settings settings, const kernels::Registry& kernels, Machine machine);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Settings& settings() const { return settings_; }
  const io::FormatRegistry& formats() const { return formats_; }
  const expr::FunctionRegistry& functions() const { return functions_; }
  const expr::AggregateRegistry& aggregates() const { return aggregates_; }
  const kernels::Registry& kernels() const { return kernels_; }
  const Machine& machine() const { return machine_; }
  const optimizer::RuleRegistry& rules() const { return rules_; }
  const optimizer::RelationRuleRegistry& relation_rules() const { return relation_rules_; }
  const optimizer::PlacementRuleRegistry& placement_rules() const { return placement_rules_; }
  const optimizer::PassRegistry& passes() const { return passes_; }
  const optimizer::partition::PlannerRegistry& planners() const { return planners_; }

  /// What rules, kernels and cost models are given.
  const kernels::Context& context() const { return context_; }

  /// What rewrites graphs and can be left out by name (Settings::rules_off): the rules and passes
  /// of every stage, by stage.
  std::vector<std::string> names_of_rules() const;

  /// Plans a program from its text to its tasks, for data of the given types. An equation's
  /// operands are bound by their names. Errors: up to ten findings about the text at once, as one
  /// Error.
  Stages plan(const Source& source, const frontend::Bindings& bindings) const;

  /// The memory that a run may use and the threads that compute: the settings', or a share of the
  /// machine's memory and as many threads as it has.
  const Budget& budget() const { return budget_; }

  /// Runs a plan. REQUIRES one source for each of plan::sources_of and one sink for each result, of
  /// the plan's types; committing the sinks is the caller's. Errors: those of the run,
  /// `interrupted` among them; `user` where a source was written meanwhile; `resource`, before
  /// anything runs, if the budget is too small.
  runtime::RunReport run(const Plan& plan, std::map<std::string, const store::TileSource*> sources,
                         std::map<std::string, store::TileSink*> sinks,
                         const RunControl& control = {}) const;

  /// Executes a program frame by frame: each is planned with what is known by then, refused if its
  /// budget is too small, and run. Errors: those of plan() and run(); what earlier frames wrote
  /// stays.
  void execute(Frames& frames) const;

 private:
  Settings settings_;
  Machine machine_;
  Budget budget_;
  expr::FunctionRegistry functions_;
  expr::AggregateRegistry aggregates_;
  optimizer::RuleRegistry rules_;
  optimizer::RelationRuleRegistry relation_rules_;
  optimizer::PlacementRuleRegistry placement_rules_;
  optimizer::PassRegistry passes_;
  optimizer::partition::PlannerRegistry planners_;
  kernels::Registry kernels_;
  io::FormatRegistry formats_;
  kernels::Context context_;  // of the members above
};

}  // namespace tessera::engine
