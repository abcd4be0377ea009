#include "placement/two_phase/statement.h"

#include <algorithm>
#include <utility>

namespace tessera::placement::two_phase {

Statement::Statement(Tuples& tuples, int32_t num_sites, StepCosts costs,
                     const std::vector<tra::KeyDim>& key)
    : tuples_(tuples), costs_(costs) {
  problem_.num_sites = num_sites;
  problem_.sites = SiteRows(num_sites);
  problem_.merges = false;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    if (tra::num_keys(key[dim]) > 1) {
      dims_.push_back(dim);
      problem_.extents.push_back(static_cast<int32_t>(tra::num_keys(key[dim])));
    }
  }
}

void Statement::add_join(int32_t made, const tra::Key& key, const std::vector<Operand>& operands,
                         int64_t dealt_by, int64_t num_calls) {
  const auto number = static_cast<int32_t>(problem_.num_joins());
  problem_.tuples.add_list();
  for (const Operand& operand : operands) {
    const int32_t tuple = local(operand);
    if (std::exchange(last_join_[static_cast<size_t>(tuple)], number) != number) {
      problem_.tuples.append(tuple);
    }
  }
  problem_.join_cost.push_back(costs_.join * num_calls);
  problem_.result_cost.push_back(costs_.result);
  problem_.join_key.push_back(dealt_by);
  for (const size_t dim : dims_) {
    problem_.coordinates.push_back(static_cast<int32_t>(key[dim]));
  }
  made_by_join_.push_back(made);
}

void Statement::add_group(int32_t made, const std::vector<int32_t>& results, int64_t key) {
  problem_.merges = true;
  problem_.joins.add_list();
  for (const int32_t result : results) {
    const auto join = std::lower_bound(made_by_join_.begin(), made_by_join_.end(), result);
    problem_.joins.append(static_cast<int32_t>(join - made_by_join_.begin()));
  }
  problem_.merge_cost.push_back(costs_.merge * (static_cast<int64_t>(results.size()) - 1));
  problem_.group_key.push_back(key);
  made_by_group_.push_back(made);
}

/// Returns the number of a tuple in the problem, which learns its home when it first meets it.
int32_t Statement::local(const Operand& operand) {
  const auto [number, is_new] = tuples_.number_in_statement(operand.tuple, tuple_.size());
  if (is_new) {
    problem_.sites.resize(tuple_.size() + 1);
    if (tuples_.home(operand.tuple) != kUnassigned) {
      problem_.sites.add(tuple_.size(), tuples_.home(operand.tuple));
      problem_.sites.add_all(tuple_.size(), tuples_.needed(), static_cast<size_t>(operand.tuple));
    }
    problem_.send_cost.push_back(operand.send_cost);
    tuple_.push_back(operand.tuple);
    last_join_.push_back(kUnassigned);
  }
  return number;
}

Plan Statement::solved(const Solver& solve) {
  for (size_t join = 0; join < made_by_join_.size() && !problem_.merges; ++join) {
    problem_.joins.add_list();
    problem_.joins.append(static_cast<int32_t>(join));
    problem_.merge_cost.push_back(0);
    problem_.group_key.push_back(problem_.join_key[join]);
  }
  tuples_.end_statement(tuple_);
  return problem_.num_joins() > 0 ? solve(problem_) : Plan();
}

void Statement::apply(const Plan& plan) {
  for (size_t tuple = 0; tuple < tuple_.size(); ++tuple) {
    if (plan.home[tuple] != kUnassigned) {
      tuples_.settle(tuple_[tuple], plan.home[tuple]);
    }
  }
  for (size_t join = 0; join < made_by_join_.size(); ++join) {
    tuples_.settle(made_by_join_[join], plan.join_site[join]);
    for (const int32_t tuple : problem_.tuples[join]) {
      tuples_.need(tuple_[static_cast<size_t>(tuple)], plan.join_site[join]);
    }
  }
  for (size_t group = 0; group < made_by_group_.size(); ++group) {
    tuples_.settle(made_by_group_[group], plan.group_site[group]);
    for (const int32_t join : problem_.joins[group]) {
      tuples_.need(made_by_join_[static_cast<size_t>(join)], plan.group_site[group]);
    }
  }
}

}  // namespace tessera::placement::two_phase
