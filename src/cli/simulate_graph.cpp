#include "cli/simulate_graph.h"

#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/table.h"
#include "cli/amounts.h"
#include "cli/simulation_table.h"
#include "cli/standard_streams.h"
#include "io/atomic_file.h"
#include "simulate/cluster.h"
#include "simulate/costs/cost_graph.h"
#include "simulate/costs/placements.h"
#include "simulate/costs/schedule.h"
#include "simulate/report.h"

namespace tessera::cli {

namespace {

/// A placement of a graph, with its simulation.
struct Placement {
  std::string name;
  simulate::Workload workload;
  simulate::Simulation simulation;
};

/// Refuses the options that choose a plan, which a graph does not have.
void check_options(const SimulateOptions& options) {
  const CommonOptions& common = options.common;
  const bool asks_for_plan = !common.planner.empty() || !common.tile.empty() || common.pieces > 0 ||
                             !common.rules_off.empty() || !common.kernel.empty() ||
                             common.workers > 0 || !common.memory.empty() || common.reproducible ||
                             options.joins_first;
  TESSERA_USER_CHECK(!asks_for_plan && options.planned.inputs.empty(),
                     "{} is a graph with costs, whose tasks are as they are: it takes --sites or "
                     "--cluster, --placement, --json and --trace",
                     options.planned.program);
  TESSERA_USER_CHECK(common.num_sites <= simulate::kMostClusterSites,
                     "--sites {}: a cluster has at most {} sites", common.num_sites,
                     simulate::kMostClusterSites);
}

/// Returns a graph's sites: those of --cluster, of --sites, or of the graph itself; with one core
/// each.
simulate::Cluster cluster_of(const SimulateOptions& options, const simulate::CostGraph& graph) {
  const int64_t asked = options.common.num_sites;
  if (!options.cluster.empty()) {
    TESSERA_USER_CHECK(asked == 1, "--cluster says how many sites there are: leave out --sites");
    simulate::Cluster cluster = simulate::load_cluster(options.cluster);
    for (const simulate::ClusterSite& site : cluster.sites) {
      TESSERA_USER_CHECK(site.cores == 1,
                         "a task of a graph with costs takes a whole site: describe sites of one "
                         "core, 4x1c for example");
    }
    return cluster;
  }
  TESSERA_USER_CHECK(asked > 1 || graph.num_sites.has_value(),
                     "{} does not say for how many sites it is; --sites 4 would",
                     options.planned.program);
  simulate::Cluster cluster;
  simulate::ClusterSite site;
  cluster.sites.assign(static_cast<size_t>(asked > 1 ? asked : *graph.num_sites), site);
  return cluster;
}

std::vector<std::pair<std::string, simulate::Schedule>> schedules_of(
    const SimulateOptions& options, const simulate::CostModel& model) {
  if (options.placement == "given") {
    return {{"given", simulate::given(model)}};
  }
  if (options.placement == "heft") {
    return {{"heft", simulate::heft(model)}};
  }
  return {{"heft", simulate::heft(model)}, {"search", simulate::searched(model)}};
}

std::vector<Placement> placements_of(const SimulateOptions& options,
                                     const simulate::CostModel& model,
                                     const simulate::Cluster& cluster) {
  std::vector<Placement> placements;
  for (auto& [name, schedule] : schedules_of(options, model)) {
    simulate::Workload workload = simulate::workload_of(model, schedule);
    simulate::Simulation simulation = simulate::simulate(workload, cluster);
    placements.push_back({name, std::move(workload), std::move(simulation)});
  }
  return placements;
}

std::string of_bound(double seconds, double bound) {
  return bound > 0 ? fmt::format("{:.3f}", seconds / bound) : "";
}

std::string text_of(const std::vector<Placement>& placements, const simulate::ScheduleBound& bound,
                    const simulate::Cluster& cluster) {
  std::vector<Row> rows = {{"placement", "simulated", "of the bound", ""}};
  for (const Placement& placement : placements) {
    rows.push_back({placement.name, seconds_text(placement.simulation.makespan),
                    of_bound(placement.simulation.makespan, bound.largest()), ""});
  }
  rows.push_back({"lower bound", seconds_text(bound.largest()), "1.000",
                  fmt::format("critical path {}, all work over all sites {}",
                              seconds_text(bound.critical_path), seconds_text(bound.work))});
  return table_text(rows, Columns::amounts) + "\n" +
         simulation_text(placements.back().simulation, cluster);
}

std::string json_of(const std::vector<Placement>& placements, const simulate::ScheduleBound& bound,
                    const simulate::Cluster& cluster) {
  using Json = nlohmann::ordered_json;
  Json json = Json::parse(simulate::json_report(placements.back().simulation, cluster));
  json["placement"] = placements.back().name;
  json["placements"] = Json::array();
  for (const Placement& placement : placements) {
    json["placements"].push_back(
        {{"name", placement.name}, {"makespan_seconds", placement.simulation.makespan}});
  }
  json["any_placement"] = {{"critical_path_seconds", bound.critical_path},
                           {"work_seconds", bound.work},
                           {"lower_bound_seconds", bound.largest()}};
  return json.dump(2) + "\n";
}

}  // namespace

void simulate_graph(const SimulateOptions& options) {
  check_options(options);
  const simulate::CostGraph graph = simulate::load_cost_graph(options.planned.program);
  const simulate::Cluster cluster = cluster_of(options, graph);
  const simulate::CostModel model(graph, cluster);
  const std::vector<Placement> placements = placements_of(options, model, cluster);
  const simulate::ScheduleBound bound = simulate::schedule_bound(model, cluster);
  write_simulation_trace(options, placements.back().simulation,
                         placements.back().workload.activities);
  write_output(options.json ? json_of(placements, bound, cluster)
                            : text_of(placements, bound, cluster));
}

void write_simulation_trace(const SimulateOptions& options, const simulate::Simulation& simulation,
                            const std::vector<simulate::ActivityInfo>& activities) {
  if (options.trace.empty()) {
    return;
  }
  const std::string text = simulate::trace_of(simulation, activities);
  io::AtomicFile file(options.trace, static_cast<int64_t>(text.size()));
  file.write_at(0, reinterpret_cast<const std::byte*>(text.data()),
                static_cast<int64_t>(text.size()));
  file.commit(store::Durability::process);
}

}  // namespace tessera::cli
