#include "engine/planning/stages.h"

#include "base/error.h"
#include "plan/results.h"
#include "plan/to_tasks.h"

namespace tessera::engine {

namespace {

const tra::Graph* relations_of(const FromProgram& stages) {
  return &stages.relations;
}
const tra::Graph* relations_of(const FromRelations& stages) {
  return &stages.relations;
}
const tra::Graph* relations_of(const FromPlacement&) {
  return nullptr;
}

const optimizer::OptimizeReport* optimization_of(const FromProgram& stages) {
  return &stages.choices.optimization;
}
const optimizer::OptimizeReport* optimization_of(const FromRelations& stages) {
  return &stages.optimization;
}
const optimizer::OptimizeReport* optimization_of(const FromPlacement&) {
  return nullptr;
}

const ia::Graph& placed_of(const PlacedStages& stages) {
  return std::visit([](const auto& from) -> const ia::Graph& { return from.placed; }, stages);
}

}  // namespace

std::string why_no_tasks(const ia::Graph& placed) {
  return placed.num_sites > plan::kMostSites
             ? fmt::format("a plan has tasks for at most {} sites, and this one is for {}",
                           plan::kMostSites, placed.num_sites)
             : "the plan leaves open where tuples lie, and nothing decides it yet, so it has no "
               "tasks";
}

const PlacedStages* Stages::placed_stages() const {
  return std::visit(Overload{[](const PlacedStages& stages) { return &stages; },
                             [](const Plan& plan) { return plan.before ? &*plan.before : nullptr; },
                             [](const FramedPlan& plan) { return &plan.before; }},
                    reached);
}

const Choices* Stages::choices() const {
  const PlacedStages* stages = placed_stages();
  const auto* program = stages == nullptr ? nullptr : std::get_if<FromProgram>(stages);
  return program == nullptr ? nullptr : &program->choices;
}

const optimizer::OptimizeReport* Stages::optimization() const {
  const PlacedStages* stages = placed_stages();
  return stages == nullptr
             ? nullptr
             : std::visit([](const auto& from) { return optimization_of(from); }, *stages);
}

const tra::Graph* Stages::relations() const {
  const PlacedStages* stages = placed_stages();
  return stages == nullptr
             ? nullptr
             : std::visit([](const auto& from) { return relations_of(from); }, *stages);
}

const ia::Graph* Stages::placed() const {
  const PlacedStages* stages = placed_stages();
  return stages == nullptr ? nullptr : &placed_of(*stages);
}

const plan::TaskGraph* Stages::tasks() const {
  const Plan* plan = std::get_if<Plan>(&reached);
  return plan == nullptr ? nullptr : &plan->tasks;
}

const std::vector<plan::Frame>* Stages::frames() const {
  const FramedPlan* plan = std::get_if<FramedPlan>(&reached);
  return plan == nullptr ? nullptr : &plan->frames;
}

std::vector<plan::SinkInfo> Stages::results() const {
  return frames() == nullptr ? plan().tasks.sinks : plan::results_of(*placed());
}

void Stages::drop_tasks() {
  PlacedStages before = *placed_stages();
  reached = std::move(before);
}

void Stages::drop_before_tasks() {
  if (Plan* const plan = std::get_if<Plan>(&reached)) {
    plan->before = std::nullopt;
  }
}

const Plan& Stages::plan() const {
  if (const Plan* plan = std::get_if<Plan>(&reached)) {
    return *plan;
  }
  TESSERA_CHECK(frames() == nullptr, "the tasks of a plan in frames, all at once");
  throw_error(ErrorKind::unsupported, "{}", why_no_tasks(*placed()));
}

}  // namespace tessera::engine
