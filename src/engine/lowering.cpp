#include "engine/lowering.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "engine/machine.h"
#include "engine/memory_search.h"
#include "optimizer/lowering/to_ia.h"
#include "optimizer/lowering/to_tra.h"
#include "optimizer/partition/slicing.h"
#include "optimizer/tra/fuse.h"
#include "optimizer/tra/reproducible.h"
#include "plan/to_tasks.h"

namespace tessera::engine {

namespace {

/// Finer cuts are not tried: a plan of so many calls has up to 60,000 tasks, which take about 40 MB
/// that the process holds beside its budget.
constexpr double kMostCalls = 25'000;

/// How every statement is cut: as --tile says, or as a planner chooses for this machine's workers
/// or for so many sites.
optimizer::GraphPartition partitioned(const einsum::Graph& graph, const Session& session,
                                      const MemoryDemand& demand) {
  const Settings& settings = session.settings();
  if (!settings.tile.empty()) {
    return optimizer::count_partition(graph,
                                      optimizer::partitioning_by_label(graph, settings.tile));
  }
  optimizer::PartitionOptions options;
  options.workers = workers_of(settings);
  options.pieces = settings.pieces;
  options.most_tile_bytes = demand.most_call_bytes;
  options.slices = demand.slices;
  return optimizer::partition_graph(graph, session.planners(),
                                    settings.planner.value_or(optimizer::kDefaultPlanner), options);
}

/// A partition cut where it does not change the bits of any result.
optimizer::GraphPartition rounded(const einsum::Graph& graph, optimizer::GraphPartition partition,
                                  const expr::AggregateRegistry& aggregates) {
  optimizer::GraphPartition result = optimizer::count_partition(
      graph,
      optimizer::reproducible_partitioning(graph, std::move(partition.partitioning), aggregates));
  result.planner = std::move(partition.planner);
  result.pieces = partition.pieces;
  result.slices = std::move(partition.slices);
  for (size_t number = 0; number < result.statements.size(); ++number) {
    result.statements[number].sliced = std::move(partition.statements[number].sliced);
  }
  return result;
}

/// Relations with statements fused, unless that is switched off. What is reproducible states the
/// order of every sum by itself, so its statements stay apart.
optimizer::Fused fused(tra::Graph relations, const Session& session) {
  const Settings& settings = session.settings();
  const bool stays_apart = settings.reproducible || settings.rules_off.count(optimizer::kFuse) != 0;
  return stays_apart ? optimizer::Fused{std::move(relations), {}}
                     : optimizer::fuse(relations, session.kernels());
}

/// Relations as they are placed: with the order of their sums where that is to be stated.
tra::Graph finished(tra::Graph relations, const Session& session) {
  return session.settings().reproducible
             ? optimizer::with_stated_order(std::move(relations), session.aggregates())
             : std::move(relations);
}

std::optional<plan::TaskGraph> tasks_of(const ia::Graph& placed, const Session& session) {
  if (placed.num_sites > 1) {
    return std::nullopt;
  }
  return plan::to_tasks(placed, session.kernels());
}

Lowered lowered(const einsum::Graph& graph, optimizer::GraphPartition partition,
                const Session& session) {
  optimizer::Fused fusion = fused(optimizer::to_tra(graph, partition.partitioning), session);
  tra::Graph relations = finished(std::move(fusion.graph), session);
  ia::Graph placed = optimizer::to_ia(relations, session.settings().num_sites);
  std::optional<plan::TaskGraph> tasks = tasks_of(placed, session);
  return {std::move(partition), std::move(relations), std::move(placed), std::move(tasks),
          std::move(fusion.reasons)};
}

double num_calls(const optimizer::GraphPartition& partition) {
  double calls = 0;
  for (const optimizer::StatementPartition& statement : partition.statements) {
    double product = 1;
    for (const int64_t pieces : statement.pieces) {
      product *= static_cast<double>(pieces);
    }
    calls += product;
  }
  return calls;
}

/// Cut as a budget asks for; nothing where that is not possible.
std::optional<optimizer::GraphPartition> partitioned_within(const einsum::Graph& graph,
                                                            const Session& session,
                                                            const MemoryDemand& demand) {
  try {
    optimizer::GraphPartition partition = partitioned(graph, session, demand);
    return num_calls(partition) > kMostCalls ? std::nullopt : std::optional(std::move(partition));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::user) {
      throw;
    }
    return std::nullopt;  // the planner's word for a bound that no cut keeps
  }
}

}  // namespace

bool cuts_follow_budget(const Settings& settings) {
  return settings.tile.empty() && !settings.pieces;
}

int64_t workers_of(const Settings& settings) {
  return std::max<int64_t>(settings.workers.value_or(machine_threads()), settings.num_sites);
}

Lowered lower(const einsum::Graph& graph, const Session& session) {
  const Settings& settings = session.settings();
  const auto finish = [&](optimizer::GraphPartition partition) {
    return lowered(graph,
                   settings.reproducible
                       ? rounded(graph, std::move(partition), session.aggregates())
                       : std::move(partition),
                   session);
  };
  if (!cuts_follow_budget(settings)) {
    return finish(partitioned(graph, session, {}));
  }
  return lower_within_budget(
      [&](const MemoryDemand& demand) -> std::optional<Lowered> {
        if (!demand.most_call_bytes && demand.slices.empty()) {
          return finish(partitioned(graph, session, demand));
        }
        std::optional<optimizer::GraphPartition> partition =
            partitioned_within(graph, session, demand);
        return partition ? std::optional(finish(std::move(*partition))) : std::nullopt;
      },
      [&](int64_t most_bytes) { return optimizer::ways_to_slice(graph, most_bytes); },
      session.memory_budget(), workers_of(settings));
}

Reached lower(tra::Graph relations, const Session& session) {
  relations = finished(std::move(relations), session);
  ia::Graph placed = optimizer::to_ia(relations, session.settings().num_sites);
  std::optional<plan::TaskGraph> tasks = tasks_of(placed, session);
  return reached(FromRelations{std::move(relations), std::move(placed)}, std::move(tasks));
}

Reached lower(ia::Graph placed, const Session& session) {
  std::optional<plan::TaskGraph> tasks = tasks_of(placed, session);
  return reached(FromPlacement{std::move(placed)}, std::move(tasks));
}

Reached reached(PlacedStages stages, std::optional<plan::TaskGraph> tasks) {
  return tasks ? Reached(Plan{std::move(stages), std::move(*tasks)}) : Reached(std::move(stages));
}

}  // namespace tessera::engine
