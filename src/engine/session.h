#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/budget.h"
#include "engine/checkpoints/checkpointed_run.h"
#include "engine/execution/left_results.h"
#include "engine/execution/rounds.h"
#include "engine/execution/run_control.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/source.h"
#include "engine/planning/stages.h"
#include "engine/setup/setup.h"
#include "expr/aggregate.h"
#include "expr/function.h"
#include "frontend/einsum/einsum.h"
#include "io/format.h"
#include "kernels/context.h"
#include "kernels/registry.h"
#include "machine/machine.h"
#include "plan/memory.h"
#include "runtime/executor.h"
#include "store/page_pool.h"
#include "store/tile_io.h"

namespace tessera::engine {

/// The pages that one run of a plan returned last, for the next run, by their space.
using PagesOfSpaces = std::map<size_t, store::PagePool>;

/// A session: functions, aggregates, rules, kernels and formats, and the settings to plan and run
/// with them.
///
/// Threads: plan() is const and may be called from any number; run() one at a time.
class Session {
 public:
  /// Makes a session with every registered kernel, on this machine.
  explicit Session(Settings settings = {});
  /// Makes a session with every registered kernel, for a machine that need not be this one.
  Session(Settings settings, Machine machine);
  /// Makes a session of one process of several, which do the same with the same settings, each as
  /// one site: all plan for one machine (processes/common_machine.h), and a run is that of all.
  /// This process reads, computes and writes its part. The link outlives the session.
  Session(Settings settings, Machine machine, net::Link& link);
  /// Makes a session with these kernels only, for a machine.
  Session(Settings settings, const kernels::Registry& kernels, Machine machine);

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  /// The registries and the machine.
  const Setup& setup() const { return setup_; }

  const Settings& settings() const { return setup_.settings(); }
  const io::FormatRegistry& formats() const { return setup_.formats(); }
  const expr::FunctionRegistry& functions() const { return setup_.functions(); }
  const expr::AggregateRegistry& aggregates() const { return setup_.aggregates(); }
  const Machine& machine() const { return setup_.machine(); }
  const kernels::Context& context() const { return setup_.context(); }
  const Budget& budget() const { return setup_.budget(); }

  /// Plans a program from its text to its tasks, for data of the given types. An equation's
  /// operands are bound by their names. Later plans of the run fit the budget too, as far as that
  /// can be told (promise/promised_plan.h). Errors: up to ten findings about the text at once, as
  /// one Error; `resource` if a plan does not fit.
  Stages plan(const Source& source, const frontend::Bindings& bindings) const;

  /// Runs a plan. REQUIRES one source for each of the plan's and one sink for each result, of its
  /// types; the caller commits the sinks. Of several processes the first gets the report of all,
  /// the others get their own. Errors: those of the run, of the first process that failed,
  /// `interrupted` among them; `user` if a source was written meanwhile; `resource`, before
  /// anything runs, if the budget is too small.
  runtime::RunReport run(const Plan& plan, const Sources& sources, Sinks sinks,
                         const RunControl& control = {}) const;

  /// Executes a program round by round: each is planned with the facts known by then, refused if
  /// its budget is too small, and run, frame by frame if its plan has frames. If the settings name
  /// a directory for checkpoints it is run part by part, each planned as a program of its own, and
  /// goes on from the checkpoints there (checkpoints/checkpointed_run.h). Errors: those of plan()
  /// and run(); results of earlier rounds stay.
  void execute(Rounds& rounds) const;

 private:
  /// Runs a plan while other holders take a part of the budget.
  runtime::RunReport run(const Plan& plan, const plan::Held& held, const Sources& sources,
                         Sinks sinks, const RunControl& control, PagesOfSpaces& pages) const;
  /// Runs a part of a round: the part that counts a number the rest waits for, or that computes the
  /// tensors the rest gathers from. The round is then planned with the part's results, and the
  /// number.
  void run_part(Stages& stages, Round& round, LeftResults& left, Rounds& rounds) const;
  /// Runs a planned round, part by part if the settings ask for checkpoints.
  void run_planned(Stages& stages, Round& round, const Sinks& leaving, Rounds& rounds) const;
  /// Runs a planned round, all of it at once or frame by frame.
  void run_frames(const Stages& stages, const Round& round, const Sinks& leaving,
                  Rounds& rounds) const;
  /// Runs a round part by part, from its checkpoints on. The round then knows how its results were
  /// made.
  void run_parts(Stages& whole, Round& round, const Sinks& leaving, Rounds& rounds) const;
  /// Refuses parts that do not fit the budget, before the first runs. The parts of a resumed run
  /// need not be those of a run from the start.
  void check_parts(const CheckpointedRun& run) const;
  void run_frame(const FramePlan& part, const plan::Held& held, const Round& round,
                 const Sinks& leaving, LeftResults& between_frames, Rounds& rounds) const;

  Setup setup_;
};

}  // namespace tessera::engine
