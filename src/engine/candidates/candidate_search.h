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

/// The freedom of a plan's choice.
struct Freedom {
  bool order = true;  // of contractions
  bool cuts = true;
};

/// The search for a program's plan: it proposes a candidate, records its outcome, and proposes the
/// next, until one is chosen. It makes no plans itself (plan_program.h).
///
/// It varies four things. After the first, the next is tried only if the one before does not help:
/// 0. *Placements* on several sites: those of every given planner, with the same cuts. The search
///   goes on with the one that ends earliest.
/// 1. *Cuts.* If the best running cuts make too many tasks, all statements together get fewer
///   calls. Then cuts get finer until the plan runs well in the budget. Coarser ones that fit are
///   kept only if they end clearly earlier, with one worker alone if they have room for no more; if
///   none fits, those that need least memory are the best. Calls too small to be worth a task are
///   made only if no larger ones fit.
/// 2. *Slices.* If the best plan would spill intermediates, labels are sliced instead, provided the
///   plan is expected to end clearly earlier.
/// 3. *Orders of contraction.* If the best plan of the orders with the fewest operations still
///   spills or does not fit, and makes more than the budget holds, orders with smaller
///   intermediates are tried. If none of them fits, those with the smallest are the last.
///
/// Bounds on cuts are powers of two, and the first and the last orders are the same for every
/// budget, so that there is one smallest budget for a program: every larger one succeeds too. If
/// the budget is below that, the plan is the one of the smallest budget.
class CandidateSearch {
 public:
  /// Takes the names of the placement planners to try, in this order; none on one site. Among
  /// equals the default planner's is taken, then the first.
  CandidateSearch(Budget budget, Freedom freedom, const Granularity& granularity,
                  std::vector<std::string> placements = {})
      : budget_(budget),
        freedom_(freedom),
        granularity_(granularity),
        placements_(std::move(placements)) {}

  /// Returns the next candidate to try; nothing when the choice is made. REQUIRES that the last
  /// one's outcome was recorded.
  std::optional<Candidate> propose();

  /// Records the outcome of the last proposed candidate, and the program that it plans, in its
  /// order of contraction. An order without a plan because it repeats the first one is not pursued.
  /// REQUIRES that the graph outlives the search, and a plan for any other candidate without
  /// bounds, except if it has too many tasks and for placements of which another one is left.
  void record(Trial trial, const einsum::Graph& optimized);

  /// Returns, for a proposed placement, the time after which plans are no better than another.
  /// Infinite if there is nothing to compare with.
  double latest_end() const;

  /// All trials, in order, and the number of the chosen one. REQUIRES one was recorded.
  const std::vector<Trial>& trials() const { return trials_; }
  size_t chosen() const;

 private:
  /// The best of the trials that differ only in their cuts, or in cuts and slices.
  using Best = std::optional<size_t>;

  const Figures& figures_of(size_t trial) const;
  /// Returns the trial that the next candidate is made from.
  const Trial& current() const { return trials_[current_]; }
  bool are_better_cuts(const Figures& finer, const Figures& coarser) const;
  Candidate without_bounds() const;
  std::optional<Candidate> other_placement();
  std::optional<Candidate> coarser_cuts() const;
  std::optional<Candidate> finer_cuts() const;
  void end_cuts();
  std::optional<Candidate> other_slices();
  bool finds_other_slices();
  /// Returns false once plans of slices have taken longer than they could save.
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
  bool is_placing_ = false;     // the last candidate differs from the current one in its placement
  std::vector<size_t> placed_;  // trials that differ in their placements, with a plan; among
                                // equals the first is taken

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
  std::vector<size_t> with_order_;  // the best of every finished order
};

}  // namespace tessera::engine
