#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/files/result_files.h"
#include "engine/session.h"
#include "store/edge_tensor.h"

namespace tessera::cli {

/// The destinations of the results: files, which get their names when all are written, or standard
/// output.
class Results {
 public:
  /// `files` are those of -o, as (result, path); for results without one, the printed part is kept.
  /// With a link they are the results of all processes, and the first has the printed part. Errors:
  /// those of engine::ResultFiles; `user` if too much would be printed.
  Results(const io::FormatRegistry& formats, const std::vector<plan::SinkInfo>& sinks,
          const std::vector<std::pair<std::string, std::string>>& files, net::Link* link);

  std::map<std::string, store::TileSink*> sinks() const;

  /// Gives every file its name.
  void commit(store::Durability durability);
  /// Reports on standard error which files were written.
  void report() const;
  /// Prints the results without a file.
  void print() const;

 private:
  struct Printed {
    std::string name;
    std::unique_ptr<store::EdgeTensor> tensor;
  };
  net::Link* link_;
  engine::ResultFiles files_;
  std::vector<Printed> printed_;
};

}  // namespace tessera::cli
