#include "engine/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "engine/lowering.h"
#include "engine/memory_search.h"
#include "engine/stage_text.h"
#include "frontend/einsum/einsum.h"
#include "ir/description.h"
#include "ir/einsum/text.h"
#include "plan/memory.h"

namespace tessera::engine {

namespace {

einsum::Graph bind(const Equation& equation, const frontend::Bindings& bindings,
                   const Session& session) {
  std::vector<ArrayType> types;
  for (const std::string& operand : equation.operands) {
    types.push_back(bindings.inputs.at(operand));
  }
  return frontend::bind_equation(equation.text, types, equation.operands, equation.options,
                                 {session.functions(), session.aggregates()})
      .value();
}

einsum::Graph bind(const Program& program, const frontend::Bindings& bindings,
                   const Session& session) {
  return frontend::bind_program(program.source, bindings,
                                {session.functions(), session.aggregates()})
      .value();
}

optimizer::Optimized optimized(const einsum::Graph& graph, const Session& session,
                               std::optional<int64_t> largest_intermediate_bytes) {
  optimizer::OptimizeOptions options;
  options.disabled = session.settings().rules_off;
  options.largest_intermediate_bytes = largest_intermediate_bytes;
  if (session.settings().keep_steps) {
    options.print = [&session](const einsum::Graph& step) {
      return ir::to_text(einsum::describe(step, session.aggregates()));
    };
  }
  return optimizer::optimize(graph, session.rules(), options);
}

bool makes_more_than(const einsum::Graph& graph, int64_t bytes) {
  return std::any_of(graph.vertices.begin(), graph.vertices.end(), [&](const auto& vertex) {
    return std::holds_alternative<einsum::EinSum>(vertex.op) && size_in_bytes(vertex.type) > bytes;
  });
}

/// A program in one order of its contractions, with its cuts and what follows from them.
struct Lowering {
  optimizer::Optimized optimized;
  Lowered lowered;
};

const plan::TaskGraph& tasks_of(const Lowering& lowering) {
  return *lowering.lowered.tasks;
}

bool fits(const plan::TaskGraph& tasks, const Session& session) {
  return tasks.smallest_budget <= session.memory_budget();
}

/// Whether a plan does not fit the budget, or only with tiles spilled.
bool spills(const plan::TaskGraph& tasks, const Session& session) {
  return !fits(tasks, session) ||
         expected_paging(tasks, session.memory_budget(), workers_of(session.settings()))
                 .num_spills > 0;
}

/// Whether one plan for a machine's memory is wanted rather than another.
bool is_better(const plan::TaskGraph& one, const plan::TaskGraph& other, const Session& session) {
  const int64_t budget = session.memory_budget();
  const int64_t workers = workers_of(session.settings());
  const double seconds = expected_seconds(one, budget, workers);
  const double others = expected_seconds(other, budget, workers);
  return std::isinf(seconds) && std::isinf(others) ? one.smallest_budget < other.smallest_budget
                                                   : seconds < others;
}

/// Optimizes a graph and goes on to its tasks. Where the orders of contraction with the fewest
/// operations make more than the budget holds, and neither cuts nor slices keep that from being
/// spilled, others that make nothing so large may end sooner.
///
/// What does not fit in either way is planned in the orders with the smallest intermediates of all:
/// like those with the fewest operations they are the same for every budget, so that the smallest
/// budget that a refusal names is one under which the program runs.
Lowering optimized_and_lowered(const einsum::Graph& bound, const Session& session) {
  const auto planned = [&](std::optional<int64_t> largest_intermediate_bytes) {
    optimizer::Optimized graph = optimized(bound, session, largest_intermediate_bytes);
    Lowered below = lower(graph.graph, session);
    return Lowering{std::move(graph), std::move(below)};
  };
  Lowering fewest = planned(std::nullopt);
  const int64_t budget = session.memory_budget();
  // The order of a contraction changes its bits, so what is reproducible has one for all budgets.
  const bool has_choice = fewest.lowered.tasks && !session.settings().reproducible;
  if (!has_choice || !makes_more_than(fewest.optimized.graph, budget) ||
      !spills(tasks_of(fewest), session)) {
    return fewest;
  }
  Lowering other = planned(budget);
  if (!fits(tasks_of(fewest), session) && !fits(tasks_of(other), session)) {
    other = planned(1);
  }
  return is_better(tasks_of(other), tasks_of(fewest), session) ? std::move(other)
                                                               : std::move(fewest);
}

/// Refuses cuts that were asked for where they cannot be made.
void check_cuts(const Start& start, const Settings& settings) {
  const bool is_planned = settings.planner || settings.pieces;
  TESSERA_USER_CHECK(!is_planned || settings.tile.empty(),
                     "--tile says how everything is cut: leave out --planner and --pieces");
  const bool is_cut = !std::holds_alternative<einsum::Graph>(start);
  TESSERA_USER_CHECK(!is_cut || (!is_planned && settings.tile.empty()),
                     "--{} comes too late: the text says already how tensors are cut",
                     settings.tile.empty() ? (settings.planner ? "planner" : "pieces") : "tile");
  const bool is_placed =
      std::holds_alternative<ia::Graph>(start) || std::holds_alternative<plan::TaskGraph>(start);
  TESSERA_USER_CHECK(
      !settings.reproducible || !is_placed,
      "--reproducible comes too late: the text says already in which order sums run");
}

/// Refuses a tiling that names a label the program does not have.
void check_tiling(const einsum::Graph& graph, const std::map<std::string, int64_t>& tile) {
  std::set<std::string> labels;
  for (const einsum::Vertex& vertex : graph.vertices) {
    labels.insert(vertex.labels.begin(), vertex.labels.end());
    if (const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op)) {
      for (const expr::LabelDecl& label : einsum->labels) {
        labels.insert(label.name);
      }
    }
  }
  const std::vector<std::string> known(labels.begin(), labels.end());
  for (const auto& [label, length] : tile) {
    const std::string suggestion = did_you_mean(label, known);
    TESSERA_USER_CHECK(labels.count(label) == 1,
                       "--tile {}={}: the program has no label {}; it has {}{}", label, length,
                       label, fmt::join(known, ", "), suggestion.empty() ? "" : "; " + suggestion);
  }
}

/// The stage that a source is planned from: its own, or the one that its text is bound to.
Start start_of(const Source& source, const frontend::Bindings& bindings, const Session& session) {
  if (const auto* equation = std::get_if<Equation>(&source)) {
    return bind(*equation, bindings, session);
  }
  if (const auto* program = std::get_if<Program>(&source)) {
    return bind(*program, bindings, session);
  }
  return parse_stage(std::get<StageText>(source).source, session);
}

Reached planned(einsum::Graph bound, const Session& session) {
  check_tiling(bound, session.settings().tile);
  auto [optimized, lowered] = optimized_and_lowered(bound, session);
  std::move(lowered.reasons.begin(), lowered.reasons.end(),
            std::back_inserter(optimized.report.reasons));
  if (lowered.tasks && cuts_follow_budget(session.settings())) {
    plan::check_budget(*lowered.tasks, session.memory_budget());
  }
  Choices choices{std::move(bound), std::move(optimized.graph), std::move(optimized.report),
                  std::move(lowered.partition)};
  return reached(
      FromProgram{std::move(choices), std::move(lowered.relations), std::move(lowered.placed)},
      std::move(lowered.tasks));
}

Reached planned(tra::Graph relations, const Session& session) {
  return lower(std::move(relations), session);
}

Reached planned(ia::Graph placed, const Session& session) {
  return lower(std::move(placed), session);
}

Reached planned(plan::TaskGraph tasks, const Session&) {
  return Plan{std::nullopt, std::move(tasks)};
}

}  // namespace

Stages plan_stages(const Source& source, const frontend::Bindings& bindings,
                   const Session& session) {
  const auto begin = std::chrono::steady_clock::now();
  Start start = start_of(source, bindings, session);
  check_cuts(start, session.settings());
  Reached reached =
      std::visit([&](auto& stage) { return planned(std::move(stage), session); }, start);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {std::move(reached), taken.count()};
}

}  // namespace tessera::engine
