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

/// How one statement is cut, and what that moves and takes of files.
struct StatementPartition {
  einsum::VertexId vertex{0};
  std::vector<int64_t> pieces;  // its partition vector, by label of its einsum
  std::vector<int32_t>
      sliced;                // labels that are cut so that less is held at once (model/options.h)
  double join = 0;           // elements moved into its kernel calls
  double aggregation = 0;    // between partial results
  double repartition = 0;    // by the repartition of what it reads
  double handed_on = 0;      // worth of handing on rows in pieces (problem/alternatives.h)
  double reloaded = 0;       // worth of tiles beyond the cache (problem/alternatives.h)
  double between_sites = 0;  // worth of what moves between sites
  FileEstimate reading;      // of what it reads from files
  FileEstimate writing;      // of its result, where that is one of the program
  double files = 0;          // the seconds of both, as elements that would move meanwhile
  /// Another vector, and what the whole plan would cost with it, all else as chosen.
  struct Alternative {
    std::vector<int64_t> pieces;
    double plan_cost = 0;  // as GraphPartition::cost
  };
  int64_t num_alternatives = 1;         // that were considered, the chosen one included
  std::vector<Alternative> runners_up;  // the cheapest others, at most five
};

/// How a graph is cut, and why.
struct GraphPartition {
  std::string planner;  // that chose; empty where the user did
  int64_t pieces = 1;   // kernel calls that large statements were to have
  Partitioning partitioning;
  double communication_volume = 0;    // the model's count (EinDecomp §7), an upper bound
  double file_seconds = 0;            // of reading and writing files
  double cost = 0;                    // the volume, what would move in the file seconds, and
                                      // the worth of rows in pieces
  std::optional<double> lower_bound;  // of the cost over all cuts considered, where known
  std::vector<Slice> slices;          // of labels that were cut so that less is held at once
  std::vector<StatementPartition> statements;  // in topological order, inputs left out
};

/// The planner that partition_graph takes where none is named.
inline constexpr const char* kDefaultPlanner = "auto";

/// How a graph is cut, or why it cannot be.
using Partitioned = std::variant<GraphPartition, NoCut>;

/// Cuts a graph by a planner: `auto` for the cheapest plan of all planners that need no argument,
/// or one by its name, with its argument behind a colon ("label:h,f").
///
/// Errors: `user` for a planner that does not exist or an argument where none belongs.
Partitioned partition_within(const einsum::Graph& graph, const PlannerRegistry& planners,
                             const std::string& planner, const PartitionOptions& options);

/// The same where there is a cut. Errors: those, and `user` where there is none.
GraphPartition partition_graph(const einsum::Graph& graph, const PlannerRegistry& planners,
                               const std::string& planner, const PartitionOptions& options);

/// What the cuts of a graph move and take of files, as partition_graph counts it; nothing is
/// chosen.
GraphPartition count_partition(const einsum::Graph& graph, Partitioning partitioning,
                               const std::optional<FileCosts>& files = FileCosts());

}  // namespace tessera::optimizer::partition
