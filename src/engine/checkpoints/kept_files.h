#pragma once

#include <memory>
#include <vector>

#include "engine/checkpoints/checkpoint_plan.h"
#include "engine/execution/rounds.h"
#include "engine/setup/setup.h"
#include "io/shared_sink.h"

namespace tessera::engine {

/// The files of a run's checkpoints: written at the end of a part, read by later parts. Of several
/// processes, all of which do the same, the first makes a file and names it, and each writes its
/// parts of it.
class KeptFiles {
 public:
  /// Borrows its arguments, which outlive it. Makes the directory if it is missing. Errors: `user`
  /// if it cannot be made.
  KeptFiles(const CheckpointPlan& plan, const einsum::Graph& graph, const Setup& setup);

  /// Opens the checkpoints that a part reads, by kept_name(). Errors: those of io::open_checked.
  Sources read(const ProgramPart& part);

  /// Opens new files for a part's results, by kept_name(). Errors: those of io::create_checked.
  Sinks open(const ProgramPart& part);

  /// Gives them their names, for all processes. REQUIRES that all is written.
  void commit();

 private:
  std::unique_ptr<store::TileSink> sink_of(const io::CheckedArray& file) const;

  const CheckpointPlan& plan_;
  const einsum::Graph& graph_;
  const Setup& setup_;
  std::vector<std::unique_ptr<store::TileSink>> sinks_;      // of the current part
  std::vector<std::unique_ptr<store::TileSource>> sources_;  // the same
};

}  // namespace tessera::engine
