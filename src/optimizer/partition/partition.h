#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "ir/einsum/graph.h"
#include "machine/file_cost.h"
#include "optimizer/partition/model/options.h"
#include "optimizer/partition/model/partitioning.h"
#include "optimizer/partition/planner.h"

namespace tessera::optimizer::partition {

/// The cuts of one statement, and their costs in communication and files.
struct StatementPartition {
  einsum::VertexId vertex{0};
  std::vector<int64_t> pieces;  // its partition vector, by label of its einsum
  std::vector<int32_t> sliced;  // labels that are cut to hold less at once (model/options.h)
  double join = 0;              // elements moved into its kernel calls
  double aggregation = 0;       // between partial results
  double repartition = 0;       // by repartitioning its operands
  double handed_on = 0;         // cost of handing on rows in pieces (problem/alternatives.h)
  double reloaded = 0;          // cost of tiles beyond the cache (problem/alternatives.h)
  double between_sites = 0;     // cost of communication between sites
  FileEstimate reading;         // of its inputs' files
  FileEstimate writing;         // of its result, if that is an output of the program
  double files = 0;             // the seconds of both, as elements that would move meanwhile
  /// Another vector, and the cost of the whole plan with it, with all other choices kept.
  struct Alternative {
    std::vector<int64_t> pieces;
    double plan_cost = 0;  // as GraphPartition::cost
  };
  int64_t num_alternatives = 1;         // considered ones, with the chosen one
  std::vector<Alternative> runners_up;  // the cheapest others, at most five
};

/// The cuts of a graph, and the figures behind them.
struct GraphPartition {
  std::string planner;  // that chose; empty if the user did
  int64_t pieces = 1;   // requested kernel calls of large statements
  Partitioning partitioning;
  double communication_volume = 0;             // the model's count (EinDecomp §7), an upper bound
  double file_seconds = 0;                     // of reading and writing files
  double cost = 0;                             // the volume, and as elements: file seconds and
                                               // rows in pieces
  std::optional<double> lower_bound;           // of the cost over all cuts considered, if known
  std::vector<Slice> slices;                   // labels that were cut to hold less at once
  std::vector<StatementPartition> statements;  // in topological order, without inputs
};

/// The planner that partition_graph uses by default.
inline constexpr const char* kDefaultPlanner = "auto";

/// The cuts of a graph, or the reason that it cannot be cut.
using Partitioned = std::variant<GraphPartition, NoCut>;

/// Cuts a graph by a planner: `auto` for the cheapest plan of all planners that need no argument,
/// or one by its name, with its argument behind a colon ("label:h,f").
///
/// Errors: `user` for an unknown planner, or an argument of a planner that takes none.
Partitioned partition_within(const einsum::Graph& graph, const PlannerRegistry& planners,
                             const std::string& planner, const PartitionOptions& options);

/// Cuts a graph like partition_within. Errors: those, and `user` if there is no cut.
GraphPartition partition_graph(const einsum::Graph& graph, const PlannerRegistry& planners,
                               const std::string& planner, const PartitionOptions& options);

/// Counts the communication and file costs of given cuts in the manner of partition_graph; chooses
/// nothing.
GraphPartition count_partition(const einsum::Graph& graph, Partitioning partitioning,
                               const std::optional<FileCosts>& files = FileCosts());

}  // namespace tessera::optimizer::partition
