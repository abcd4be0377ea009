#include "engine/pipeline.h"

#include <algorithm>
#include <chrono>
#include <cmath>
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

bool fits(const Stages& stages, const Session& session) {
  return stages.tasks->smallest_budget <= session.memory_budget();
}

/// Whether a plan does not fit the budget, or only with tiles spilled.
bool spills(const Stages& stages, const Session& session) {
  return !fits(stages, session) ||
         expected_paging(*stages.tasks, session.memory_budget(), workers_of(session.settings()))
                 .num_spills > 0;
}

/// Whether one plan for a machine's memory is wanted rather than another.
bool is_better(const Stages& one, const Stages& other, const Session& session) {
  const int64_t budget = session.memory_budget();
  const int64_t workers = workers_of(session.settings());
  const double seconds = expected_seconds(*one.tasks, budget, workers);
  const double others = expected_seconds(*other.tasks, budget, workers);
  return std::isinf(seconds) && std::isinf(others)
             ? one.tasks->smallest_budget < other.tasks->smallest_budget
             : seconds < others;
}

Stages lowered(Stages stages, optimizer::Optimized optimized, const Session& session) {
  stages.optimized = std::move(optimized.graph);
  stages.optimization = std::move(optimized.report);
  complete_lowering(stages, session);
  return stages;
}

/// Optimizes a graph and goes on to its tasks. Where the orders of contraction with the fewest
/// operations make more than the budget holds, and neither cuts nor slices keep that from being
/// spilled, others that make nothing so large may end sooner.
///
/// What does not fit in either way is planned in the orders with the smallest intermediates of all:
/// like those with the fewest operations they are the same for every budget, so that the smallest
/// budget that a refusal names is one under which the program runs.
Stages optimized_and_lowered(const Stages& bound, const Session& session) {
  const auto planned = [&](std::optional<int64_t> largest_intermediate_bytes) {
    return lowered(bound, optimized(*bound.bound, session, largest_intermediate_bytes), session);
  };
  Stages fewest = planned(std::nullopt);
  const int64_t budget = session.memory_budget();
  // The order of a contraction changes its bits, so what is reproducible has one for all budgets.
  const bool has_choice = fewest.tasks && !session.settings().reproducible;
  if (!has_choice || !makes_more_than(*fewest.optimized, budget) || !spills(fewest, session)) {
    return fewest;
  }
  Stages other = planned(budget);
  if (!fits(fewest, session) && !fits(other, session)) {
    other = planned(1);
  }
  return is_better(other, fewest, session) ? std::move(other) : std::move(fewest);
}

/// Refuses cuts that were asked for where they cannot be made.
void check_cuts(const Stages& stages, const Settings& settings) {
  const bool is_planned = settings.planner || settings.pieces;
  TESSERA_USER_CHECK(!is_planned || settings.tile.empty(),
                     "--tile says how everything is cut: leave out --planner and --pieces");
  const bool is_cut = !stages.bound && !stages.optimized;
  TESSERA_USER_CHECK(!is_cut || (!is_planned && settings.tile.empty()),
                     "--{} comes too late: the text says already how tensors are cut",
                     settings.tile.empty() ? (settings.planner ? "planner" : "pieces") : "tile");
  TESSERA_USER_CHECK(
      !settings.reproducible || !(stages.placed || stages.tasks),
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

}  // namespace

Stages plan_stages(const Source& source, const frontend::Bindings& bindings,
                   const Session& session) {
  const auto start = std::chrono::steady_clock::now();
  Stages stages;
  if (const auto* equation = std::get_if<Equation>(&source)) {
    stages.bound = bind(*equation, bindings, session);
  } else if (const auto* program = std::get_if<Program>(&source)) {
    stages.bound = bind(*program, bindings, session);
  } else {
    stages = parse_stage(std::get<StageText>(source).source, session);
  }
  check_cuts(stages, session.settings());
  if (stages.bound) {
    check_tiling(*stages.bound, session.settings().tile);
  }
  if (stages.bound && !stages.optimized) {
    stages = optimized_and_lowered(stages, session);
  } else {
    complete_lowering(stages, session);
  }
  if (stages.partition && stages.tasks && cuts_follow_budget(session.settings())) {
    plan::check_budget(*stages.tasks, session.memory_budget());
  }
  stages.planning_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return stages;
}

}  // namespace tessera::engine
