#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "engine/session.h"
#include "frontend/einsum/einsum.h"
#include "program/processes/program_message.h"
#include "program/runs/row_sinks.h"
#include "store/tile_io.h"

namespace tessera::program {

/// The first of several processes, which alone has the database: it has the others run each program
/// with it (other_process.h). Stored tensors are files that each opens for itself; row numbers and
/// other small inputs are sent, what is larger and in no file of the database is put into one that
/// all read. Results are files that all write; one that is for the first process alone is copied
/// from such a file.
///
/// Threads: one at a time.
class FirstProcess {
 public:
  /// The session, which has a link, outlives it.
  explicit FirstProcess(const engine::Session& session) : session_(session) {}

  using Inputs = std::map<std::string, std::shared_ptr<const store::TileSource>>;
  using Run = std::function<void(const std::map<std::string, store::TileSink*>& sinks)>;

  /// Calls `run` here, which executes the program with these sinks for its results, while the
  /// others do the same. `known` are all that later programs may read again.
  void run_by_all(const frontend::BoundProgram& program, const Inputs& inputs, const Inputs& known,
                  const std::map<std::string, RowSink>& results, const Run& run);

 private:
  SharedInput shared(const std::string& name,
                     const std::shared_ptr<const store::TileSource>& source);
  void send(const ProgramMessage& message) const;

  const engine::Session& session_;
  std::set<std::string> told_;  // names of inputs
  Inputs copies_;               // of inputs that are in no file of their own, by name
};

/// Tells the others that no more programs will come.
void end_other_processes(const engine::Session& session);

}  // namespace tessera::program
