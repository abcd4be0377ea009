#pragma once

#include <cstdint>
#include <variant>
#include <vector>

#include "optimizer/assignment/problem.h"
#include "optimizer/partition/model/model.h"
#include "optimizer/partition/model/options.h"
#include "optimizer/partition/problem/alternatives.h"

namespace tessera::optimizer::partition {

/// Choosing an alternative for every statement: a minimum-cost assignment (optimizer/assignment)
/// whose variables are the statements and whose costs are those of the alternatives by themselves,
/// and of repartition between them.
///
/// Equal statements share their alternatives, and dependencies between equal statements their
/// tables.
struct Problem {
  Model model;
  Fineness fineness;
  std::vector<Alternatives> templates;
  assignment::Problem choice;  // of a domain for each template

  size_t num_statements() const { return model.statements.size(); }
  const Alternatives& alternatives(size_t statement) const {
    return templates[static_cast<size_t>(choice.domain_of[statement])];
  }
};

/// The problem of a graph. Where a bound on the bytes of a call asks for more pieces, there are
/// twice as many, again and again; where no cut keeps the bound, the reason names the statement and
/// the fewest bytes.
std::variant<Problem, NoCut> problem_within(const einsum::Graph& graph,
                                            const PartitionOptions& options);

/// The same where there is no bound on the bytes of a call. Errors: `user` with that reason.
Problem problem_of(const einsum::Graph& graph, const PartitionOptions& options);

}  // namespace tessera::optimizer::partition
