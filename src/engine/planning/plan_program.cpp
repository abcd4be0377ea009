#include "engine/planning/plan_program.h"

#include <algorithm>
#include <limits>
#include <list>
#include <utility>

#include "base/overload.h"
#include "engine/candidates/candidate_search.h"
#include "engine/planning/copied_results.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/lowering.h"
#include "engine/planning/program_size.h"
#include "engine/planning/verified.h"
#include "plan/memory.h"
#include "plan/plan_size.h"

namespace tessera::engine {

namespace {

/// The bytes beyond which inputs are gathered from their files at any cost in time; none: the time
/// decides.
using LargestGathered = std::optional<int64_t>;

/// A program optimized in one order of its contractions.
struct OrderedProgram {
  std::optional<int64_t> most_intermediate_bytes;
  optimizer::Optimized optimized;
};

optimizer::Optimized optimized(const einsum::Graph& graph,
                               std::optional<int64_t> most_intermediate_bytes,
                               LargestGathered largest_gathered, const Setup& setup) {
  optimizer::OptimizeOptions options;
  options.disabled = setup.settings().rules_off;
  options.wishes = {most_intermediate_bytes, setup.settings().effort_seconds, largest_gathered};
  options.view = view_for<einsum::Graph>(setup);
  return optimizer::optimize(graph, setup.rules(), setup.context(), options);
}

/// Returns the program in an order of its contractions; makes every order once. References stay
/// valid.
optimizer::Optimized& in_order(std::list<OrderedProgram>& orders, const einsum::Graph& bound,
                               LargestGathered largest_gathered, const Candidate& candidate,
                               const Setup& setup) {
  const auto known = std::find_if(orders.begin(), orders.end(), [&](const OrderedProgram& order) {
    return order.most_intermediate_bytes == candidate.most_intermediate_bytes;
  });
  if (known != orders.end()) {
    return known->optimized;
  }
  orders.push_back({candidate.most_intermediate_bytes,
                    optimized(bound, candidate.most_intermediate_bytes, largest_gathered, setup)});
  return orders.back().optimized;
}

/// True if a candidate would plan the first order of contraction again.
bool repeats_first_order(const std::list<OrderedProgram>& orders, const Candidate& candidate,
                         const einsum::Graph& program) {
  Candidate other_order;
  other_order.most_intermediate_bytes = candidate.most_intermediate_bytes;
  other_order.places = candidate.places;
  return candidate.most_intermediate_bytes && candidate == other_order &&
         program == orders.front().optimized.graph;
}

/// Returns what may be varied: cuts, unless they were given; and the order of a contraction, unless
/// its bits are to be the same under every budget.
Freedom freedom_of(const Settings& settings) {
  return {!settings.reproducible, settings.tile.empty() && !settings.pieces};
}

/// Returns the planners of placements in the order of trying.
std::vector<std::string> quick_first(const Setup& setup) {
  std::vector<std::string> names = setup.placements();
  std::stable_partition(names.begin(), names.end(), [&](const std::string& name) {
    return setup.placement_planners().find(name)->is_quick;
  });
  return names;
}

Trial judged(Candidate candidate, const LoweredOrNot& outcome, int64_t program_bytes,
             const Setup& setup) {
  if (const auto* no_plan = std::get_if<NoPlan>(&outcome)) {
    return {std::move(candidate), *no_plan};
  }
  if (const auto* beaten = std::get_if<Beaten>(&outcome)) {
    return {std::move(candidate), *beaten};
  }
  const auto& lowered = std::get<Lowered>(outcome);
  return {std::move(candidate), outcome_of(lowered.placed, lowered.tasks, program_bytes, setup)};
}

/// Returns why tasks do not fit the budget; for frames, the shortage of the one that needs most.
std::optional<plan::Shortage> shortage_of(const Tasks& tasks, const plan::Held& held,
                                          const Budget& budget, const Setup& setup) {
  const auto of_graph = [&](const plan::TaskGraph& graph) {
    return plan::shortage_of(graph, budget.bytes, held);
  };
  return std::visit(
      Overload{[](std::monostate) { return std::optional<plan::Shortage>(); }, of_graph,
               [&](const std::vector<plan::Frame>& frames) {
                 std::optional<plan::Shortage> most;
                 for (const plan::Frame& frame : frames) {
                   const auto shortage = of_graph(tasks_of_frame(frame.placed, setup));
                   if (shortage && (!most || shortage->smallest_budget > most->smallest_budget)) {
                     most = shortage;
                   }
                 }
                 return most;
               }},
      tasks);
}

/// Returns why a candidate's plan does not fit the budget; nothing if it fits or there are no
/// tasks.
std::optional<plan::Shortage> shortage_of(const Trial& trial, const LoweredOrNot& outcome,
                                          const plan::Held& held, const Setup& setup) {
  const Figures* figures = trial.figures();
  const Budget& budget = setup.budget();
  return figures == nullptr || fits(*figures, budget)
             ? std::nullopt
             : shortage_of(std::get<Lowered>(outcome).tasks, held, budget, setup);
}

Reached finished(einsum::Graph bound, optimizer::Optimized optimized, Lowered lowered,
                 const CandidateSearch& search) {
  optimizer::append(optimized.report, std::move(lowered.report));
  Choices choices{std::move(bound),
                  std::move(optimized.graph),
                  std::move(optimized.report),
                  std::move(lowered.partition),
                  search.trials(),
                  search.chosen()};
  return reached(
      FromProgram{std::move(choices), std::move(lowered.relations), std::move(lowered.placed)},
      std::move(lowered.tasks));
}

/// The stages of the best candidate so far, without its tasks, which take the memory of a plan and
/// are quickly made again.
class BestWithoutTasks {
 public:
  /// Keeps the last trial's stages, if it is the best so far.
  void keep(const CandidateSearch& search, LoweredOrNot& last) {
    const size_t num_trials = search.trials().size();
    auto* lowered = std::get_if<Lowered>(&last);
    if (lowered != nullptr && search.chosen() + 1 == num_trials) {
      trial_ = num_trials - 1;
      stages_ = std::move(*lowered);
      stages_->tasks = std::monostate();
    }
  }

