#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/execution/run_control.h"
#include "engine/planning/source.h"
#include "engine/planning/stages.h"
#include "frontend/einsum/einsum.h"
#include "runtime/executor.h"
#include "store/tile_io.h"

namespace tessera::engine {

using Sources = std::map<std::string, const store::TileSource*>;  // by the name of the input
using Sinks = std::map<std::string, store::TileSink*>;            // by the name of the result

/// A round: a program that is planned at once, because all its extents are known before it runs.
struct Round {
  Source source;
  frontend::Bindings bindings;      // of the caller's inputs
  Sources sources;                  // their data; they outlive the round
  std::vector<std::string> reads;   // inputs that are results which earlier rounds left
  std::vector<std::string> leaves;  // results that later rounds may read, under their names
  int64_t num_runs = 1;             // of its one plan, each timed
  /// The identities of some of the sources' data (checkpoints/names.h), for results of an earlier
  /// part of the round: how they were made.
  std::map<std::string, std::string> identities = {};
};

/// The targets of a round's results. Results that the round leaves need no sink; the caller commits
/// the others.
struct Outlets {
  Sinks sinks;
  RunControl control;
};

/// A program as a sequence of rounds (Session::execute). A program with known extents is one round;
/// facts that only a run can tell (a number of rows, whether a step was the last) are in the
/// results left when the next round is asked for.
class Rounds {
 public:
  virtual ~Rounds() = default;

  /// Returns the next round, given the results of those before it; nothing behind the last.
  virtual std::optional<Round> next(const Sources& left) = 0;

  /// Called when the round's plan exists and nothing of it has run: the place to open its results'
  /// files.
  virtual void planned(const Stages& stages) = 0;

  /// True if anyone reads the stages before the tasks once the plan exists. Else a plan that is run
  /// at once is all that is held while it runs.
  virtual bool reads_stages() const { return true; }

  /// Called with a note to the user on how the round is run, before anything of it is.
  virtual void noted(const std::string& /*text*/) {}

  /// Returns, for each run of the plan, or of each of its frames or parts: sinks for its results,
  /// without those of other frames, and its listeners.
  virtual Outlets outlets(const Plan& plan) = 0;

  /// Called when the plan, or the next of its frames or parts, has run as often as required.
  virtual void ran(const Plan& plan, std::vector<runtime::RunReport> reports) = 0;

  /// Called when all of the round has run.
  virtual void done(const Stages& stages) = 0;
};

}  // namespace tessera::engine
