#include "engine/promise/promised_plan.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/error.h"
#include "engine/checkpoints/checkpoint_plan.h"
#include "engine/checkpoints/parts.h"
#include "engine/checkpoints/vertex_work.h"
#include "engine/forecast/memory_forecast.h"
#include "engine/planning/lowering.h"
#include "engine/planning/pipeline.h"

namespace tessera::engine {

namespace {

/// The most budgets that are tried until one fits; each is the least that a plan asks for.
constexpr int kMostBudgets = 32;

/// Returns the parts between checkpoints of a plan, as programs; none if it is run at once.
std::vector<einsum::Graph> parts_of(const Stages& stages, const Setup& setup) {
  std::vector<einsum::Graph> graphs;
  if (!setup.settings().checkpoint_directory || stages.choices() == nullptr ||
      !stages.is_planned()) {
    return graphs;
  }
  const einsum::Graph& graph = checkpointed_program(stages);
  const CheckpointPlan plan = checkpoint_plan(stages, {}, setup);
  if (!plan.cuts.empty()) {
    for (const ProgramPart& part : parts_to_run(graph, plan.cuts, [](size_t) { return false; })) {
      graphs.push_back(graph_of(part, graph));
    }
  }
  return graphs;
}

/// The margin of a budget that plans for the largest count leave to plans for the real count. Fewer
/// positions are cut into other pieces, and a kernel may need a little more for shorter tiles
/// (measured: 128 bytes of 276 KiB, 104 of 728 bytes).
constexpr int64_t kShareLeft = 8;
constexpr int64_t kBytesLeft = int64_t{16} << 10;

int64_t for_largest_count(int64_t budget) {
  return std::max<int64_t>(1, budget - budget / kShareLeft - kBytesLeft);
}

/// Returns the least budget that leaves plans for the largest number `for_largest` bytes.
int64_t with_bytes_left(int64_t for_largest) {
  return ((for_largest + kBytesLeft) * kShareLeft + kShareLeft - 2) / (kShareLeft - 1);
}

/// Everything that a run plans under one budget.
class WholeRun {
 public:
  WholeRun(const Source& source, const frontend::Bindings& bindings, const Setup& setup)
      : source_(source), bindings_(bindings), setup_(setup) {}

  PromisedPlan plan() {
    Stages first = plan_stages(source_, bindings_, setup_);
    const std::vector<einsum::Graph> parts = parts_of(first, setup_);
    if (!first.is_planned() || (parts.empty() && !first.goes_on())) {
      return {std::move(first)};
    }
    check_fits_if_cut(first, setup_);
    note_left(first);
    first.drop_tasks();  // one plan is held at a time
    check_parts(parts, setup_);
    if (first.goes_on()) {
      check_rest(first);
    }
    Tasks tasks = tasks_of(*first.placed(), setup_);
    first.reached = reached(std::get<PlacedStages>(std::move(first.reached)), std::move(tasks));
    return {std::move(first), unbounded_};
  }

  /// Returns the advice that a refusal of one of these plans adds.
  std::string advice() const {
    if (unbounded_) {
      return fmt::format(
          "; so far: how many {} there are only a run can tell, and the rest is "
          "planned when it has",
          *unbounded_);
    }
    return bounded_ ? fmt::format("; that is enough however many {} there are, at most {}",
                                  bounded_->what, *bounded_->at_most)
                    : "";
  }

 private:
  /// With the user's cuts, a plan is made even if it does not fit.
  static void check_fits_if_cut(const Stages& stages, const Setup& setup) {
    if (!setup.settings().tile.empty() || setup.settings().pieces) {
      check_fits(stages, setup);
    }
  }

  static void check_parts(const std::vector<einsum::Graph>& parts, const Setup& setup) {
    for (const einsum::Graph& part : parts) {
      check_fits_if_cut(plan_graph(part, setup), setup);
    }
  }

  /// Binds the tensors that the stages leave as inputs of the rest of the program, and their count.
  void note_left(const Stages& stages) {
    for (const plan::SinkInfo& result : stages.results()) {
      if (!stages.waits_for || result.name != stages.waits_for->name) {
        bindings_.left[result.name] = result.type;
      }
    }
  }