  /// Returns the stages with tasks; nothing if another trial was kept.
  std::optional<Lowered> with_tasks(size_t trial, const Setup& setup) && {
    if (!stages_ || trial != trial_) {
      return std::nullopt;
    }
    stages_->tasks = tasks_of(stages_->placed, setup);
    return std::move(stages_);
  }

 private:
  size_t trial_ = 0;
  std::optional<Lowered> stages_;
};

/// Returns the conditions of a refusal's smallest budget, and why no cuts are finer.
std::string advice(const CandidateSearch& search, const Budget& budget) {
  const bool is_capped =
      std::any_of(search.trials().begin(), search.trials().end(), [](const Trial& trial) {
        const auto* no_plan = std::get_if<NoPlan>(&trial.outcome);
        return no_plan != nullptr && no_plan->num_tasks > 0;
      });
  // There cannot be fewer than one worker, so saying so would be no advice.
  return fmt::format("{}{}",
                     budget.workers == 1 ? "" : fmt::format(", with {} workers", budget.workers),
                     is_capped ? fmt::format("; finer cuts would need more than the {} tasks that "
                                             "a plan of chosen cuts has at most",
                                             plan::kFreeTasks)
                               : "");
}

/// A plan of a program, or the refusal if none fits the budget.
using PlannedOrNot = std::variant<Reached, plan::BudgetError>;

/// A search for the best plan of a program with given gathering of inputs.
class PlanSearch {
 public:
  PlanSearch(einsum::Graph& bound, LargestGathered largest_gathered, const Setup& setup)
      : bound_(bound),
        largest_gathered_(largest_gathered),
        setup_(setup),
        freedom_(freedom_of(setup.settings())),
        held_(held_by(bound)),
        search_(setup.budget(), freedom_, setup.machine().granularity, quick_first(setup)) {}

