#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "plan/task_graph.h"

namespace tessera::plan {

/// A verifier of a plan's whole tensors: its sources and sinks. It is shown tasks one after the
/// other, and keeps what they read and write.
class TensorVerifier {
 public:
  /// Borrows the graph. REQUIRES that it lives as long.
  explicit TensorVerifier(const TaskGraph& graph) : graph_(graph) {}

  /// Checks that sources and sinks have valid types and distinct names. Call it first.
  std::vector<std::string> declare();

  /// Checks that a tile is a part of its source, in the same place; all rows of a source have the
  /// same columns.
  std::vector<std::string> verify_read(const std::string& source, const TileType& tile);

  /// Checks that the box of a write lies in its sink, and at no place of an earlier one. REQUIRES
  /// that the task has one input, an array whose tile exists.
  std::vector<std::string> verify_write(const TaskInfo& task);

  /// Checks that every sink was written in full. Call it last.
  std::vector<std::string> verify_counts();

 private:
  std::vector<std::string> verify_array_read(const std::string& name, const DenseTile& tile) const;
  std::vector<std::string> verify_rows_read(const std::string& name, const RowTile& tile);

  const TaskGraph& graph_;
  std::map<std::string, const SinkInfo*> sinks_;
  std::map<std::string, const SourceInfo*> sources_;
  std::map<std::string, const RowTile*> rows_;  // by source of rows: its first tile
  std::map<std::string, int64_t> sunk_;         // elements that were written, by sink
  std::set<std::pair<std::string, std::vector<int64_t>>> corners_;  // of boxes in sinks
};

}  // namespace tessera::plan
