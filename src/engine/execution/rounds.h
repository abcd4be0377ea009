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

/// What is planned at once: a program all of whose extents are known before it runs.
struct Round {
  Source source;
  frontend::Bindings bindings;      // of the inputs that are the caller's
  Sources sources;                  // their data; they outlive the round
  std::vector<std::string> reads;   // inputs that are results which earlier rounds left
  std::vector<std::string> leaves;  // results that later rounds may read, under their names
  int64_t num_runs = 1;             // of its one plan, each timed
  /// What tells the data of some of the sources from others (checkpoints/names.h), where that is
  /// how they were made: of what an earlier part of the round left.
  std::map<std::string, std::string> identities = {};
};

/// Where the results of a round go. What the round leaves needs no sink; committing the others is
/// the caller's.
struct Outlets {
  Sinks sinks;
  RunControl control;
};

/// A program as its rounds, one after the other (Session::execute). A program whose extents are all
/// known is one round; what a run alone can tell (a number of rows, whether a step was the last) is
/// in what it left when the next round is asked for.
class Rounds {
 public:
  virtual ~Rounds() = default;

  /// The next round, in view of what those before it left; nothing behind the last.
  virtual std::optional<Round> next(const Sources& left) = 0;

  /// The round's plan is there and nothing of it has run: the place to open what its results go to.
  virtual void planned(const Stages& stages) = 0;

  /// Whether anyone asks for the stages before the tasks once the plan is there. Else a plan that
  /// is run at once is all that is held while it runs.
  virtual bool reads_stages() const { return true; }

  /// What the user should know of how the round is run, before anything of it is.
  virtual void noted(const std::string& /*text*/) {}

  /// For each run of the plan, or, where it has frames or is run in parts, of each of these: sinks
  /// for its results, those of other frames need not be among them, and who follows it.
  virtual Outlets outlets(const Plan& plan) = 0;

  /// The plan, or the next of its frames or parts, has run as often as it was to.
  virtual void ran(const Plan& plan, std::vector<runtime::RunReport> reports) = 0;

  /// All of the round has run.
  virtual void done(const Stages& stages) = 0;
};

}  // namespace tessera::engine
