#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "optimizer/assignment/problem.h"
#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"
#include "optimizer/partition/problem/alternatives.h"

namespace tessera::optimizer::partition {

/// The choice of an alternative for every statement: a minimum-cost assignment
/// (optimizer/assignment) whose variables are the statements. Its costs are those of the
/// alternatives by themselves, and of repartition between them.
///
/// Equal statements share their alternatives, and dependencies between equal statements their
/// tables.
struct Problem {
  Model model;
  Fineness fineness;
  std::vector<Alternatives> templates;
  assignment::Problem choice;  // with a domain for each template

  size_t num_statements() const { return model.statements.size(); }
  const Alternatives& alternatives(size_t statement) const {
    return templates[static_cast<size_t>(choice.domain_of[statement])];
  }
};

/// Makes the problem of a graph. If a bound on the bytes of a call requires more pieces, their
/// number is doubled until it holds. If no cut keeps the bound, the reason names the statement and
/// the fewest bytes.
std::variant<Problem, NoCut> problem_within(const einsum::Graph& graph,
                                            const PartitionOptions& options);

/// Makes the problem without a bound on the bytes of a call. Errors: `user` with that reason.
Problem problem_of(const einsum::Graph& graph, const PartitionOptions& options);

}  // namespace tessera::optimizer::partition