  /// True if the number that the stages tell is bounded, or they tell none.
  bool note_count(const Stages& stages) {
    if (!stages.waits_for) {
      return true;
    }
    if (!stages.waits_for->at_most) {
      unbounded_ = stages.waits_for->what;
      return false;
    }
    bounded_ = bounded_ ? bounded_ : stages.waits_for;
    bindings_.counts[stages.waits_for->name] = *stages.waits_for->at_most;
    return true;
  }

  void check_rest(const Stages& first) {
    std::optional<plan::BudgetError> parted = first.parted;
    bool goes_on = note_count(first);
    while (goes_on) {
      try {
        const Stages next = plan_next();
        goes_on = next.goes_on();
        if (goes_on) {
          note_left(next);
          goes_on = note_count(next);
        }
        parted = next.parted ? next.parted : parted;
      } catch (const plan::BudgetError& refused) {
        if (setup_.settings().memory_bytes || !bounded_) {
          throw smaller(refused, parted);
        }
        // Nobody asked for a promise, and the count may be smaller.
        unbounded_ = bounded_->what;
        goes_on = false;
      } catch (const Error& error) {
        // With the largest number it is another program, whose extents may not fit each other.
        if (error.kind() == ErrorKind::internal || !bounded_) {
          throw;
        }
        unbounded_ = bounded_->what;
        goes_on = false;
      }
    }
  }

  /// Plans the next stages, within the rest of the budget.
  Stages plan_next() const {
    const std::unique_ptr<Setup> smaller =
        bounded_ ? setup_.with_memory(for_largest_count(setup_.budget().bytes)) : nullptr;
    const Setup& setup = smaller ? *smaller : setup_;
    try {
      Stages next = plan_stages(source_, bindings_, setup);
      check_fits_if_cut(next, setup);
      check_parts(parts_of(next, setup), setup);
      if (next.parted) {
        next.parted = for_all_counts(*next.parted);
      }
      return next;
    } catch (const plan::BudgetError& refused) {
      throw for_all_counts(refused);
    }
  }

  /// Returns the refusal of a plan for the largest number, with the margin for others.
  plan::BudgetError for_all_counts(const plan::BudgetError& refused) const {
    if (!bounded_) {
      return refused;
    }
    plan::Shortage shortage = refused.shortage();
    shortage.budget = setup_.budget().bytes;
    shortage.smallest_budget = with_bytes_left(shortage.smallest_budget);
    return {std::move(shortage), refused.advice()};
  }

  /// Returns the refusal with the smaller budget; a whole program that is planned in parts may need
  /// less than its last part.
  static plan::BudgetError smaller(const plan::BudgetError& refused,
                                   const std::optional<plan::BudgetError>& whole) {
    const bool is_whole =
        whole && whole->shortage().smallest_budget < refused.shortage().smallest_budget;
    return is_whole ? *whole : refused;
  }

  const Source& source_;
  frontend::Bindings bindings_;
  const Setup& setup_;
  std::optional<std::string> unbounded_;
  std::optional<frontend::Count> bounded_;  // the first
};

/// Refuses a run with the smallest budget under which all of its plans fit.
[[noreturn]] void refuse_run(const Source& source, const frontend::Bindings& bindings,
                             const Setup& setup, const plan::BudgetError& refused) {
  plan::BudgetError last = refused;
  std::string advice;
  for (int number = 0; number < kMostBudgets; ++number) {
    const int64_t smallest = last.shortage().smallest_budget;
    const std::unique_ptr<Setup> larger = setup.with_memory(smallest);
    WholeRun run(source, bindings, *larger);
    try {
      run.plan();
      advice = run.advice();
      break;
    } catch (const plan::BudgetError& next) {
      if (next.shortage().smallest_budget <= smallest) {
        break;
      }
      last = next;
    }
  }
  plan::Shortage shortage = last.shortage();
  shortage.budget = refused.shortage().budget;
  throw plan::BudgetError(std::move(shortage), last.advice() + advice);
}

}  // namespace

PromisedPlan promised_plan(const Source& source, const frontend::Bindings& bindings,
                           const Setup& setup) {
  try {
    return WholeRun(source, bindings, setup).plan();
  } catch (const plan::BudgetError& refused) {
    if (!setup.settings().checkpoint_directory && !may_go_on(source, bindings, setup)) {
      throw;
    }
    refuse_run(source, bindings, setup, refused);
  }
}

}  // namespace tessera::engine
