#pragma once

#include <cstddef>
#include <deque>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/candidates/candidate.h"
#include "ir/einsum/graph.h"

namespace tessera::engine {

/// What the choice of a plan may vary.
struct Freedom {
  bool order = true;  // of contractions
  bool cuts = true;
};

/// Chooses how to plan a program: proposes a candidate, is told what came of it, and proposes the
/// next in view of that, until one is chosen. It makes no plans itself (plan_program.h).
///
/// It varies four things, the next only where the one before does not help, but for the first:
/// 0. *Placements* on several sites: every planner's that is given, with the same cuts. The one
///    that ends soonest is gone on with.
/// 1. *Cuts.* Where those that run best make too many tasks, all statements together get fewer
///    calls. Then cuts get finer until the plan runs well in the budget; those that
///    fit before are kept only where they end clearly sooner, with one worker alone if they have
///    room for no more; where none fits, those that need least memory are the best. Calls too small
///    to be worth a task are made only where no larger ones fit.
/// 2. *Slices.* Where the best plan would spill intermediates, labels are sliced instead, where a
///    plan is then expected to end clearly sooner.
/// 3. *Orders of contraction.* Where the best plan of the orders with the fewest operations still
///    spills or does not fit, and makes more than the budget holds, orders are tried that make
///    nothing so large. If none of them fits, those with the smallest intermediates are the last.
///
/// Bounds on cuts are powers of two, and the first and the last orders are the same for every
/// budget, so that there is one smallest budget for a program: every larger one succeeds too. Where
/// the budget is below that, the plan is the one of the smallest budget.
class CandidateSearch {
 public:
  /// With the names of the planners of placements to be tried, in this order; none on one site. Of
  /// equals the default planner's is taken, then the first.
  CandidateSearch(Budget budget, Freedom freedom, const Granularity& granularity,
                  std::vector<std::string> placements = {})
      : budget_(budget),
        freedom_(freedom),
        granularity_(granularity),
        placements_(std::move(placements)) {}

  /// The next candidate to be tried; nothing where the choice is made.
  /// REQUIRES that what came of the last one was recorded.
  std::optional<Candidate> propose();

  /// Takes what came of the candidate that was proposed last, and the program that it plans, in its
  /// order of contraction. An order that has no plan because it is the first one again is not gone
  /// on with. REQUIRES that the graph outlives the search, and a plan for any other candidate
  /// without bounds, but for too many tasks and for placements of which another one is left.
  void record(Trial trial, const einsum::Graph& optimized);

  /// Of a placement that was proposed: plans that end later than this are no better than another.
  /// Infinite where nothing is to be compared with.
  double latest_end() const;

  /// All that was tried, in order, and the number of the one to be taken. REQUIRES one was
  /// recorded.
  const std::vector<Trial>& trials() const { return trials_; }
  size_t chosen() const;

 private:
  /// The best of the trials that differ in their cuts only, or in cuts and slices.
  using Best = std::optional<size_t>;

  const Figures& figures_of(size_t trial) const;
  /// The trial that the next candidate is made from.
  const Trial& current() const { return trials_[current_]; }
  bool are_better_cuts(const Figures& finer, const Figures& coarser) const;
  Candidate without_bounds() const;
  std::optional<Candidate> other_placement();
  std::optional<Candidate> coarser_cuts() const;
  std::optional<Candidate> finer_cuts() const;
  void end_cuts();
  std::optional<Candidate> other_slices();
  bool finds_other_slices();
  /// False once plans of slices have taken longer than what they could save.
  bool slices_pay() const;
  std::optional<Candidate> other_order();
  bool is_unplaced(const Trial& trial) const;
  void note_placed(size_t trial);
  size_t best_of(const std::vector<size_t>& trials) const;

  Budget budget_;
  Freedom freedom_;
  Granularity granularity_;
  std::vector<std::string> placements_;
  size_t num_placements_tried_ = 0;
  bool is_placing_ = false;     // the last candidate differs from the current one by its placement
  std::vector<size_t> placed_;  // trials that differ by their placements, with a plan; of equals
                                // the first is taken

  std::vector<Trial> trials_;
  size_t current_ = 0;                      // the last trial, or the best of the placements
  const einsum::Graph* program_ = nullptr;  // of the last trial

  Best with_cuts_;    // for the order and the slices of the last trial
  Best with_slices_;  // for the order of the last trial
  std::deque<std::vector<optimizer::partition::Slice>> slices_left_;
  size_t num_shares_tried_ = 0;
  int64_t num_sliced_tasks_ = 0;  // of all plans with slices in the order of the last trial
  double sliced_seconds_ = std::numeric_limits<double>::infinity();  // least for the last share
  double sliced_before_ = std::numeric_limits<double>::infinity();   // for the one before
  std::vector<size_t> with_order_;  // the best of every order that was tried to the end
};

}  // namespace tessera::engine
