#include "engine/session.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "engine/duration.h"
#include "engine/left_results.h"
#include "engine/pipeline.h"
#include "plan/interface.h"
#include "plan/memory.h"
#include "store/spill_file.h"

namespace tessera::engine {

namespace {

/// Share of the machine's memory that a run may use by default.
constexpr double kDefaultMemoryShare = 0.8;

/// Threads that compute; no machine has more, and each has a stack and waits for the others.
constexpr int32_t kMostWorkers = 1024;

/// Refuses a spill directory that takes no file before the run, not at its first spill.
void check_spill_directory(const Settings& settings) {
  if (settings.spill_directory) {
    const store::SpillFile made_and_gone(*settings.spill_directory);
  }
}

/// The executor for a plan: the serial one where others would not help and nothing is paged.
std::unique_ptr<runtime::Executor> executor_for(const plan::TaskGraph& tasks, const Budget& budget,
                                                const Session& session) {
  double seconds = 0;
  for (const plan::TaskInfo& task : tasks.tasks) {
    seconds += task.seconds;
  }
  const bool pages_nothing = std::all_of(
      tasks.spaces.begin(), tasks.spaces.end(),
      [&](const plan::SpaceInfo& space) { return space.proof.peak.at_most <= budget.bytes; });
  if (pages_nothing &&
      (budget.workers == 1 || seconds < session.machine().granularity.least_parallel_seconds)) {
    return runtime::make_serial_executor();
  }
  return runtime::make_threads_executor(
      {static_cast<int32_t>(budget.workers),
       session.settings().spill_directory.value_or(temporary_directory())});
}

Budget budget_of(const Settings& settings, const Machine& machine) {
  TESSERA_USER_CHECK(settings.workers.value_or(1) <= kMostWorkers,
                     "{} workers: a run has at most {} workers", *settings.workers, kMostWorkers);
  const double share = kDefaultMemoryShare * static_cast<double>(machine.memory.bytes);
  return {settings.memory_bytes.value_or(static_cast<int64_t>(share)),
          settings.workers.value_or(machine.threads)};
}

kernels::Registry every_kernel() {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  return all;
}

/// All kernels, or those that the settings ask for: the one that runs statements and, where it runs
/// one statement at a time, those that run several statements by it.
kernels::Registry kernels_for(const Settings& settings, const kernels::Registry& all) {
  if (!settings.kernel) {
    return all;
  }
  const kernels::Kernel* wanted = all.find(*settings.kernel);
  std::string known;
  for (const kernels::Kernel& kernel : all.all()) {
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  TESSERA_USER_CHECK(wanted != nullptr, "there is no kernel {}; there are {}", *settings.kernel,
                     known);
  TESSERA_USER_CHECK(!wanted->takes.other_kernels,
                     "{} runs statements by other kernels: name one of those", wanted->name);
  kernels::Registry only;
  only.add(*wanted);
  for (const kernels::Kernel& kernel : all.all()) {
    if (kernel.takes.other_kernels && !wanted->takes.several_statements) {
      only.add(kernel);
    }
  }
  return only;
}

/// The machine that is planned for: with the instruction set that the settings allow.
Machine machine_for(const Settings& settings, Machine machine) {
  machine.isa = std::min(machine.isa, settings.isa.value_or(machine.isa));
  return machine;
}

/// What is reproducible takes `reference` last: its functions are not those of the instruction
/// set's kernels.
std::string last_kernel_of(const Settings& settings) {
  return settings.reproducible ? "reference" : "";
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

Session::Session(Settings settings)
    : Session(std::move(settings), every_kernel(), this_machine()) {}

Session::Session(Settings settings, const kernels::Registry& kernels, Machine machine)
    : settings_(std::move(settings)),
      machine_(machine_for(settings_, machine)),
      budget_(budget_of(settings_, machine_)),
      kernels_(kernels_for(settings_, kernels)),
      context_{functions_, aggregates_, kernels_, machine_, last_kernel_of(settings_)} {
  expr::register_all_functions(functions_);
  expr::register_all_aggregates(aggregates_);
  optimizer::register_all_rules(rules_);
  optimizer::register_all_relation_rules(relation_rules_);
  optimizer::register_all_placement_rules(placement_rules_);
  optimizer::register_all_passes(passes_);
  optimizer::partition::register_all_planners(planners_);
  io::register_all_formats(formats_);
  optimizer::check_names(settings_.rules_off, names_of_rules());
  TESSERA_USER_CHECK(!settings_.reproducible || settings_.rules_off.count("stated_order") == 0,
                     "reproducible sums run in a stated order: leave stated_order on");
}

std::vector<std::string> Session::names_of_rules() const {
  std::vector<std::string> names;
  for (const std::vector<std::string>& more :
       {rules_.names(), relation_rules_.names(), passes_.tra.names(), placement_rules_.names(),
        passes_.ia.names()}) {
    names.insert(names.end(), more.begin(), more.end());
  }
  return names;
}

Stages Session::plan(const Source& source, const frontend::Bindings& bindings) const {
  return plan_stages(source, bindings, *this);
}

runtime::RunReport Session::run(const Plan& plan,
                                std::map<std::string, const store::TileSource*> sources,
                                std::map<std::string, store::TileSink*> sinks,
                                const RunControl& control) const {
  for (const auto& [name, type] : plan::sources_of(plan.tasks)) {
    const auto source = sources.find(name);
    const std::optional<ArrayType> actual =
        source == sources.end() ? std::nullopt : std::optional(source->second->type());
    check_bound(actual ? &*actual : nullptr, name, type);
  }
  check_spill_directory(settings_);
  plan::check_budget(plan.tasks, budget_.bytes);
  if (const std::optional<std::string> reason = never_ends(plan.tasks)) {
    throw_error(ErrorKind::resource, "{}", *reason);
  }
  // The plan itself takes of the budget of the first space.
  const Budget left = left_by(plan.tasks, budget_);
  std::vector<std::unique_ptr<store::TileStore>> stores;
  runtime::RunContext context{
      {}, context_, sources, std::move(sinks), control.cancelled, control.listener};
  for (const plan::SpaceInfo& space : plan.tasks.spaces) {
    const int64_t bytes = stores.empty() ? left.bytes : budget_.bytes;
    stores.push_back(space.process == 0 ? std::make_unique<store::TileStore>(bytes) : nullptr);
    context.stores.push_back(stores.back().get());
  }
  runtime::RunReport report = executor_for(plan.tasks, left, *this)->run(plan.tasks, context);
  for (const auto& [name, source] : sources) {
    source->check_unchanged();
  }
  return report;
}

void Session::execute(Frames& frames) const {
  LeftResults left(settings_.spill_directory.value_or(temporary_directory()));
  while (std::optional<Frame> frame = frames.next(left.sources())) {
    left.bind(*frame);
    const Stages stages = plan(frame->source, frame->bindings);
    frames.planned(stages);
    std::vector<runtime::RunReport> reports;
    for (int64_t number = 0; number < frame->num_runs; ++number) {
      Outlets outlets = frames.outlets(stages);
      outlets.sinks.merge(left.open(*frame, stages.plan()));
      reports.push_back(
          run(stages.plan(), frame->sources, std::move(outlets.sinks), outlets.control));
    }
    left.commit();
    frames.ran(stages, std::move(reports));
  }
}

}  // namespace tessera::engine
