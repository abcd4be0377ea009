#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// What is wrong with how a plan reads and makes whole tensors: its sources and sinks. Tasks are
/// shown one after the other; what they read and write is kept.
class TensorVerifier {
 public:
  /// REQUIRES that the graph lives as long.
  explicit TensorVerifier(const TaskGraph& graph) : graph_(graph) {}

  /// Sources and sinks of types that can be, no name twice. To be called first.
  std::vector<std::string> declare();

  /// A tile is a part of its source, in the same place; all rows of a source have the same columns.
  std::vector<std::string> verify_read(const std::string& source, const TileType& tile);

  /// The box of a write lies in its sink, and at no place of an earlier one. REQUIRES that the task
  /// has one input, an array whose tile exists.
  std::vector<std::string> verify_write(const TaskInfo& task);

  /// Every sink is as large as what was written to it. To be called last.
  std::vector<std::string> verify_counts();

 private:
  std::vector<std::string> verify_array_read(const std::string& name, const DenseTile& tile) const;
  std::vector<std::string> verify_rows_read(const std::string& name, const RowTile& tile);

  const TaskGraph& graph_;
  std::map<std::string, const SinkInfo*> sinks_;
  std::map<std::string, const SourceInfo*> sources_;
  std::map<std::string, const RowTile*> rows_;  // by source of rows: the first tile that is read
  std::map<std::string, int64_t> sunk_;         // elements that were written, by sink
  std::set<std::pair<std::string, std::vector<int64_t>>> corners_;  // of boxes in sinks
};

}  // namespace tessera::plan
