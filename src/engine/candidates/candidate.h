#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/budget.h"
#include "machine/machine.h"
#include "optimizer/partition/model/options.h"
#include "plan/paging.h"
#include "plan/task_graph.h"

namespace tessera::engine {

/// A candidate plan of a program: the requirements on the order of its contractions and on its
/// cuts. By default the fewest operations, with the cuts that run best.
struct Candidate {
  /// The bound that no intermediate of a contraction should exceed (optimizer/einsum/driver.h).
  std::optional<int64_t> most_intermediate_bytes;
  // of all statements; by default as many as are useful
  std::optional<int64_t> most_calls;
  std::optional<int64_t> most_call_bytes;           // for the tiles of one kernel call
  std::vector<optimizer::partition::Slice> slices;  // labels to be cut wherever they flow
  // planner of placements on several sites (placement/planner.h)
  std::optional<std::string> places;
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// The figures of a candidate's plan under a budget.
struct Figures {
  int64_t num_frames = 1;       // number of frames of its tasks (plan/frames.h)
  int64_t num_tasks = 0;        // of all
  int64_t peak_bytes = 0;       // of tiles and workspace, at most
  int64_t plan_bytes = 0;       // of plan and program themselves, as far as counted
  int64_t smallest_budget = 0;  // with them
  plan::Paging paging;          // expected, if the plan fits
  double moved_bytes = 0;       // between sites
  double read_again_bytes = 0;  // of inputs, by sites that read the same tiles
  double seconds = 0;           // expected until its end; infinite if it does not fit
  double alone_seconds = 0;     // likewise with one worker on each site
};

/// The figures of a candidate's placement on too many sites for its tasks to be made, in bytes
/// (optimizer/ia/communication.h).
struct PlacedFigures {
  double moved_bytes = 0;   // between sites
  double excess_bytes = 0;  // on the busiest site, beyond an even share

  double total() const { return moved_bytes + excess_bytes; }
};

/// The reason that a candidate has no plan.
struct NoPlan {
  std::string reason;
  int64_t num_tasks = 0;  // estimated, if these are too many
};

/// A placement whose plan surely ends later than another one: its tasks are not made.
struct Beaten {
  double least_moved_bytes = 0;  // between sites
  double least_seconds = 0;      // it cannot end sooner
};

/// The outcome of a candidate.
using Outcome = std::variant<Figures, PlacedFigures, NoPlan, Beaten>;

/// A tried candidate, with its outcome.
struct Trial {
  Candidate candidate;
  Outcome outcome;

  /// Returns the figures; null if there are no tasks.
  const Figures* figures() const { return std::get_if<Figures>(&outcome); }
  /// Returns the placement's figures; null on one site, and if there is no plan or another is
  /// surely better.
  const PlacedFigures* placed() const { return std::get_if<PlacedFigures>(&outcome); }
};

/// Returns the number of the best of several plans, the first of equals: among those that end as
/// early as the earliest, within the precision of estimates, the one that moves least between
/// sites; among plans that never end the one that needs least memory; among placements without
/// tasks the cheapest. Plans may not be compared pairwise in turn: each could end a little later
/// than the one before. REQUIRES at least one, all with a plan of one kind.
size_t best_of(const std::vector<Outcome>& outcomes);

/// Returns the time after which plans are no better than one with these figures, whatever they
/// move.
double latest_end(const Figures& figures);

/// True if a plan is the better of two.
bool is_better(const Outcome& one, const Outcome& other);

/// Forecasts the paging of a plan with the rest of a budget for its tiles: about that of one worker
/// under the part that the others' tasks leave. REQUIRES the plan fits.
plan::Paging expected_paging(const plan::TaskGraph& graph, const Budget& left);

/// Judges a plan under a budget of every space, of which the program holds `program_bytes`.
///
/// Its time to the end is that of the busiest site's workers, of the busiest site's sends or
/// receives (Two-phase §4: max_s T_F + max_s T_pi), and of paging, at the rates of the links.
Figures figures_of(const plan::TaskGraph& graph, int64_t program_bytes, const Budget& budget,
                   const Links& links);

/// Returns the bytes of inputs that the sites of a plan read beyond reading each input once; 0 on
/// one site. A site that reads a tile itself is not sent it, so bytes that a lower bound counts as
/// moved may be read instead.
double read_again_bytes(const plan::TaskGraph& graph);

/// Combines consecutive frames: times and bytes add up, memory is that of the one that needs most.
Figures followed_by(const Figures& before, const Figures& after);

/// Returns the seconds until a plan surely ends: with one worker if its tasks leave no room for
/// those of others.
double sure_end(const Figures& figures, const Budget& budget);

/// True if a plan runs under a budget at all.
bool fits(const Figures& figures, const Budget& budget);

/// Returns the rest of a budget for tiles and workspaces, after a plan, and a program of
/// `program_bytes`.
Budget left_by(const plan::TaskGraph& graph, int64_t program_bytes, Budget budget);

/// True if nothing is paged, or each worker has room for a task while the next one is fetched, or
/// for half of that if tasks are small.
bool runs_well(const Figures& figures, const Budget& budget);

}  // namespace tessera::engine
