#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/frames/run_control.h"
#include "engine/planning/source.h"
#include "engine/planning/stages.h"
#include "frontend/einsum/einsum.h"
#include "runtime/executor.h"
#include "store/tile_io.h"

namespace tessera::engine {

using Sources = std::map<std::string, const store::TileSource*>;  // by the name of the input
using Sinks = std::map<std::string, store::TileSink*>;            // by the name of the result

/// What is planned and run at once: a program all of whose extents are known before it runs.
struct Frame {
  Source source;
  frontend::Bindings bindings;      // of the inputs that are the caller's
  Sources sources;                  // their data; they outlive the frame
  std::vector<std::string> reads;   // inputs that are results which earlier frames left
  std::vector<std::string> leaves;  // results that later frames may read, under their names
  int64_t num_runs = 1;             // of its one plan, each timed
};

/// Where the results of a run go, and who follows it. What the frame leaves needs no sink;
/// committing the others is the caller's.
struct Outlets {
  Sinks sinks;
  RunControl control;
};

/// A program as its frames, one after the other (Session::execute). A program whose extents are all
/// known is one frame; what a run alone can tell (a number of rows, whether a step was the last) is
/// in what it left when the next frame is asked for.
class Frames {
 public:
  virtual ~Frames() = default;

  /// The next frame, in view of what those before it left; nothing behind the last.
  virtual std::optional<Frame> next(const Sources& left) = 0;

  /// The frame's plan is there and nothing of it has run: the place to open what its results go to.
  virtual void planned(const Stages& stages) = 0;

  /// For each run of the plan.
  virtual Outlets outlets(const Stages& stages) = 0;

  /// The frame has run as often as it was to.
  virtual void ran(const Stages& stages, std::vector<runtime::RunReport> reports) = 0;
};

}  // namespace tessera::engine
