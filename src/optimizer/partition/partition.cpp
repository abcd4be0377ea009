#include "optimizer/partition/partition.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/error.h"
#include "base/suggest.h"
#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/problem/problem.h"

namespace tessera::optimizer::partition {

namespace {

constexpr size_t kMostRunnersUp = 5;

struct NamedSolution {
  std::string planner;
  Solution solution;
};

NamedSolution solve_by(const PlannerRegistry& planners, const std::string& text,
                       const Problem& problem) {
  const size_t colon = std::min(text.find(':'), text.size());
  const std::string name = text.substr(0, colon);
  const std::string argument = text.substr(std::min(colon + 1, text.size()));
  const Planner* planner = planners.find(name);
  if (planner == nullptr) {
    std::vector<std::string> names = {kDefaultPlanner};
    for (const Planner& known : planners.all()) {
      names.push_back(known.argument.empty() ? known.name : known.name + ":" + known.argument);
    }
    const std::string suggestion = did_you_mean(name, names);
    throw_error(ErrorKind::user, "there is no planner {}; there are {}{}", name,
                fmt::join(names, ", "), suggestion.empty() ? "" : "; " + suggestion);
  }
  TESSERA_USER_CHECK(argument.empty() == planner->argument.empty(),
                     "the planner {} is written {}{}", text, name,
                     planner->argument.empty() ? "" : ":" + planner->argument);
  return {text, planner->solve(problem, argument)};
}

/// Returns the cheapest plan of all planners; the bounds of all hold for it.
NamedSolution cheapest(const PlannerRegistry& planners, const Problem& problem) {
  NamedSolution best;
  std::optional<double> lower_bound;
  for (const Planner& planner : planners.all()) {
    if (!planner.argument.empty()) {
      continue;
    }
    Solution solution = planner.solve(problem, "");
    if (solution.lower_bound) {
      lower_bound = std::max(lower_bound.value_or(0), *solution.lower_bound);
    }
    const bool is_proven = solution.lower_bound && !best.solution.lower_bound;
    if (best.planner.empty() || solution.cost < best.solution.cost ||
        (solution.cost == best.solution.cost && is_proven)) {
      best = {planner.name, std::move(solution)};
    }
  }
  best.solution.lower_bound = lower_bound;
  return best;
}

Partitioning partitioning_of(const einsum::Graph& graph, const Problem& problem,
                             const Solution& solution) {
  Partitioning partitioning;
  partitioning.piece_lengths.resize(graph.vertices.size());
  partitioning.merged_apart.resize(graph.vertices.size());
  for (size_t number = 0; number < problem.num_statements(); ++number) {
    const auto choice = static_cast<size_t>(solution.assignment[number]);
    partitioning.piece_lengths[problem.model.statements[number].vertex.index()] =
        problem.alternatives(number).piece_lengths[choice];
    partitioning.merged_apart[problem.model.statements[number].vertex.index()] =
        problem.alternatives(number).merged_apart[choice];
  }
  return partitioning;
}

std::vector<int64_t> pieces_of(const StatementModel& statement,
                               const std::vector<int64_t>& lengths) {
  std::vector<int64_t> pieces;
  for (size_t label = 0; label < lengths.size(); ++label) {
    pieces.push_back(num_pieces(statement.extents[label], lengths[label]));
  }
  return pieces;
}

/// Counts the file costs of a statement.
void count_files(const StatementModel& statement, const std::vector<int64_t>& lengths,
                 const FileCosts& costs, StatementPartition& counted) {
  const auto lengths_of = [&](size_t number) {
    return mode_lengths(statement.operands[number], lengths);
  };
  for (size_t number = 0; number < statement.operands.size(); ++number) {
    if (is_read_before(statement, number, lengths_of)) {
      continue;
    }
    const FileEstimate one =
        reading_estimate(statement.operands[number], lengths_of(number), costs);
    counted.reading.runs += one.runs;
    counted.reading.seconds += one.seconds;
    counted.files += numbers_of(one.seconds);
  }
  const std::vector<int64_t> of_result =
      mode_lengths(statement.out, result_shape(statement), lengths);
  const FileEstimate gathered = gathering_estimate(statement, of_result, costs);
  counted.reading.runs += gathered.runs;
  counted.reading.seconds += gathered.seconds;
  counted.files += numbers_of(gathered.seconds);
  counted.writing = writing_estimate(statement, of_result, costs);
  counted.files += numbers_of(counted.writing.seconds);
}

StatementPartition counted(const Model& model, const StatementModel& statement,
                           const Partitioning& partitioning,
                           const std::optional<FileCosts>& files) {
  const std::vector<int64_t>& lengths = partitioning.piece_lengths[statement.vertex.index()];
  StatementPartition counted;
  counted.vertex = statement.vertex;
  counted.pieces = pieces_of(statement, lengths);
  counted.join = join_cost(statement, lengths);
  counted.aggregation = aggregation_cost(statement, lengths);
  for (const Operand& operand : statement.operands) {
    if (operand.producer != kPreplaced) {
      const StatementModel& producer = model.statements[static_cast<size_t>(operand.producer)];
      counted.repartition +=
          repartition_cost(operand.shape,
                           mode_lengths(producer.out, operand.shape,
                                        partitioning.piece_lengths[operand.vertex.index()]),
                           mode_lengths(operand, lengths));
    }
  }
  if (files) {
    count_files(statement, lengths, *files, counted);
  }
  return counted;
}

std::vector<int32_t> sliced_labels(const StatementModel& statement) {
  std::vector<int32_t> labels;
  for (size_t label = 0; label < statement.extents.size(); ++label) {
    if (statement.slices[label] < statement.extents[label]) {
      labels.push_back(static_cast<int32_t>(label));
    }
  }
  return labels;
}

/// Fills in the runners-up of a statement, with costs as of local_costs.
void add_runners_up(const Problem& problem, const Solution& solution, size_t number,
                    StatementPartition& statement) {
  const std::vector<double> costs = local_costs(problem.choice, solution.assignment, number);
  const auto chosen = static_cast<size_t>(solution.assignment[number]);
  std::vector<std::pair<double, size_t>> others;
  for (size_t alternative = 0; alternative < costs.size(); ++alternative) {
    if (alternative != chosen) {
      others.emplace_back(solution.cost - costs[chosen] + costs[alternative], alternative);
    }
  }
  const size_t count = std::min(kMostRunnersUp, others.size());
  std::partial_sort(others.begin(), others.begin() + static_cast<std::ptrdiff_t>(count),
                    others.end());
  statement.num_alternatives = static_cast<int64_t>(costs.size());
  for (size_t rank = 0; rank < count; ++rank) {
    statement.runners_up.push_back(
        {pieces_of(problem.model.statements[number],
                   problem.alternatives(number).piece_lengths[others[rank].second]),
         others[rank].first});
  }
}

GraphPartition count_all(const Model& model, Partitioning partitioning,
                         const std::optional<FileCosts>& files) {
  GraphPartition counts;
  counts.statements.reserve(model.statements.size());
  for (const StatementModel& statement : model.statements) {
    counts.statements.push_back(counted(model, statement, partitioning, files));
    const StatementPartition& last = counts.statements.back();
    counts.communication_volume += last.join + last.aggregation + last.repartition;
    counts.file_seconds += last.reading.seconds + last.writing.seconds;
    counts.cost += last.join + last.aggregation + last.repartition + last.files;
    int64_t calls = 1;
    for (const int64_t pieces : last.pieces) {
      calls *= pieces;
    }
    counts.pieces = std::max(counts.pieces, calls);
  }
  counts.partitioning = std::move(partitioning);
  return counts;
}

}  // namespace

Partitioned partition_within(const einsum::Graph& graph, const PlannerRegistry& planners,
                             const std::string& planner, const PartitionOptions& options) {
  const std::variant<Problem, NoCut> posed = problem_within(graph, options);
  if (const auto* no_cut = std::get_if<NoCut>(&posed)) {
    return *no_cut;
  }
  const auto& problem = std::get<Problem>(posed);
  const NamedSolution chosen = planner == kDefaultPlanner ? cheapest(planners, problem)
                                                          : solve_by(planners, planner, problem);
  GraphPartition result = count_all(problem.model, partitioning_of(graph, problem, chosen.solution),
                                    problem.fineness.files);
  result.planner = chosen.planner;
  result.pieces = problem.fineness.pieces;
  result.lower_bound = chosen.solution.lower_bound;
  result.slices = options.slices;
  for (size_t number = 0; number < problem.num_statements(); ++number) {
    result.statements[number].sliced = sliced_labels(problem.model.statements[number]);
    const auto choice = static_cast<size_t>(chosen.solution.assignment[number]);
    result.statements[number].handed_on = problem.alternatives(number).handed_on[choice];
    result.statements[number].reloaded = problem.alternatives(number).reloaded[choice];
    result.statements[number].between_sites = problem.alternatives(number).between_sites[choice];
    result.cost += result.statements[number].handed_on + result.statements[number].reloaded +
                   result.statements[number].between_sites;
    add_runners_up(problem, chosen.solution, number, result.statements[number]);
  }
  return result;
}

GraphPartition partition_graph(const einsum::Graph& graph, const PlannerRegistry& planners,
                               const std::string& planner, const PartitionOptions& options) {
  Partitioned partitioned = partition_within(graph, planners, planner, options);
  if (const auto* no_cut = std::get_if<NoCut>(&partitioned)) {
    throw_error(ErrorKind::user, "{}", no_cut->reason);
  }
  return std::move(std::get<GraphPartition>(partitioned));
}

GraphPartition count_partition(const einsum::Graph& graph, Partitioning partitioning,
                               const std::optional<FileCosts>& files) {
  return count_all(model_of(graph), std::move(partitioning), files);
}

}  // namespace tessera::optimizer::partition
