#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "engine/execution/rounds.h"
#include "engine/setup/setup.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// The results that are left for later frames of a plan, or for later rounds. They are in files
/// without names in the spill directory, so that they take no memory of a run.
///
/// With several processes, all of which do the same, each result is one file: the first process
/// makes it, each writes its parts, and all read it. On several hosts it has a temporary name while
/// it exists, by which they find it.
class LeftResults {
 public:
  /// Borrows the setup, which outlives it.
  explicit LeftResults(const Setup& setup);

  /// All results that are left, by name; of two results of one name the later one.
  const Sources& sources() const { return sources_; }

  /// Returns the result with that name. Errors: `user` if none is left.
  const store::TileSource* at(const std::string& name) const;

  /// Makes new files for the results that runs leave, as their sinks. Errors: `user` for a name
  /// that is none of their results, and if no file can be made; `unsupported` if a host does not
  /// see the spill directory of the first process.
  Sinks open(const std::vector<std::string>& leaves, const std::vector<plan::SinkInfo>& results);

  /// Makes the written results readable for later runs. REQUIRES that nothing is being read.
  void commit();

  /// Drops all results without these names.
  void keep_only(const std::set<std::string>& names);

 private:
  /// A result that is written, then read; one of the two may own the file.
  struct LeftResult {
    ArrayType type;
    std::string meeting_place;  // of several processes
    std::shared_ptr<store::TileSink> sink;
    std::shared_ptr<const store::TileSource> source;  // once complete
  };

  LeftResult opened(const ArrayType& type) const;
  LeftResult opened_by_all(const ArrayType& type) const;
  void complete(LeftResult& left) const;

  const Setup& setup_;
  std::string directory_;
  std::map<std::string, LeftResult> written_;  // not read yet
  std::map<std::string, LeftResult> left_;
  Sources sources_;
};

}  // namespace tessera::engine
