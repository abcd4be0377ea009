#include "engine/pipeline.h"

#include <chrono>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "engine/lowering.h"
#include "engine/stage_text.h"
#include "frontend/einsum/einsum.h"
#include "ir/description.h"
#include "ir/einsum/text.h"

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

optimizer::Optimized optimized(const einsum::Graph& graph, const Session& session) {
  optimizer::OptimizeOptions options;
  options.disabled = session.settings().rules_off;
  if (!session.settings().reproducible) {  // the order of a contraction changes its bits
    options.largest_intermediate_bytes = session.memory_budget();
  }
  if (session.settings().keep_steps) {
    options.print = [&session](const einsum::Graph& step) {
      return ir::to_text(einsum::describe(step, session.aggregates()));
    };
  }
  return optimizer::optimize(graph, session.rules(), options);
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
    optimizer::Optimized result = optimized(*stages.bound, session);
    stages.optimized = std::move(result.graph);
    stages.optimization = std::move(result.report);
  }
  complete_lowering(stages, session);
  stages.planning_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return stages;
}

}  // namespace tessera::engine
