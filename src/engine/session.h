#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/diagnostic.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "frontend/einsum/einsum.h"
#include "io/format.h"
#include "ir/einsum/graph.h"
#include "ir/ia/graph.h"
#include "ir/tra/graph.h"
#include "kernels/registry.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/partition/partition.h"
#include "plan/task_graph.h"
#include "runtime/executor.h"
#include "store/tile_io.h"

namespace tessera::engine {

/// What a user may choose about planning and running; the defaults suit one machine.
struct Settings {
  std::map<std::string, int64_t>
      tile;  // piece length by label; a label that is not named is not cut
  std::optional<std::string> planner;  // that cuts where `tile` does not; "auto"
  std::optional<int64_t> pieces;       // kernel calls of every statement; without it chosen
  int64_t num_sites = 1;
  std::set<std::string> rules_off;      // optimizer rules and passes by name
  std::optional<std::string> kernel;    // only this kernel runs compute tasks ("reference")
  bool reproducible = false;            // the same bits however tensors are cut
  bool keep_steps = false;              // record what every optimizer rule did
  std::optional<int32_t> workers;       // threads that compute; without it all that the machine has
  std::optional<int64_t> memory_bytes;  // the budget of a run; without it 80 % of the machine's
  std::optional<std::string> spill_directory;  // without it $TMPDIR or /var/tmp
};

/// numpy's einsum over operands that are named for messages.
struct Equation {
  std::string text;
  std::vector<std::string> operands;
  frontend::EquationOptions options;
};

/// A program in the language of `.ein` files.
struct Program {
  SourceText source;
};

/// The text of a stage (`tra`, `ia`, `tasks`, `einsum`), as printed by explain: planning goes on
/// from there.
struct StageText {
  SourceText source;
};

using Source = std::variant<Equation, Program, StageText>;

/// The values of every stage, for EXPLAIN and for the run. A plan that starts from a stage's text
/// has none before it.
struct Stages {
  std::optional<einsum::Graph> bound;
  std::optional<einsum::Graph> optimized;
  std::optional<optimizer::GraphPartition> partition;  // how `optimized` is cut, and why
  std::optional<tra::Graph> relations;
  std::optional<ia::Graph> placed;
  std::optional<plan::TaskGraph> tasks;  // none where the plan is for more than one site
  optimizer::OptimizeReport optimization;
  double planning_seconds = 0;
};

/// How a caller follows a run and ends it (runtime/executor.h).
struct RunControl {
  const std::atomic<bool>* cancelled = nullptr;
  runtime::RunListener* listener = nullptr;
};

/// Everything a session knows: functions, aggregates, rules, kernels and formats, and how to plan
/// and run with them.
///
/// Threads: plan() is const and may be called from any number; run() one at a time.
class Session {
 public:
  explicit Session(Settings settings = {});

  const Settings& settings() const { return settings_; }
  const io::FormatRegistry& formats() const { return formats_; }
  const expr::FunctionRegistry& functions() const { return functions_; }
  const expr::AggregateRegistry& aggregates() const { return aggregates_; }
  const kernels::Registry& kernels() const { return kernels_; }
  const optimizer::RuleRegistry& rules() const { return rules_; }
  const optimizer::PlannerRegistry& planners() const { return planners_; }

  /// Plans a program from its text to its tasks, for data of the given types. An equation's
  /// operands are bound by their names. Errors: up to ten findings about the text at once, as one
  /// Error.
  Stages plan(const Source& source, const frontend::Bindings& bindings) const;

  /// The bytes that a run may use: the settings', or a share of the machine's.
  int64_t memory_budget() const;

  /// The threads that compute: the settings', or as many as the machine has.
  int32_t num_workers() const;

  /// Runs a plan. REQUIRES one source for each of plan::sources_of and one sink for each result, of
  /// the plan's types; committing the sinks is the caller's. Errors: those of the run,
  /// `interrupted` among them; `resource`, before anything runs, if the budget is too small.
  runtime::RunReport run(const Stages& stages,
                         std::map<std::string, const store::TileSource*> sources,
                         std::map<std::string, store::TileSink*> sinks,
                         const RunControl& control = {}) const;

 private:
  Settings settings_;
  expr::FunctionRegistry functions_;
  expr::AggregateRegistry aggregates_;
  optimizer::RuleRegistry rules_;
  optimizer::PlannerRegistry planners_;
  kernels::Registry kernels_;
  io::FormatRegistry formats_;
};

}  // namespace tessera::engine
