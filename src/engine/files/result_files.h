#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "io/format.h"
#include "net/link.h"
#include "plan/task_graph.h"
#include "store/tile_io.h"

namespace tessera::engine {

/// A result and its file.
struct ResultFile {
  std::string name;
  ArrayType type;
  std::string path;
};

/// Assigns a plan's results to files. `bindings` are (name, path) in the user's order; an empty
/// name means the only result. Errors: `user` for a name that no result has, for one that is given
/// twice, and for an empty one if there are several.
std::vector<ResultFile> bind_results(
    const std::vector<std::pair<std::string, std::string>>& bindings,
    const std::vector<plan::SinkInfo>& results);

/// The files that a run writes its results to. They get their names when all are complete.
class ResultFiles {
 public:
  /// Creates the files; with a link to other processes, each of which does the same, one file for
  /// all of them, which the first makes and commits. Errors: `user`, also if a format cannot be
  /// written and if two results would go to one place; `resource`.
  ResultFiles(const io::FormatRegistry& formats, std::vector<ResultFile> files,
              net::Link* link = nullptr);

  const std::vector<ResultFile>& files() const { return files_; }

  /// Returns the sinks by the name of the result; they live until they are committed.
  std::map<std::string, store::TileSink*> sinks() const;

  /// Gives every file its name, once all processes have written theirs. Errors: `resource`.
  /// REQUIRES: all is written.
  void commit(store::Durability durability);

 private:
  std::unique_ptr<store::TileSink> sink_of(const ResultFile& file, const io::Place& place,
                                           const io::Format& format) const;

  std::vector<ResultFile> files_;
  net::Link* link_;
  std::vector<std::unique_ptr<store::TileSink>> sinks_;  // by file
};

}  // namespace tessera::engine
