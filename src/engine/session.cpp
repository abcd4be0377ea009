#include "engine/session.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/temporary_file.h"
#include "engine/duration.h"
#include "engine/machine.h"
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

/// A run that takes less than this, by the plan's estimate, stays on the calling thread: two others
/// take 26 us to start and end (measured on two cores, 2026-11) and every hand-over some more.
constexpr double kShortestParallelSeconds = 300e-6;

/// Refuses a spill directory that takes no file before the run, not at its first spill.
void check_spill_directory(const Settings& settings) {
  if (settings.spill_directory) {
    const store::SpillFile made_and_gone(*settings.spill_directory);
  }
}

/// The executor for a plan: the serial one where others would not help and nothing is paged.
std::unique_ptr<runtime::Executor> executor_for(const plan::TaskGraph& tasks, const Budget& budget,
                                                const Settings& settings) {
  double seconds = 0;
  for (const plan::TaskInfo& task : tasks.tasks) {
    seconds += task.seconds;
  }
  const bool pages_nothing = std::all_of(
      tasks.spaces.begin(), tasks.spaces.end(),
      [&](const plan::SpaceInfo& space) { return space.proof.peak_bytes <= budget.bytes; });
  if (pages_nothing && (budget.workers == 1 || seconds < kShortestParallelSeconds)) {
    return runtime::make_serial_executor();
  }
  return runtime::make_threads_executor({static_cast<int32_t>(budget.workers),
                                         settings.spill_directory.value_or(temporary_directory())});
}

Budget budget_of(const Settings& settings) {
  TESSERA_USER_CHECK(settings.workers.value_or(1) <= kMostWorkers,
                     "{} workers: a run has at most {} workers", *settings.workers, kMostWorkers);
  const double machine = kDefaultMemoryShare * static_cast<double>(machine_memory_bytes());
  return {settings.memory_bytes.value_or(static_cast<int64_t>(machine)),
          settings.workers.value_or(machine_threads())};
}

/// The registry with all kernels, or with the one that the settings ask for.
kernels::Registry kernels_for(const Settings& settings) {
  kernels::Registry all;
  kernels::register_all_kernels(all);
  if (!settings.kernel) {
    if (settings.reproducible) {
      all.use_last("reference");  // its functions are not those of the instruction set's kernels
    }
    return all;
  }
  const kernels::Kernel* wanted = all.find(*settings.kernel);
  std::string known;
  for (const kernels::Kernel& kernel : all.all()) {
    known += (known.empty() ? "" : ", ") + kernel.name;
  }
  TESSERA_USER_CHECK(wanted != nullptr, "there is no kernel {}; there are {}", *settings.kernel,
                     known);
  kernels::Registry only;
  only.add(*wanted);
  return only;
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
    : settings_(std::move(settings)),
      budget_(budget_of(settings_)),
      kernels_(kernels_for(settings_)) {
  expr::register_all_functions(functions_);
  expr::register_all_aggregates(aggregates_);
  optimizer::register_all_rules(rules_);
  optimizer::register_all_planners(planners_);
  io::register_all_formats(formats_);
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
      {}, kernels_, sources, std::move(sinks), control.cancelled, control.listener};
  for (const plan::SpaceInfo& space : plan.tasks.spaces) {
    const int64_t bytes = stores.empty() ? left.bytes : budget_.bytes;
    stores.push_back(space.process == 0 ? std::make_unique<store::TileStore>(bytes) : nullptr);
    context.stores.push_back(stores.back().get());
  }
  runtime::RunReport report = executor_for(plan.tasks, left, settings_)->run(plan.tasks, context);
  for (const auto& [name, source] : sources) {
    source->check_unchanged();
  }
  return report;
}

}  // namespace tessera::engine
