#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "base/error.h"
#include "cli/options.h"
#include "cli/planned_source.h"
#include "cli/simulate_graph.h"
#include "cli/simulation_table.h"
#include "cli/standard_streams.h"
#include "cli/warnings.h"
#include "engine/files/input_files.h"
#include "engine/planning/frame_plans.h"
#include "engine/session.h"
#include "simulate/cluster.h"
#include "simulate/joins_first.h"
#include "simulate/report.h"
#include "simulate/simulation.h"
#include "simulate/task_workload.h"

namespace tessera::cli {

namespace {

void check_cluster(const SimulateOptions& options) {
  TESSERA_USER_CHECK(!options.cluster.empty(),
                     "a program is simulated on a cluster: --cluster 10x8c,10Gbps,64GiB describes "
                     "ten sites of eight cores each");
  TESSERA_USER_CHECK(options.common.num_sites == 1,
                     "--cluster says how many sites there are: leave out --sites");
  TESSERA_USER_CHECK(options.common.workers == 0,
                     "--cluster says how many cores a site has: leave out --workers");
}

/// Returns the settings for a plan of the cluster: every site has a memory and workers of its own.
engine::Settings settings_for(const SimulateOptions& options, const simulate::Cluster& cluster) {
  engine::Settings settings = settings_of(options.common);
  settings.isa = std::nullopt;  // the cluster's, not that of the machine that simulates
  settings.plans_for_others = true;
  settings.num_sites = cluster.num_sites();
  settings.workers = simulate::fewest_cores(cluster);
  if (!settings.memory_bytes) {
    settings.memory_bytes = simulate::smallest_memory(cluster);
  }
  return settings;
}

/// The simulation of a plan on a cluster, and its inputs.
struct Simulated {
  simulate::Simulation simulation;
  std::vector<simulate::ActivityInfo> activities;
};

/// Plans and simulates a program; a plan in frames is simulated one frame after the other.
Simulated simulated(const SimulateOptions& options, const simulate::Cluster& cluster) {
  const Machine machine = simulate::machine_of(cluster);
  const engine::Session session(settings_for(options, cluster), machine);
  engine::InputFiles inputs(session.formats());
  const engine::Source source = planned_source(options.planned, options.common, inputs);
  const engine::Stages stages =
      session.plan(source, inputs.bindings(parameters_of(options.planned.parameters)));
  if (!options.common.quiet) {
    say_warnings(stages);
  }
  Simulated all;
  if (stages.parted) {
    // all tasks at once, as they are simulated, do not fit
    throw plan::BudgetError(*stages.parted);
  }
  if (stages.waits_for) {
    throw_error(
        ErrorKind::unsupported,
        "only a run tells how many {} there are, and what is behind that cannot be simulated; "
        "make a program of what is behind it, with an input in its place",
        stages.waits_for->what);
  }
  engine::for_each_frame(stages, session.setup(), [&](const engine::FramePlan& part) {
    simulate::check_memory(part.plan.tasks, session.budget().bytes);
    simulate::Workload workload = simulate::workload_of(part.plan.tasks, cluster, machine);
    if (options.joins_first) {
      workload = simulate::joins_first(workload, part.plan.tasks);
    }
    simulate::Simulation simulation = simulate::simulate(workload, cluster);
    if (part.number == 0) {
      all = {std::move(simulation), std::move(workload.activities)};
    } else {
      simulate::append(all.simulation, simulation);
      std::move(workload.activities.begin(), workload.activities.end(),
                std::back_inserter(all.activities));
    }
  });
  return all;
}

}  // namespace

void run_simulate(const SimulateOptions& options) {
  if (options.planned.program.ends_with(".json")) {
    simulate_graph(options);
    return;
  }
  TESSERA_USER_CHECK(
      options.placement.empty(),
      "--placement {} is for a graph with costs; a program's plan has its own, which "
      "--planner chooses",
      options.placement);
  check_cluster(options);
  const simulate::Cluster cluster = simulate::load_cluster(options.cluster);
  simulate::check_num_sites(cluster);
  const auto [simulation, activities] = simulated(options, cluster);
  write_simulation_trace(options, simulation, activities);
  write_output(options.json ? simulate::json_report(simulation, cluster) + "\n"
                            : simulation_text(simulation, cluster));
}

}  // namespace tessera::cli