  /// Runs the search. A plan takes the program. REQUIRES that this is the only run.
  PlannedOrNot run() {
    try_candidates();
    const std::optional<plan::Shortage>& shortage = shortages_[search_.chosen()];
    if (shortage && freedom_.cuts) {
      return plan::BudgetError(*shortage, advice(search_, setup_.budget()));
    }
    take_chosen();
    optimizer::Optimized& program = in_order(chosen());
    return finished(std::move(bound_), std::move(program), std::move(std::get<Lowered>(last_)),
                    search_);
  }

  /// Returns the program in the order with the fewest operations.
  const einsum::Graph& program() { return in_order({}).graph; }

 private:
  optimizer::Optimized& in_order(const Candidate& candidate) {
    return engine::in_order(orders_, bound_, largest_gathered_, candidate, setup_);
  }
  const Candidate& chosen() const { return search_.trials()[search_.chosen()].candidate; }

  void try_candidates() {
    while (std::optional<Candidate> candidate = search_.propose()) {
      best_.keep(search_, last_);
      last_ = NoPlan();  // plans may be large: one at a time
      const einsum::Graph& program = in_order(*candidate).graph;
      if (repeats_first_order(orders_, *candidate, program)) {
        last_ = NoPlan{"the order with the fewest operations is the one"};
      } else {
        last_ = lower(program, *candidate, search_.latest_end(), setup_);
      }
      Trial trial = judged(std::move(*candidate), last_, held_.bytes, setup_);
      shortages_.push_back(shortage_of(trial, last_, held_, setup_));
      search_.record(std::move(trial), program);
    }
  }

  /// Makes the chosen plan the last one.
  void take_chosen() {
    if (search_.chosen() + 1 == search_.trials().size()) {
      return;
    }
    last_ = NoPlan();
    std::optional<Lowered> known = std::move(best_).with_tasks(search_.chosen(), setup_);
    last_ = known ? std::move(*known)
                  : lower(in_order(chosen()).graph, chosen(),
                          std::numeric_limits<double>::infinity(), setup_);
  }

  einsum::Graph& bound_;
  LargestGathered largest_gathered_;
  const Setup& setup_;
  Freedom freedom_;
  plan::Held held_;
  CandidateSearch search_;
  std::list<OrderedProgram> orders_;
  LoweredOrNot last_ = NoPlan();
  BestWithoutTasks best_;
  std::vector<std::optional<plan::Shortage>> shortages_;  // by trial
};

/// Returns the limits to try. Inputs are gathered if that takes less time than reading all of them;
/// if nothing then fits the budget, also those that take much of it, and in the end all. So a plan
/// that fits a budget fits every larger one.
std::vector<LargestGathered> gathers_to_try(const Budget& budget) {
  constexpr int64_t kShareOfInput = 8;
  return {std::nullopt, budget.bytes / kShareOfInput, 0};
}

}  // namespace

Reached plan_program(einsum::Graph bound, const Setup& setup) {
  bound = with_copied_results(std::move(bound));
  if (freedom_of(setup.settings()).cuts) {
    // The budget is that of every site: each may be a machine of its own.
    check_leaves_room(held_by(bound), setup.budget().bytes);
  }
  std::optional<plan::BudgetError> refusal;
  std::optional<einsum::Graph> last_program;
  for (const LargestGathered& largest : gathers_to_try(setup.budget())) {
    PlanSearch search(bound, largest, setup);
    if (last_program && *last_program == search.program()) {
      continue;
    }
    PlannedOrNot planned = search.run();
    if (auto* reached = std::get_if<Reached>(&planned)) {
      return std::move(*reached);
    }
    const auto& refused = std::get<plan::BudgetError>(planned);
    if (!refusal || refused.shortage().smallest_budget < refusal->shortage().smallest_budget) {
      refusal = refused;
    }
    last_program = search.program();
  }
  throw plan::BudgetError(*refusal);
}

}  // namespace tessera::engine
