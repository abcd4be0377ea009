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

/// Where the results go: files, which have their names when all are written, or standard output.
class Results {
 public:
  /// `files` are those of -o, as (result, path); of results without one what is printed is kept.
  /// With a link they are the results of all processes, and the first has what is printed.
  /// Errors: those of engine::ResultFiles; `user` where too much would be printed.
  Results(const io::FormatRegistry& formats, const std::vector<plan::SinkInfo>& sinks,
          const std::vector<std::pair<std::string, std::string>>& files, net::Link* link);

  std::map<std::string, store::TileSink*> sinks() const;

  /// Gives every file its name.
  void commit(store::Durability durability);
  /// Says on standard error which files were written.
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
