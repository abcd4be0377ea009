#include "engine/planning/pipeline.h"

#include <chrono>
#include <optional>
#include <set>
#include <utility>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"
#include "engine/planning/first_part.h"
#include "engine/planning/given_inputs.h"
#include "engine/planning/given_tasks.h"
#include "engine/planning/left_tensors.h"
#include "engine/planning/lowering.h"
#include "engine/planning/plan_program.h"
#include "engine/planning/stage_text.h"
#include "engine/planning/verified.h"
#include "frontend/einsum/einsum.h"

namespace tessera::engine {

namespace {

/// Facts about a program that its graph does not hold.
struct AboutProgram {
  std::optional<Diagnostics> warnings;
  std::optional<frontend::Count> waits_for;
  std::set<std::string> labels;   // of all its parts, if the graph is one of several
  std::set<std::string> defined;  // tensors that an earlier run may leave
};

einsum::Graph bind(const Equation& equation, const frontend::Bindings& bindings, const Setup& setup,
                   AboutProgram& about) {
  std::vector<ArrayType> types;
  for (const std::string& operand : equation.operands) {
    types.push_back(bindings.inputs.at(operand));
  }
  frontend::EquationOptions options = equation.options;
  options.column_major = bindings.column_major;
  Result<einsum::Graph> bound = frontend::bind_equation(
      equation.text, types, equation.operands, options, {setup.functions(), setup.aggregates()});
  if (bound.warnings() != nullptr) {
    about.warnings = *bound.warnings();
  }
  return std::move(bound).value();
}

einsum::Graph bind(const Program& program, const frontend::Bindings& bindings, const Setup& setup,
                   AboutProgram& about) {
  Result<frontend::BoundProgram> bound =
      frontend::bind_program(program.source, bindings, {setup.functions(), setup.aggregates()});
  if (bound.warnings() != nullptr) {
    about.warnings = *bound.warnings();
  }
  frontend::BoundProgram program_so_far = std::move(bound).value();
  about.waits_for = std::move(program_so_far.waits_for);
  about.labels = std::move(program_so_far.labels);
  about.defined = std::move(program_so_far.defined);
  return std::move(program_so_far.graph);
}

/// Returns the graph of a bound program, in which tensors that an earlier run left are inputs.
einsum::Graph bind(const frontend::BoundProgram& program, const frontend::Bindings& bindings,
                   AboutProgram& about) {
  about.waits_for = program.waits_for;
  about.labels = program.labels;
  about.defined = program.defined;
  return with_left_tensors(program.graph, bindings.left);
}

/// Refuses requested cuts that cannot be made.
void check_cuts(const Start& start, const Setup& setup) {
  const Settings& settings = setup.settings();
  const bool has_planner = setup.planner_names().cuts.has_value();
  const bool is_planned = has_planner || settings.pieces;
  TESSERA_USER_CHECK(
      !is_planned || settings.tile.empty(),
      "the tile lengths say how everything is cut: leave out the planner and the pieces");
  const bool is_cut = !std::holds_alternative<einsum::Graph>(start);
  TESSERA_USER_CHECK(
      !is_cut || (!is_planned && settings.tile.empty()),
      "{} come too late: the text says already how tensors are cut",
      settings.tile.empty() ? (has_planner ? "planners" : "pieces") : "tile lengths");
  const bool is_late = std::visit(
      Overload{[](const einsum::Graph&) { return false; }, [](const tra::Graph&) { return false; },
               [](const ia::Graph& placed) { return !placed.is_reproducible; },
               [](const plan::TaskGraph& tasks) { return !tasks.is_reproducible; }},
      start);
  TESSERA_USER_CHECK(
      !settings.reproducible || !is_late,
      "reproducible sums come too late: the text says already in which order sums run");
}

std::string counted_sites(int64_t number) {
  return fmt::format("{} site{}", number, number == 1 ? "" : "s");
}

/// Refuses a planner of placements if tuples are placed already.
void check_places(const Start& start, const Setup& setup) {
  const bool is_placed = std::visit(
      Overload{[](const einsum::Graph&) { return false; }, [](const tra::Graph&) { return false; },
               [](const ia::Graph&) { return true; }, [](const plan::TaskGraph&) { return true; }},
      start);
  const std::optional<std::string>& planner = setup.planner_names().places;
  TESSERA_USER_CHECK(!planner || !is_placed,
                     "the planner {} comes too late: the text says already where tuples lie",
                     *planner);
}

/// Refuses another number of sites than the one that tuples are placed for.
void check_sites(const Start& start, const Setup& setup) {
  const auto placed = std::visit(
      Overload{
          [](const Among<einsum::Graph, tra::Graph> auto&) { return std::optional<int64_t>(); },
          [](const ia::Graph& graph) { return std::optional<int64_t>(graph.num_sites); },
          [](const plan::TaskGraph& tasks) {
            return std::optional(static_cast<int64_t>(tasks.sites.size()));
          }},
      start);
  const int64_t asked = setup.settings().num_sites;
  if (!placed || *placed == asked) {
    return;
  }
  TESSERA_USER_CHECK(setup.link() == nullptr,
                     "the text is a plan of {}, but there are {} processes, each a site: start {}",
                     counted_sites(*placed), asked, *placed);
  TESSERA_USER_CHECK(asked == 1,
                     "{} sites are asked for, but the text is a plan of {}: ask for {}, or give a "
                     "text whose tuples are not placed yet (einsum or tra)",
                     asked, counted_sites(*placed), *placed);
}

/// Refuses a tiling that names a label which neither the graph nor other parts of the program have.
void check_tiling(const einsum::Graph& graph, std::set<std::string> elsewhere,
                  const std::map<std::string, int64_t>& tile) {
  std::set<std::string> labels = std::move(elsewhere);
  for (const einsum::Vertex& vertex : graph.vertices) {
    labels.insert(vertex.labels.begin(), vertex.labels.end());
    for (const expr::LabelDecl& label : einsum::labels_of(vertex.op)) {
      labels.insert(label.name);
    }
  }
  const std::vector<std::string> known(labels.begin(), labels.end());
  for (const auto& [label, length] : tile) {
    const std::string suggestion = did_you_mean(label, known);
    TESSERA_USER_CHECK(
        labels.contains(label),
        "a tile length {}={} was given, but the program has no label {}; it has {}{}", label,
        length, label, known.empty() ? "none" : fmt::to_string(fmt::join(known, ", ")),
        suggestion.empty() ? "" : "; " + suggestion);
  }
}

/// Returns the stage that a source is planned from: its own, or the one that its text is bound to.
Start start_of(const Source& source, const frontend::Bindings& bindings, const Setup& setup,
               AboutProgram& about) {
  return std::visit(
      Overload{
          [&](const Equation& equation) -> Start { return bind(equation, bindings, setup, about); },
          [&](const Program& program) -> Start { return bind(program, bindings, setup, about); },
          [&](const StageText& text) {
            Start start = parse_stage(text.source, setup);
            check_given(start, bindings);
            return start;
          },
          [&](const frontend::BoundProgram& program) -> Start {
            return bind(program, bindings, about);
          }},
      source);
}

Reached planned(einsum::Graph bound, const Setup& setup) {
  return plan_program(verified(std::move(bound), "binding", setup), setup);
}

Reached planned(tra::Graph relations, const Setup& setup) {
  return lower(std::move(relations), setup);
}

Reached planned(ia::Graph placed, const Setup& setup) {
  return lower(std::move(placed), setup);
}

Reached planned(plan::TaskGraph tasks, const Setup& setup) {
  return Plan{std::nullopt, fitted(std::move(tasks), setup)};
}

/// A plan of a whole source, or of its first part if the whole does not fit the budget.
struct Planned {
  Reached reached;
  std::optional<plan::BudgetError> parted = std::nullopt;  // reason for a part
};

/// Plans the first part of a program that does not fit as a whole. If neither fits, throws the
/// refusal with the smaller budget.
Planned planned_in_parts(Start start, const std::set<std::string>& defined, const Setup& setup) {
  std::optional<einsum::Graph> part;
  if (const auto* graph = std::get_if<einsum::Graph>(&start)) {
    part = first_part(*graph, defined);
  }
  try {
    return {std::visit([&](auto& stage) { return planned(std::move(stage), setup); }, start)};
  } catch (const plan::BudgetError& whole) {
    if (!part) {
      throw;
    }
    try {
      return {planned(std::move(*part), setup), whole};
    } catch (const plan::BudgetError& of_part) {
      if (of_part.shortage().smallest_budget < whole.shortage().smallest_budget) {
        throw;
      }
    }
    throw;
  }
}

}  // namespace

Stages plan_stages(const Source& source, const frontend::Bindings& bindings, const Setup& setup) {
  const auto begin = std::chrono::steady_clock::now();
  AboutProgram about;
  Start start = start_of(source, bindings, setup, about);
  check_cuts(start, setup);
  check_places(start, setup);
  check_sites(start, setup);
  if (const auto* graph = std::get_if<einsum::Graph>(&start)) {
    check_tiling(*graph, std::move(about.labels), setup.settings().tile);
  }
  Planned made = planned_in_parts(std::move(start), about.defined, setup);
  if (made.parted) {
    about.waits_for = std::nullopt;  // behind the part
  }
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {std::move(made.reached), taken.count(), std::move(about.warnings),
          std::move(about.waits_for), std::move(made.parted)};
}

bool may_go_on(const Source& source, const frontend::Bindings& bindings, const Setup& setup) {
  const auto may_be_part = [](const einsum::Graph& graph, const AboutProgram& about) {
    return about.waits_for || first_part(graph, about.defined);
  };
  return std::visit(Overload{[](const Among<Equation, StageText> auto&) { return false; },
                             [&](const Program& program) {
                               AboutProgram about;
                               return may_be_part(bind(program, bindings, setup, about), about);
                             },
                             [&](const frontend::BoundProgram& program) {
                               AboutProgram about;
                               return may_be_part(bind(program, bindings, about), about);
                             }},
                    source);
}

Stages plan_graph(einsum::Graph graph, const Setup& setup) {
  const auto begin = std::chrono::steady_clock::now();
  Reached reached =
      plan_program(verified(std::move(graph), "cutting at checkpoints", setup), setup);
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
  return {std::move(reached), taken.count()};
}

}  // namespace tessera::engine
