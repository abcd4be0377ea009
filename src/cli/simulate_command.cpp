#include <optional>
#include <utility>

#include "base/error.h"
#include "cli/options.h"
#include "cli/planned_source.h"
#include "cli/simulation_table.h"
#include "cli/standard_streams.h"
#include "engine/files/input_files.h"
#include "engine/session.h"
#include "io/atomic_file.h"
#include "plan/memory.h"
#include "simulate/cluster.h"
#include "simulate/report.h"
#include "simulate/simulation.h"
#include "simulate/task_workload.h"

namespace tessera::cli {

namespace {

void check_follows_from_cluster(const SimulateOptions& options) {
  TESSERA_USER_CHECK(options.common.num_sites == 1,
                     "--cluster says how many sites there are: leave out --sites");
  TESSERA_USER_CHECK(options.common.workers == 0,
                     "--cluster says how many cores a site has: leave out --workers");
}

/// How a plan for the cluster is made: every site has a memory and workers of its own.
engine::Settings settings_for(const SimulateOptions& options, const simulate::Cluster& cluster) {
  engine::Settings settings = settings_of(options.common);
  settings.isa = std::nullopt;  // the cluster's, not that of the machine that simulates
  settings.num_sites = cluster.num_sites();
  settings.workers = simulate::fewest_cores(cluster);
  if (!settings.memory_bytes) {
    settings.memory_bytes = simulate::smallest_memory(cluster);
  }
  return settings;
}

simulate::Workload planned_workload(const SimulateOptions& options,
                                    const simulate::Cluster& cluster) {
  const Machine machine = simulate::machine_of(cluster);
  const engine::Session session(settings_for(options, cluster), machine);
  engine::InputFiles inputs(session.formats());
  const engine::Source source = planned_source(options.planned, inputs);
  const engine::Stages stages =
      session.plan(source, inputs.bindings(parameters_of(options.planned.parameters)));
  const plan::TaskGraph& tasks = stages.plan().tasks;
  TESSERA_USER_CHECK(static_cast<int64_t>(tasks.sites.size()) <= cluster.num_sites(),
                     "this plan is for {} sites, and the cluster has {}", tasks.sites.size(),
                     cluster.num_sites());
  plan::check_budget(tasks, plan::Budgets(session.budget().bytes));
  return simulate::workload_of(tasks, cluster, machine);
}

void write_trace(const std::string& path, const std::string& text) {
  io::AtomicFile file(path, static_cast<int64_t>(text.size()));
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                static_cast<int64_t>(text.size()));
  file.commit(store::Durability::process);
}

}  // namespace

void run_simulate(const SimulateOptions& options) {
  check_follows_from_cluster(options);
  const simulate::Cluster cluster = simulate::load_cluster(options.cluster);
  const simulate::Workload workload = planned_workload(options, cluster);
  const simulate::Simulation simulation = simulate::simulate(workload, cluster);
  if (!options.trace.empty()) {
    write_trace(options.trace, simulate::trace_of(simulation, workload));
  }
  write_output(options.json ? simulate::json_report(simulation, cluster) + "\n"
                            : simulation_text(simulation, cluster));
}

}  // namespace tessera::cli
