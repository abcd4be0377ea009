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

/// One way to plan a program: what is asked of the order of its contractions and of its cuts. By
/// default the fewest operations, cut as runs best.
struct Candidate {
  /// What no intermediate of a contraction should exceed (optimizer/einsum/driver.h).
  std::optional<int64_t> most_intermediate_bytes;
  std::optional<int64_t> most_calls;                // of all statements, or as many as are useful
  std::optional<int64_t> most_call_bytes;           // that the tiles of one kernel call may take
  std::vector<optimizer::partition::Slice> slices;  // labels to be cut wherever they flow
  std::optional<std::string> places;  // what places tiles on several sites (placement/planner.h)
  friend bool operator==(const Candidate&, const Candidate&) = default;
};

/// What counts of a candidate's plan under a budget.
struct Figures {
  int64_t num_frames = 1;       // in which its tasks are made (plan/frames.h)
  int64_t num_tasks = 0;        // of all
  int64_t peak_bytes = 0;       // of tiles and workspace, at most
  int64_t plan_bytes = 0;       // of plan and program themselves, as far as they count
  int64_t smallest_budget = 0;  // with them
  plan::Paging paging;          // expected, where the plan fits
  double moved_bytes = 0;       // between sites
  double read_again_bytes = 0;  // of inputs, by sites that read what others read too
  double seconds = 0;           // until it is expected to end; infinite where it does not fit
  double alone_seconds = 0;     // the same with one worker on each site
};

/// What counts of a candidate's placement on so many sites that it has no tasks to be judged by, in
/// bytes (optimizer/ia/communication.h).
struct PlacedFigures {
  double moved_bytes = 0;   // between sites
  double excess_bytes = 0;  // what the busiest site handles beyond an even share

  double total() const { return moved_bytes + excess_bytes; }
};

/// Why a candidate has no plan.
struct NoPlan {
  std::string reason;
  int64_t num_tasks = 0;  // that it would have, where these are too many
};

/// A placement by which a plan surely ends later than another one: its tasks are not made.
struct Beaten {
  double least_moved_bytes = 0;  // between sites
  double least_seconds = 0;      // it cannot end sooner
};

/// What came of a candidate.
using Outcome = std::variant<Figures, PlacedFigures, NoPlan, Beaten>;

/// A candidate that was tried, and what came of it.
struct Trial {
  Candidate candidate;
  Outcome outcome;

  /// Null where there are no tasks.
  const Figures* figures() const { return std::get_if<Figures>(&outcome); }
  /// Null where it is for one site, or there is no plan, or another one is surely better.
  const PlacedFigures* placed() const { return std::get_if<PlacedFigures>(&outcome); }
};

/// The best of several plans, by number, the first of equals: of those that end as soon as the
/// soonest, as far as can be told, the one that moves least between sites; of plans that never end
/// the one that needs least memory; of placements without tasks the one that costs least. One after
/// the other they may not be compared: each could end a little later than the one before. REQUIRES
/// at least one, all with a plan of one kind.
size_t best_of(const std::vector<Outcome>& outcomes);

/// Plans that end later than this are no better than one with such figures, whatever they move.
double latest_end(const Figures& figures);

/// Whether a plan is the better of two.
bool is_better(const Outcome& one, const Outcome& other);

/// What a plan pages with what is left of a budget for its tiles: about what one worker pages under
/// the part of it that the others' tasks leave. REQUIRES the plan fits.
plan::Paging expected_paging(const plan::TaskGraph& graph, const Budget& left);

/// Judges a plan under a budget of every space, of which the program holds so many bytes.
///
/// Until the end it takes what the busiest site computes with its workers, what the busiest one
/// sends or receives (Two-phase §4: max_s T_F + max_s T_pi), and what is paged, as fast as the
/// links say.
Figures figures_of(const plan::TaskGraph& graph, int64_t program_bytes, const Budget& budget,
                   const Links& links);

/// Bytes of inputs that the sites of a plan read beyond each input once; 0 on one site. A site that
/// reads a tile itself is not sent it, so what a lower bound counts as moved may be read instead.
double read_again_bytes(const plan::TaskGraph& graph);

/// Of frames that run one after the other: times and bytes add up, memory is that of the one that
/// needs most.
Figures followed_by(const Figures& before, const Figures& after);

/// Seconds until a plan surely ends: with one worker alone if its tasks leave no room for those of
/// the others.
double sure_end(const Figures& figures, const Budget& budget);

/// Whether a plan runs under a budget at all.
bool fits(const Figures& figures, const Budget& budget);

/// What a plan, and a program that holds so many bytes, leave of a budget for tiles and workspaces.
Budget left_by(const plan::TaskGraph& graph, int64_t program_bytes, Budget budget);

/// Whether nothing is paged, or each worker has room for a task while the next one is being
/// fetched, or half of it where tasks are small.
bool runs_well(const Figures& figures, const Budget& budget);

}  // namespace tessera::engine
