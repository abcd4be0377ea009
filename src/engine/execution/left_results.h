#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/execution/rounds.h"
#include "io/unnamed_array.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// The results that are left for what runs later: by frames of a plan, or by rounds. They are in
/// files without names, so that they take nothing of a run's memory.
class LeftResults {
 public:
  explicit LeftResults(std::string directory) : directory_(std::move(directory)) {}

  /// All that is left, by name; of two results of one name the later one.
  const Sources& sources() const { return sources_; }

  /// The one with that name. Errors: `user` where none is left.
  const store::TileSource* at(const std::string& name) const;

  /// New files for what runs leave, as their sinks. Errors: `user` for a name that is none of their
  /// results, and where no file can be made.
  Sinks open(const std::vector<std::string>& leaves, const std::vector<plan::SinkInfo>& results);

  /// Makes what was written what later runs read. REQUIRES that nothing reads now.
  void commit();

  /// Gives up what has none of these names.
  void keep_only(const std::set<std::string>& names);

 private:
  std::string directory_;
  std::map<std::string, std::unique_ptr<io::UnnamedArray>> written_;  // not read yet
  std::map<std::string, std::unique_ptr<io::UnnamedArray>> left_;
  Sources sources_;
};

}  // namespace tessera::engine
