#include "engine/planning/lowering.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/overload.h"
#include "engine/candidates/least_moved.h"
#include "engine/planning/frame_plans.h"
#include "engine/planning/verified.h"
#include "optimizer/ia/communication.h"
#include "optimizer/lowering/to_tra.h"
#include "optimizer/partition/slicing/ways_to_slice.h"
#include "optimizer/pipeline.h"
#include "optimizer/tra/reproducible.h"
#include "placement/read_again.h"
#include "plan/plan_size.h"
#include "plan/to_tasks.h"

namespace tessera::engine {

namespace {

using optimizer::partition::GraphPartition;
using optimizer::partition::kCallsPerWorker;
using optimizer::partition::kDefaultPlanner;
using optimizer::partition::NoCut;
using optimizer::partition::Partitioned;
using optimizer::partition::PartitionOptions;
using optimizer::partition::StatementPartition;

/// The most tasks of any plan, even with the user's cuts: more would take 1.6 GiB and half a
/// minute.
constexpr int64_t kMostTasks = int64_t{1} << 20;
/// The most sites that are planned for. Placements are tables by site: 12,000 sites take 9 s, and
/// the time grows with the square.
constexpr int64_t kMostPlannedSites = int64_t{1} << 14;
constexpr double kNever = std::numeric_limits<double>::infinity();

/// Returns the threads of all sites, which are to be kept busy.
int64_t num_workers(const Setup& setup) {
  return setup.budget().workers * setup.settings().num_sites;
}

PartitionOptions partition_options(const Candidate& candidate, const Setup& setup) {
  const Settings& settings = setup.settings();
  PartitionOptions options;
  options.workers = num_workers(setup);
  // If sums have a stated order, no site merges its part of one ahead.
  options.sites = settings.reproducible ? 1 : settings.num_sites;
  options.pieces = settings.pieces;
  options.most_tile_bytes = candidate.most_call_bytes;
  options.slices = candidate.slices;
  options.most_calls = candidate.most_calls;
  options.machine = setup.machine();
  return options;
}

/// Returns the cuts of every statement: by the tile lengths, or by a planner for this machine's
/// workers or for several sites.
Partitioned partitioned(const einsum::Graph& graph, const Candidate& candidate,
                        const Setup& setup) {
  const Settings& settings = setup.settings();
  if (!settings.tile.empty()) {
    return optimizer::partition::count_partition(
        graph, optimizer::partition::partitioning_by_label(graph, settings.tile));
  }
  return optimizer::partition::partition_within(
      graph, setup.planners(), setup.planner_names().cuts.value_or(kDefaultPlanner),
      partition_options(candidate, setup));
}

/// Rounds a partition to cuts that change no bits of any result.
GraphPartition rounded(const einsum::Graph& graph, GraphPartition partition,
                       const expr::AggregateRegistry& aggregates) {
  GraphPartition result = optimizer::partition::count_partition(
      graph,
      optimizer::reproducible_partitioning(graph, std::move(partition.partitioning), aggregates));
  result.planner = std::move(partition.planner);
  result.pieces = partition.pieces;
  result.slices = std::move(partition.slices);
  for (size_t number = 0; number < result.statements.size(); ++number) {
    result.statements[number].sliced = std::move(partition.statements[number].sliced);
  }
  return result;
}

optimizer::PassContext pass_context(const Setup& setup, bool is_given) {
  const Settings& settings = setup.settings();
  return {.known = setup.context(),
          .relation_rules = setup.relation_rules(),
          .placement_rules = setup.placement_rules(),
          .disabled = settings.rules_off,
          .num_sites = settings.num_sites,
          .is_reproducible = settings.reproducible,
          .is_given = is_given};
}

/// Refuses relations that ask for reproducible sums if nothing would state their order.
void check_order(const tra::Graph& relations, const Setup& setup) {
  TESSERA_USER_CHECK(
      !relations.is_reproducible || setup.settings().rules_off.count("stated_order") == 0,
      "reproducible sums run in a stated order: leave stated_order on");
}

/// Runs the passes over relations, of a program or the user's own (`is_given`).
tra::Graph passed(tra::Graph relations, bool is_given, const Setup& setup,
                  optimizer::OptimizeReport& report) {
  check_order(relations, setup);
  return optimizer::run_passes(std::move(relations), setup.passes().tra, optimizer::tra_pipeline(),
                               pass_context(setup, is_given), view_for<tra::Graph>(setup), report);
}

/// Places relations on their sites, by a planner of placements; on one site all are alike.
ia::Graph placed_on_sites(const tra::Graph& relations, const std::optional<std::string>& places,
                          const Setup& setup, optimizer::OptimizeReport& report) {
  const int64_t num_sites = setup.settings().num_sites;
  TESSERA_USER_CHECK(num_sites >= 1 && num_sites <= kMostPlannedSites,
                     "{} sites: a plan is for 1 to {} sites", num_sites, kMostPlannedSites);
  const placement::Planner& planner =
      *setup.placement_planners().find(places.value_or(placement::kDefaultPlanner));
  const optimizer::PassContext context = pass_context(setup, false);
  const optimizer::rewrite::View<ia::Graph> view = view_for<ia::Graph>(setup);
  ia::Graph placed = verified(
      planner.place(relations, {context, setup.passes(), view, setup.budget().workers}, report),
      "planner " + planner.name, setup);
  if (!setup.settings().read_again || num_sites == 1) {
    return placed;
  }
  placement::ReadAgain read = placement::read_again(placed, setup.machine());
  report.notes.insert(report.notes.end(), read.notes.begin(), read.notes.end());
  return verified(std::move(read.graph), "read_again", setup);
}

/// Relations on their sites, with their tasks.
struct PlacedPlan {
  ia::Graph placed;
  Tasks tasks;
  optimizer::OptimizeReport report;
};

using PlacedOrNot = std::variant<PlacedPlan, NoPlan, Beaten>;

/// Returns the placement as beaten if it is: by the busiest site's network a plan takes at least
/// what all receive on average.
std::optional<Beaten> beaten(const ia::Graph& placed, double latest_end, const Setup& setup) {
  if (std::isinf(latest_end)) {
    return std::nullopt;
  }
  const double bytes = least_moved_bytes(placed);
  const double seconds = bytes / static_cast<double>(placed.num_sites) /
                         setup.machine().links.network.bytes_per_second;
  return seconds > latest_end ? std::optional(Beaten{bytes, seconds}) : std::nullopt;
}

/// Plans a placement. A planner of placements that is one of several, and not the default, may have
/// no plan.
PlacedOrNot placed_plan(const tra::Graph& relations, const std::optional<std::string>& places,
                        double latest_end, const Setup& setup) {
  try {
    PlacedPlan plan;
    plan.placed = placed_on_sites(relations, places, setup, plan.report);
    if (const std::optional<Beaten> other = beaten(plan.placed, latest_end, setup)) {
      return *other;
    }
    plan.tasks = tasks_of(plan.placed, setup);
    return plan;
  } catch (const Error& error) {
    const bool is_one_of_several =
        places && setup.placements().size() > 1 && *places != placement::kDefaultPlanner;
    if (!is_one_of_several || error.kind() != ErrorKind::unsupported) {
      throw;
    }
    return NoPlan{error.message()};
  }
}

/// Returns the best plan of all placements to be tried, the first of equally good ones. Holds the
/// tasks of one at a time.
PlacedPlan best_placed(const tra::Graph& relations, const Setup& setup) {
  const std::vector<std::string> names = setup.placements();
  if (names.size() < 2) {
    const auto only = names.empty() ? std::nullopt : std::optional(names.front());
    return std::get<PlacedPlan>(placed_plan(relations, only, kNever, setup));
  }
  std::vector<PlacedPlan> plans;
  std::vector<Outcome> outcomes;
  for (const std::string& name : names) {
    auto tried = placed_plan(relations, name, kNever, setup);
    if (auto* plan = std::get_if<PlacedPlan>(&tried)) {
      outcomes.push_back(outcome_of(plan->placed, plan->tasks, 0, setup));
      plan->tasks = std::monostate();
      plans.push_back(std::move(*plan));
    }
  }
  PlacedPlan& best = plans[best_of(outcomes)];
  best.tasks = tasks_of(best.placed, setup);
  return std::move(best);
}

/// A program as cut relations, after the passes over them.
struct CutProgram {
  GraphPartition partition;
  tra::Graph graph;
  optimizer::OptimizeReport report;
};

CutProgram related(const einsum::Graph& graph, GraphPartition partition, const Setup& setup) {
  if (setup.settings().reproducible) {
    partition = rounded(graph, std::move(partition), setup.aggregates());
  }
  tra::Graph relations =
      verified(optimizer::to_tra(graph, partition.partitioning), "to_tra", setup);
  optimizer::OptimizeReport report;
  relations = passed(std::move(relations), false, setup, report);
  return {std::move(partition), std::move(relations), std::move(report)};
}

LoweredOrNot lowered(CutProgram relations, const std::optional<std::string>& places,
                     double latest_end, const Setup& setup) {
  PlacedOrNot placed = placed_plan(relations.graph, places, latest_end, setup);
  if (auto* no_plan = std::get_if<NoPlan>(&placed)) {
    return std::move(*no_plan);
  }
  if (const auto* other = std::get_if<Beaten>(&placed)) {
    return *other;
  }
  auto& plan = std::get<PlacedPlan>(placed);
  optimizer::append(relations.report, std::move(plan.report));
  return Lowered{std::move(relations.partition), std::move(relations.graph), std::move(plan.placed),
                 std::move(plan.tasks), std::move(relations.report)};
}

/// True if finer cuts than those of a candidate, or equally fine ones, are free to choose.
bool is_free(const Candidate& candidate, const GraphPartition& partition, const Setup& setup) {
  const Settings& settings = setup.settings();
  const bool is_bounded = candidate.most_call_bytes || !candidate.slices.empty();
  const bool is_coarsest = partition.pieces <= num_workers(setup) * kCallsPerWorker;
  return settings.tile.empty() && !settings.pieces && (is_bounded || !is_coarsest);
}

double num_calls(const GraphPartition& partition) {
  double calls = 0;
  for (const StatementPartition& statement : partition.statements) {
    double product = 1;
    for (const int64_t pieces : statement.pieces) {
      product *= static_cast<double>(pieces);
    }
    calls += product;
  }
  return calls;
}

/// Refuses the user's cuts if they make more tasks than any plan has.
void check_num_tasks(double num_tasks, const Settings& settings) {
  const bool is_asked = settings.pieces || !settings.tile.empty();
  TESSERA_USER_CHECK(
      !is_asked || num_tasks <= static_cast<double>(kMostTasks),
      "{} would make a plan of at least {} tasks, and a plan has at most {}: ask for "
      "{}",
      settings.pieces ? "so many pieces" : "tiles of these lengths", num_tasks, kMostTasks,
      settings.pieces ? "fewer" : "longer ones");
}

}  // namespace

Tasks tasks_of(const ia::Graph& placed, const Setup& setup) {
  const bool is_open =
      std::any_of(placed.nodes.begin(), placed.nodes.end(),
                  [](const ia::Node& node) { return ia::is_undecided(node.placement); });
  if (is_open || placed.num_sites > plan::kMostSites) {
    return std::monostate();
  }
  const int64_t most = setup.settings().frame_tasks.value_or(plan::kMostTasksAtOnce);
  if (plan::expected_tasks(placed) > most) {
    std::vector<plan::Frame> frames = plan::frames_of(placed, most);
    if (frames.size() > 1) {
      return frames;
    }
  }
  return tasks_of_frame(placed, setup);
}

Outcome outcome_of(const ia::Graph& placed, const Tasks& tasks, int64_t program_bytes,
                   const Setup& setup) {
  const auto figures = [&](const plan::TaskGraph& graph) {
    return figures_of(graph, program_bytes, setup.budget(), setup.machine().links);
  };
  return std::visit(
      Overload{[&](std::monostate) -> Outcome {
                 const optimizer::CommunicationVolume volume =
                     optimizer::Communication().of(placed);
                 return PlacedFigures{volume.moved_bytes, volume.excess_bytes};
               },
               [&](const plan::TaskGraph& graph) -> Outcome { return figures(graph); },
               [&](const std::vector<plan::Frame>& frames) -> Outcome {
                 Figures sum = figures(tasks_of_frame(frames.front().placed, setup));
                 for (size_t number = 1; number < frames.size(); ++number) {
                   sum = followed_by(sum, figures(tasks_of_frame(frames[number].placed, setup)));
                 }
                 return sum;
               }},
      tasks);
}

LoweredOrNot lower(const einsum::Graph& graph, const Candidate& candidate, double latest_end,
                   const Setup& setup) {
  Partitioned partition = partitioned(graph, candidate, setup);
  if (auto* no_cut = std::get_if<NoCut>(&partition)) {
    return NoPlan{std::move(no_cut->reason)};
  }
  auto& cut = std::get<GraphPartition>(partition);
  check_num_tasks(num_calls(cut), setup.settings());
  const bool is_capped = is_free(candidate, cut, setup);
  CutProgram relations = related(graph, std::move(cut), setup);
  const int64_t num_tasks = plan::expected_tasks(relations.graph);
  if (is_capped && num_tasks > plan::kFreeTasks) {
    return NoPlan{fmt::format("{} tasks are too many", num_tasks), num_tasks};
  }
  check_num_tasks(static_cast<double>(num_tasks), setup.settings());
  return lowered(std::move(relations), candidate.places, latest_end, setup);
}

Reached lower(tra::Graph relations, const Setup& setup) {
  optimizer::OptimizeReport report;
  relations = passed(std::move(relations), true, setup, report);
  PlacedPlan best = best_placed(relations, setup);
  optimizer::append(report, std::move(best.report));
  return reached(FromRelations{std::move(relations), std::move(best.placed), std::move(report)},
                 std::move(best.tasks));
}

Reached lower(ia::Graph placed, const Setup& setup) {
  Tasks tasks = tasks_of(placed, setup);
  return reached(FromPlacement{std::move(placed)}, std::move(tasks));
}

Reached reached(PlacedStages stages, Tasks tasks) {
  return std::visit(Overload{[&](std::monostate) -> Reached { return std::move(stages); },
                             [&](plan::TaskGraph& graph) -> Reached {
                               return Plan{std::move(stages), std::move(graph)};
                             },
                             [&](std::vector<plan::Frame>& frames) -> Reached {
                               return FramedPlan{std::move(stages), std::move(frames)};
                             }},
                    tasks);
}

}  // namespace tessera::engine
