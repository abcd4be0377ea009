#include "engine/candidates/candidate_search.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/error.h"
#include "optimizer/partition/slicing/ways_to_slice.h"
#include "placement/planner.h"
#include "plan/plan_size.h"

namespace tessera::engine {

namespace {

/// The shares of the budget for intermediates of one statement, because others are held with them.
constexpr int64_t kShares[] = {2, 8, 32};
/// A bound on intermediates that none keeps, so that the smallest are taken.
constexpr int64_t kLeastIntermediateBytes = 1;
/// The part of the seconds that a plan with slices, or with coarser cuts, may take: slices make
/// more tasks, and coarse cuts spill or leave workers idle, while the end is only an estimate.
constexpr double kSurelySooner = 0.85;
/// Seconds to plan and judge one task, measured with several sites. The search for slices stops
/// when planning has cost more than the best run so far. The free tasks of every plan are not
/// counted, so small plans get the same slices on every machine.
constexpr double kPlanningSecondsOfTask = 3e-5;
constexpr double kNever = std::numeric_limits<double>::infinity();

int64_t power_of_two_below(int64_t bytes) {
  int64_t power = 1;
  while (power <= (bytes - 1) / 2) {
    power *= 2;
  }
  return power;
}

bool makes_more_than(const einsum::Graph& graph, int64_t bytes) {
  return std::any_of(graph.vertices.begin(), graph.vertices.end(), [&](const auto& vertex) {
    const bool is_made = std::visit(
        Overload{
            [](const einsum::Input&) { return false; },
            [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) { return true; }},
        vertex.op);
    return is_made && size_in_bytes(vertex.type) > bytes;
  });
}

/// True if a candidate requires finer cuts than those that run best.
bool is_bounded(const Candidate& candidate) {
  return candidate.most_call_bytes || !candidate.slices.empty();
}

/// True if there are no figures to compare.
bool is_without_plan(const Trial& trial) {
  return std::holds_alternative<NoPlan>(trial.outcome) ||
         std::holds_alternative<Beaten>(trial.outcome);
}

bool has_too_many(const Trial& trial) {
  const auto* no_plan = std::get_if<NoPlan>(&trial.outcome);
  return no_plan != nullptr && no_plan->num_tasks > plan::kFreeTasks;
}

}  // namespace

std::optional<Candidate> CandidateSearch::propose() {
  if (trials_.empty()) {
    Candidate first;
    if (!placements_.empty()) {
      first.places = placements_[num_placements_tried_++];
    }
    return first;
  }
  if (std::optional<Candidate> coarser = coarser_cuts()) {
    return coarser;
  }
  if (std::optional<Candidate> other = other_placement()) {
    return other;
  }
  if (current().placed() != nullptr) {
    return std::nullopt;  // nothing suggests that another would be better
  }
  if (std::optional<Candidate> finer = finer_cuts()) {
    return finer;
  }
  end_cuts();
  if (std::optional<Candidate> other = other_slices()) {
    return other;
  }
  return other_order();
}

void CandidateSearch::record(Trial trial, const einsum::Graph& optimized) {
  program_ = &optimized;
  trials_.push_back(std::move(trial));
  const size_t last = trials_.size() - 1;
  if (is_placing_) {
    if (!is_without_plan(trials_[last])) {
      note_placed(last);
      current_ = best_of(placed_);
      with_cuts_ = current_;
    }
    return;
  }
  current_ = last;
  const Figures* const planned = current().figures();
  num_sliced_tasks_ +=
      planned == nullptr || current().candidate.slices.empty() ? 0 : planned->num_tasks;
  if (is_unplaced(current())) {
    return;
  }
  const bool is_repeated =
      !is_bounded(current().candidate) && is_without_plan(current()) && !has_too_many(current());
  TESSERA_CHECK(!is_repeated || !with_order_.empty(), "there is a plan without bounds");
  if (current().placed() != nullptr) {
    with_cuts_ = last;
    return;
  }
  if (is_repeated) {
    with_cuts_ = with_order_.front();
    num_shares_tried_ = std::size(kShares);
    return;
  }
  const Figures* figures = current().figures();
  if (figures != nullptr && (!with_cuts_ || are_better_cuts(*figures, figures_of(*with_cuts_)))) {
    with_cuts_ = last;
  }
}

size_t CandidateSearch::chosen() const {
  if (with_order_.empty()) {
    return with_slices_.value_or(with_cuts_.value_or(0));
  }
  // With the smallest intermediates of all if neither of the first two fits.
  return best_of({with_order_.front(), with_order_.back()});
}

const Figures& CandidateSearch::figures_of(size_t trial) const {
  return *trials_[trial].figures();
}

/// True if finer cuts need less memory than coarser ones that do not fit, or if coarser ones that
/// fit do not surely end clearly earlier.
bool CandidateSearch::are_better_cuts(const Figures& finer, const Figures& coarser) const {
  return fits(coarser, budget_)
             ? kSurelySooner * sure_end(finer, budget_) <= sure_end(coarser, budget_)
             : finer.smallest_budget < coarser.smallest_budget;
}

/// Returns a candidate without requirements, placed like the current one.
Candidate CandidateSearch::without_bounds() const {
  Candidate candidate;
  candidate.places = current().candidate.places;
  return candidate;
}

/// Returns the best candidate so far with the next placement, if there is a plan to compare with.
std::optional<Candidate> CandidateSearch::other_placement() {
  is_placing_ = num_placements_tried_ < placements_.size();
  if (!is_placing_) {
    return std::nullopt;
  }
  if (placed_.empty() && !is_without_plan(current())) {
    note_placed(current_);
  }
  Candidate other = current().candidate;
  other.places = placements_[num_placements_tried_++];
  return other;
}

/// True if a planner could not place a program, and another one is left.
bool CandidateSearch::is_unplaced(const Trial& trial) const {
  return is_without_plan(trial) && !has_too_many(trial) &&
         num_placements_tried_ < placements_.size();
}

void CandidateSearch::note_placed(size_t trial) {
  const bool is_default = trials_[trial].candidate.places == placement::kDefaultPlanner;
  placed_.insert(is_default ? placed_.begin() : placed_.end(), trial);
}

double CandidateSearch::latest_end() const {
  const Figures* figures = is_placing_ ? current().figures() : nullptr;
  return figures == nullptr ? kNever : engine::latest_end(*figures);
}

/// Returns the last candidate with fewer calls, if it had too many tasks and no bound requires
/// them: as many calls as would suffice if tasks were in proportion, and at most half.
std::optional<Candidate> CandidateSearch::coarser_cuts() const {
  const Trial& last = current();
  if (is_bounded(last.candidate) || !has_too_many(last)) {
    return std::nullopt;
  }
  const int64_t before = last.candidate.most_calls.value_or(granularity_.most_calls);
  TESSERA_CHECK(before > 0, "the coarsest cuts of all have a plan");
  const double share = static_cast<double>(plan::kFreeTasks) /
                       static_cast<double>(std::get<NoPlan>(last.outcome).num_tasks);
  Candidate coarser = last.candidate;
  coarser.most_calls = static_cast<int64_t>(static_cast<double>(before) * std::min(share, 0.5));
  return coarser;
}

/// Returns the last candidate with half the bytes for a call; nothing if it runs well or has no
/// plan, or if calls would be too small while the budget holds larger ones.
std::optional<Candidate> CandidateSearch::finer_cuts() const {
  const Figures* figures = current().figures();
  if (!freedom_.cuts || figures == nullptr || runs_well(*figures, budget_)) {
    return std::nullopt;
  }
  Candidate finer = current().candidate;
  finer.most_call_bytes = finer.most_call_bytes ? *finer.most_call_bytes / 2
                                                : power_of_two_below(figures->smallest_budget);
  const bool is_small = *finer.most_call_bytes < granularity_.least_budget_call_bytes;
  const bool is_needed = *finer.most_call_bytes > 0 && !fits(figures_of(*with_cuts_), budget_);
  return !is_small || is_needed ? std::optional(std::move(finer)) : std::nullopt;
}

/// Records the best cuts for the last tried slices.
void CandidateSearch::end_cuts() {
  const Best best = std::exchange(with_cuts_, std::nullopt);
  if (!best) {
    return;
  }
  if (!with_slices_) {
    with_slices_ = best;
    return;
  }
  sliced_seconds_ = std::min(sliced_seconds_, figures_of(*best).seconds);
  const bool is_sliced = !trials_[*with_slices_].candidate.slices.empty();
  const double share = is_sliced ? 1 : kSurelySooner;
  if (figures_of(*best).seconds < share * figures_of(*with_slices_).seconds) {
    with_slices_ = best;
  }
}

std::optional<Candidate> CandidateSearch::other_slices() {
  if (!freedom_.cuts || !with_slices_ || !slices_pay()) {
    slices_left_.clear();
    return std::nullopt;
  }
  while (slices_left_.empty()) {
    if (!finds_other_slices()) {
      return std::nullopt;
    }
  }
  Candidate candidate = without_bounds();
  candidate.most_intermediate_bytes = current().candidate.most_intermediate_bytes;
  candidate.most_calls = trials_[*with_slices_].candidate.most_calls;
  candidate.slices = std::move(slices_left_.front());
  slices_left_.pop_front();
  return candidate;
}

bool CandidateSearch::slices_pay() const {
  const double seconds = kPlanningSecondsOfTask * static_cast<double>(num_sliced_tasks_);
  return num_sliced_tasks_ <= plan::kFreeTasks || seconds < figures_of(*with_slices_).seconds;
}

/// Goes on to the next share of the budget. Returns false if smaller ones would not help.
bool CandidateSearch::finds_other_slices() {
  const Figures& best = figures_of(*with_slices_);
  const bool is_first = num_shares_tried_ == 0;
  const bool gets_worse = sliced_seconds_ >= sliced_before_ && sliced_seconds_ < kNever;
  if (!fits(best, budget_) || best.paging.num_spills == 0 || (!is_first && gets_worse) ||
      num_shares_tried_ == std::size(kShares)) {
    return false;
  }
  sliced_before_ = sliced_seconds_;
  if (is_first) {
    sliced_before_ = kNever;
  }
  sliced_seconds_ = kNever;
  const int64_t share = budget_.bytes / kShares[num_shares_tried_++];
  for (std::vector<optimizer::partition::Slice>& slices :
       optimizer::partition::ways_to_slice(*program_, share)) {
    slices_left_.push_back(std::move(slices));
  }
  return true;
}

/// Returns another order of contraction, if the best plan so far spills or does not fit.
std::optional<Candidate> CandidateSearch::other_order() {
  if (!with_slices_) {
    return std::nullopt;
  }
  with_order_.push_back(*std::exchange(with_slices_, std::nullopt));
  num_shares_tried_ = 0;
  num_sliced_tasks_ = 0;
  const Figures& best = figures_of(with_order_.back());
  Candidate other = without_bounds();
  switch (with_order_.size()) {
    case 1: {
      const bool spills = !fits(best, budget_) || best.paging.num_spills > 0;
      other.most_intermediate_bytes = budget_.bytes;
      return freedom_.order && spills && makes_more_than(*program_, budget_.bytes)
                 ? std::optional(std::move(other))
                 : std::nullopt;
    }
    case 2:
      other.most_intermediate_bytes = kLeastIntermediateBytes;
      return !fits(best, budget_) && !fits(figures_of(with_order_.front()), budget_)
                 ? std::optional(std::move(other))
                 : std::nullopt;
    default:
      return std::nullopt;
  }
}

size_t CandidateSearch::best_of(const std::vector<size_t>& trials) const {
  std::vector<Outcome> outcomes;
  for (const size_t trial : trials) {
    outcomes.push_back(trials_[trial].outcome);
  }
  return trials[engine::best_of(outcomes)];
}

}  // namespace tessera::engine
