#include "optimizer/partition/problem/problem.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/byte_size.h"
#include "base/error.h"
#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/model/label_flow.h"
#include "optimizer/partition/slicing/sliced_model.h"

namespace tessera::optimizer::partition {

namespace {

/// The most pieces that a statement is cut into to keep a bound on bytes: beyond, its plan would be
/// too long.
constexpr int64_t kMostPiecesOfStatement = int64_t{1} << 20;

/// Numbers equal statements alike. Returns the first statement of every template.
std::vector<size_t> find_templates(const Model& model, std::vector<int32_t>& template_of) {
  std::vector<size_t> firsts;
  std::map<std::vector<int64_t>, int32_t> number_of;
  for (size_t statement = 0; statement < model.statements.size(); ++statement) {
    const auto [entry, is_new] = number_of.emplace(signature_of(model.statements[statement]),
                                                   static_cast<int32_t>(firsts.size()));
    if (is_new) {
      firsts.push_back(statement);
    }
    template_of.push_back(entry->second);
  }
  return firsts;
}

NoCut no_cut(const einsum::Graph& graph, const StatementModel& statement,
             const Fineness& fineness) {
  return {fmt::format("{}: one step of it needs tiles of {} however it is cut, but the bound is {}",
                      graph.at(statement.vertex).name,
                      byte_size_text(static_cast<int64_t>(fewest_call_bytes(statement, fineness))),
                      byte_size_text(static_cast<int64_t>(fineness.most_call_bytes)))};
}

/// Returns the alternatives of every template at a fineness, which grows until all keep the bound
/// on bytes.
std::variant<std::vector<Alternatives>, NoCut> templates_within(const einsum::Graph& graph,
                                                                const Model& model,
                                                                const std::vector<size_t>& firsts,
                                                                Fineness& fineness) {
  while (true) {
    std::vector<Alternatives> templates;
    for (const size_t first : firsts) {
      templates.push_back(alternatives_of(model.statements[first], fineness));
      if (templates.back().size() == 0) {
        if (fineness.pieces >= kMostPiecesOfStatement) {
          return no_cut(graph, model.statements[first], fineness);
        }
        break;
      }
    }
    if (templates.size() == firsts.size() && (firsts.empty() || templates.back().size() > 0)) {
      return templates;
    }
    fineness.pieces *= 2;
  }
}

assignment::Classes classes_of(const Cuts& cuts) {
  return {cuts.class_of, cuts.lengths.size()};
}

assignment::Domain domain_of(const Alternatives& alternatives) {
  assignment::Domain domain;
  for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
    domain.costs.push_back(alternatives.own_cost(alternative));
  }
  domain.out = classes_of(alternatives.out);
  for (const Cuts& operand : alternatives.operands) {
    domain.operands.push_back(classes_of(operand));
  }
  return domain;
}

void find_dependencies(Problem& problem) {
  assignment::Problem& choice = problem.choice;
  choice.dependencies_in.resize(problem.num_statements());
  choice.dependencies_out.resize(problem.num_statements());
  std::map<std::tuple<int32_t, int32_t, int32_t>, int32_t> table_of_kind;
  for (size_t consumer = 0; consumer < problem.num_statements(); ++consumer) {
    const StatementModel& reader = problem.model.statements[consumer];
    for (size_t number = 0; number < reader.operands.size(); ++number) {
      const Operand& operand = reader.operands[number];
      if (operand.producer == kPreplaced) {
        continue;
      }
      const auto producer = static_cast<size_t>(operand.producer);
      const auto [entry, is_new] = table_of_kind.emplace(
          std::make_tuple(choice.domain_of[producer], choice.domain_of[consumer],
                          static_cast<int32_t>(number)),
          static_cast<int32_t>(choice.tables.size()));
      if (is_new) {
        const std::vector<std::vector<int64_t>>& to =
            problem.alternatives(consumer).operands[number].lengths;
        choice.tables.push_back(
            {to.size(),
             repartition_costs(operand.shape, problem.alternatives(producer).out.lengths, to)});
      }
      choice.add({operand.producer, static_cast<int32_t>(consumer), static_cast<int32_t>(number),
                  entry->second});
    }
  }
}

}  // namespace

std::variant<Problem, NoCut> problem_within(const einsum::Graph& graph,
                                            const PartitionOptions& options) {
  Problem problem;
  problem.model = sliced(model_of(graph), options.slices);
  measure_reach(problem.model);
  problem.fineness = fineness_of(problem.model, options);
  const std::vector<size_t> firsts = find_templates(problem.model, problem.choice.domain_of);
  auto templates = templates_within(graph, problem.model, firsts, problem.fineness);
  if (auto* none = std::get_if<NoCut>(&templates)) {
    return std::move(*none);
  }
  problem.templates = std::move(std::get<std::vector<Alternatives>>(templates));
  for (const Alternatives& alternatives : problem.templates) {
    problem.choice.domains.push_back(domain_of(alternatives));
  }
  find_dependencies(problem);
  return problem;
}

Problem problem_of(const einsum::Graph& graph, const PartitionOptions& options) {
  auto problem = problem_within(graph, options);
  if (const auto* none = std::get_if<NoCut>(&problem)) {
    throw_error(ErrorKind::user, "{}", none->reason);
  }
  return std::move(std::get<Problem>(problem));
}

}  // namespace tessera::optimizer::partition
