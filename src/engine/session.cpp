#include "engine/session.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "engine/execution/left_results.h"
#include "engine/forecast/duration.h"
#include "engine/forecast/memory_forecast.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/pipeline.h"
#include "engine/planning/program_size.h"
#include "engine/processes/agreement.h"
#include "engine/processes/site_listener.h"
#include "engine/processes/whole_report.h"
#include "engine/promise/promised_plan.h"
#include "net/messages.h"
#include "plan/memory.h"
#include "plan/paging.h"
#include "plan/rows.h"
#include "plan/site_tasks.h"
#include "store/spill_file.h"

namespace tessera::engine {

namespace {

/// True if everything that a plan holds at once, one task at a time, fits a budget.
bool pages_nothing(const plan::TaskGraph& tasks, const Budget& budget) {
  return std::all_of(tasks.spaces.begin(), tasks.spaces.end(), [&](const plan::SpaceInfo& space) {
    return space.proof.peak.at_most <= budget.bytes;
  });
}

/// True if a run of one task at a time, whose first space may hold `left` and the others `each`,
/// spills tiles.
bool spills(const plan::TaskGraph& tasks, const Budget& left, const Budget& each) {
  std::vector<int64_t> budgets(tasks.spaces.size(), each.bytes);
  budgets.front() = left.bytes;
  return !pages_nothing(tasks, left) &&
         plan::forecast_paging(tasks, plan::Budgets(budgets)).spilled_bytes > 0;
}

/// Refuses an unusable spill directory before the run, not at its first spill.
void check_spill_directory(const std::string& directory) {
  const store::SpillFile made_and_gone(directory);
}

/// Returns the executor for a plan: the serial one if others would not help, nothing is paged and
/// nobody else waits.
std::unique_ptr<runtime::Executor> executor_for(const plan::TaskGraph& tasks, const Budget& budget,
                                                const Setup& setup) {
  double seconds = 0;
  for (const plan::TaskInfo& task : tasks.tasks) {
    seconds += task.seconds;
  }
  if (pages_nothing(tasks, budget) && setup.link() == nullptr &&
      (budget.workers == 1 || seconds < setup.machine().granularity.least_parallel_seconds)) {
    return runtime::make_serial_executor();
  }
  return runtime::make_threads_executor(
      {static_cast<int32_t>(budget.workers),
       setup.settings().spill_directory.value_or(temporary_directory())});
}

/// Checks that a run copied, or sent and received, between spaces what its plan says.
void check_moved(const plan::TaskGraph& tasks, const runtime::RunReport& report) {
  for (size_t number = 0; number < tasks.tasks.size(); ++number) {
    const plan::TaskInfo& task = tasks.tasks[number];
    const bool is_move = task.kind == plan::TaskKind::move || plan::is_half_of_move(task);
    const auto moved = static_cast<double>(report.tasks[number].moved_bytes);
    TESSERA_CHECK(moved == (is_move ? task.bytes : 0), "task %{} moved {} bytes, its plan says {}",
                  number, moved, task.bytes);
  }
}

/// Runs tasks whose spaces are memory of this process: the first may hold `left`, the others
/// `each`.
runtime::RunReport run_here(const plan::TaskGraph& tasks, const Budget& left, const Budget& each,
                            const Setup& setup, PagesOfSpaces& pages, runtime::RunContext context) {
  std::vector<std::unique_ptr<store::TileStore>> stores;
  const int32_t process = setup.link() == nullptr ? 0 : setup.link()->process();
  for (const plan::SpaceInfo& space : tasks.spaces) {
    const int64_t bytes = stores.empty() ? left.bytes : each.bytes;
    const bool is_reached = space.process == process && space.kind == MemoryKind::host;
    store::PagePool& pool =
        pages.try_emplace(stores.size(), store::TileStore::kMostKeptBytes).first->second;
    stores.push_back(is_reached ? std::make_unique<store::TileStore>(bytes, pool) : nullptr);
    context.stores.push_back(stores.back().get());
  }
  runtime::RunReport report = executor_for(tasks, left, setup)->run(tasks, context);
  check_moved(tasks, report);
  return report;
}

/// Runs this process's part of tasks, each of whose spaces is memory of another process. Returns
/// the report of all on the first one.
runtime::RunReport run_with_others(const plan::TaskGraph& tasks, const Budget& left,
                                   const Setup& setup, PagesOfSpaces& pages,
                                   runtime::RunContext context) {
  net::Link& link = *setup.link();
  check_same(link, facts_of(tasks, context.sources));
  const plan::SiteTasks site = plan::tasks_of_site(tasks, plan::SiteId(link.process()));
  std::optional<SiteListener> listener;
  if (context.listener != nullptr) {
    context.listener = &listener.emplace(site, *context.listener);
  }
  net::barrier(link);  // so that nobody's clock counts what others did before
  const runtime::RunReport own = run_here(site.graph, left, left, setup, pages, context);
  return whole_report(link, tasks, site, own);
}

/// Returns the number in a source of one i64.
int64_t number_in(const store::TileSource& source) {
  int64_t number = 0;
  source.read(dense_view(reinterpret_cast<std::byte*>(&number), DType::i64, {}));
  return number;
}

kernels::Registry every_kernel() {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  return all;
}

void check_bound(const ArrayType* type, const std::string& name, const ArrayType& expected) {
  if (type == nullptr) {
    throw Error(ErrorKind::user,
                fmt::format("no data were given for the input {}, a {}", name, to_string(expected)))
        .suggest({Setting::input, name});
  }
  TESSERA_USER_CHECK(*type == expected, "the plan is for {} = {}, but its data are {}", name,
                     to_string(expected), to_string(*type));
}

}  // namespace

Session::Session(Settings settings) : Session(std::move(settings), this_machine()) {}

Session::Session(Settings settings, Machine machine)
    : Session(std::move(settings), every_kernel(), std::move(machine)) {}

Session::Session(Settings settings, Machine machine, net::Link& link)
    : setup_(std::move(settings), every_kernel(), std::move(machine), &link) {}

Session::Session(Settings settings, const kernels::Registry& kernels, Machine machine)
    : setup_(std::move(settings), kernels, std::move(machine)) {}

Stages Session::plan(const Source& source, const frontend::Bindings& bindings) const {
  return promised_plan(source, bindings, setup_).first;
}

runtime::RunReport Session::run(const Plan& plan, const Sources& sources, Sinks sinks,
                                const RunControl& control) const {
  PagesOfSpaces pages;
  runtime::RunReport report = run(plan, held_by(plan), sources, std::move(sinks), control, pages);
  setup_.generator().has_run(1);
  return report;
}

runtime::RunReport Session::run(const Plan& plan, const plan::Held& held, const Sources& sources,
                                Sinks sinks, const RunControl& control,
                                PagesOfSpaces& pages) const {
  plan::refuse_rows(plan.tasks);
  for (const auto& [name, type] : plan.tasks.sources) {
    const auto source = sources.find(name);
    const std::optional<ArrayType> actual =
        source == sources.end() ? std::nullopt : std::optional(source->second->type());
    check_bound(actual ? &*actual : nullptr, name, type);
  }
  const Budget each = setup_.budget_of_each(plan.tasks.spaces.size());
  plan::check_budget(plan.tasks, each.bytes, held);
  if (const std::optional<std::string> reason = never_ends(plan.tasks)) {
    throw_error(ErrorKind::resource, "{}", *reason);
  }
  // Plan and program take a part of the budget of a process's first space.
  const Budget left = left_by(plan.tasks, held.bytes, each);
  if (settings().spill_directory || spills(plan.tasks, left, each)) {
    check_spill_directory(settings().spill_directory.value_or(temporary_directory()));
  }
  runtime::RunContext context{{},
                              setup_.context(),
                              sources,
                              std::move(sinks),
                              control.cancelled,
                              control.listener,
                              setup_.link()};
  runtime::RunReport report = setup_.link() == nullptr
                                  ? run_here(plan.tasks, left, each, setup_, pages, context)
                                  : run_with_others(plan.tasks, left, setup_, pages, context);
  for (const auto& [name, source] : sources) {
    source->check_unchanged();
  }
  return report;
}

void Session::execute(Rounds& rounds) const {
  LeftResults left(setup_);
  while (std::optional<Round> round = rounds.next(left.sources())) {
    for (const std::string& name : round->reads) {
      round->sources[name] = left.at(name);
      round->bindings.inputs[name] = left.at(name)->type();
    }
    PromisedPlan promised = promised_plan(round->source, round->bindings, setup_);
    if (promised.unbounded && settings().memory_bytes) {
      rounds.noted(
          fmt::format("how many {} there are only a run can tell: what follows is planned "
                      "then, and may need more memory than what is planned so far",
                      *promised.unbounded));
    }
    Stages stages = std::move(promised.first);
    LeftResults left_by_parts(setup_);  // for the rest of the round
    while (stages.goes_on()) {
      run_part(stages, *round, left_by_parts, rounds);
      if (promised.unbounded) {  // the number counted next may bound the rest
        promised = promised_plan(round->source, round->bindings, setup_);
        stages = std::move(promised.first);
      } else {
        stages = plan_stages(round->source, round->bindings, setup_);
      }
    }
    if (stages.frames() != nullptr) {
      check_fits(stages, setup_);  // all of them, before the first runs
    }
    rounds.planned(stages);
    const Sinks leaving = left.open(round->leaves, stages.results());
    run_planned(stages, *round, leaving, rounds);
    left.commit();
    rounds.done(stages);
  }
}

void Session::run_planned(Stages& stages, Round& round, const Sinks& leaving,
                          Rounds& rounds) const {
  if (settings().checkpoint_directory) {
    run_parts(stages, round, leaving, rounds);
  } else {
    if (!rounds.reads_stages()) {
      stages.drop_before_tasks();
    }
    run_frames(stages, round, leaving, rounds);
  }
}

void Session::run_part(Stages& stages, Round& round, LeftResults& left, Rounds& rounds) const {
  const std::optional<frontend::Count> count = stages.waits_for;
  if (stages.frames() != nullptr) {
    check_fits(stages, setup_);
  }
  std::vector<std::string> leaves;
  for (const plan::SinkInfo& result : stages.results()) {
    leaves.push_back(result.name);
  }
  const Sinks leaving = left.open(leaves, stages.results());
  run_planned(stages, round, leaving, rounds);
  left.commit();
  for (const std::string& name : leaves) {
    const store::TileSource* const source = left.at(name);
    if (count && name == count->name) {
      round.bindings.counts[name] = number_in(*source);
    } else {
      round.bindings.left[name] = source->type();
      round.sources[name] = source;
    }
  }
}

void Session::run_frames(const Stages& stages, const Round& round, const Sinks& leaving,
                         Rounds& rounds) const {
  LeftResults between_frames(setup_);
  for_each_frame(stages, setup_, [&](const FramePlan& part) {
    run_frame(part, held_by(stages), round, leaving, between_frames, rounds);
  });
}

void Session::run_parts(Stages& whole, Round& round, const Sinks& leaving, Rounds& rounds) const {
  CheckpointedRun run(whole, round, setup_);
  round.identities.merge(run.identities_of_results());
  for (const std::string& note : run.notes()) {
    rounds.noted(note);
  }
  if (run.is_whole()) {
    run_frames(whole, round, leaving, rounds);
    return;
  }
  whole.drop_tasks();  // only one plan is held at a time
  check_parts(run);
  for (const ProgramPart& part : run.parts()) {
    const Sources kept = run.files().read(part);
    Round of_part = round;
    of_part.sources.insert(kept.begin(), kept.end());
    const Stages stages = plan_graph(run.graph_of_part(part), setup_);
    Sinks sinks = run.files().open(part);
    sinks.insert(leaving.begin(), leaving.end());
    run_frames(stages, of_part, sinks, rounds);
    run.files().commit();
  }
}

void Session::check_parts(const CheckpointedRun& run) const {
  std::optional<plan::BudgetError> most;
  for (const ProgramPart& part : run.parts()) {
    try {
      check_fits(plan_graph(run.graph_of_part(part), setup_), setup_);
    } catch (const plan::BudgetError& refused) {
      const int64_t smallest = refused.shortage().smallest_budget;
      most = most && most->shortage().smallest_budget >= smallest ? most : refused;
    }
  }
  if (most) {
    throw plan::BudgetError(*most);
  }
}

void Session::run_frame(const FramePlan& part, const plan::Held& held, const Round& round,
                        const Sinks& leaving, LeftResults& between_frames, Rounds& rounds) const {
  Sources sources = round.sources;
  Sinks left;
  if (part.frame != nullptr) {
    for (const std::string& name : part.frame->reads) {
      sources[name] = between_frames.at(name);
    }
    left = between_frames.open(part.frame->leaves, part.plan.tasks.sinks);
  }
  std::vector<runtime::RunReport> reports;
  PagesOfSpaces pages;
  for (int64_t number = 0; number < round.num_runs; ++number) {
    Outlets outlets = rounds.outlets(part.plan);
    outlets.sinks.insert(leaving.begin(), leaving.end());
    outlets.sinks.insert(left.begin(), left.end());
    reports.push_back(
        run(part.plan, held, sources, std::move(outlets.sinks), outlets.control, pages));
  }
  if (part.frame != nullptr) {
    between_frames.commit();
    between_frames.keep_only(part.read_later);
  }
  setup_.generator().has_run(round.num_runs);
  rounds.ran(part.plan, std::move(reports));
}

}  // namespace tessera::engine
