#include "optimizer/partition/baselines.h"

#include <algorithm>
#include <set>

#include "optimizer/partition/cost.h"
#include "optimizer/partition/label_flow.h"
#include "optimizer/partition/local_search.h"

namespace tessera::optimizer::partition {

namespace {

/// The flow that most of the work has in its results; -1 where no input has a first mode.
int32_t batch_of(const Model& model, const LabelFlow& flow) {
  std::vector<double> work(flow.leads_input.size(), 0);
  for (size_t number = 0; number < model.statements.size(); ++number) {
    const Statement& statement = model.statements[number];
    std::set<int32_t> flows;
    for (const int32_t label : statement.out) {
      flows.insert(flow.flow_of[number][static_cast<size_t>(label)]);
    }
    for (const int32_t result : flows) {
      work[static_cast<size_t>(result)] += num_flops(statement);
    }
  }
  int32_t batch = -1;
  for (size_t number = 0; number < work.size(); ++number) {
    if (flow.leads_input[number] &&
        (batch < 0 || work[number] > work[static_cast<size_t>(batch)])) {
      batch = static_cast<int32_t>(number);
    }
  }
  return batch;
}

}  // namespace

Assignment evenly_cut(const Problem& problem) {
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const Statement& statement = problem.model.statements[number];
    // Of vectors with one product, the most even has the least sum.
    double sum = 0;
    for (size_t label = 0; label < lengths.size(); ++label) {
      sum += static_cast<double>(num_pieces(statement.extents[label], lengths[label]));
    }
    return std::vector<double>{num_calls(statement, lengths), -sum};
  });
}

Assignment cut_along(const Problem& problem, const std::vector<std::string>& names) {
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const Statement& statement = problem.model.statements[number];
    std::vector<double> pieces;
    for (const std::string& name : names) {
      const std::vector<std::string>& own = statement.names;
      const auto label = static_cast<size_t>(std::find(own.begin(), own.end(), name) - own.begin());
      pieces.push_back(label == own.size() ? 0
                                           : static_cast<double>(num_pieces(
                                                 statement.extents[label], lengths[label])));
    }
    pieces.push_back(num_calls(statement, lengths));
    return pieces;
  });
}

Assignment data_parallel(const Problem& problem) {
  const LabelFlow flow = label_flow_of(problem.model);
  const int32_t batch = batch_of(problem.model, flow);
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const Statement& statement = problem.model.statements[number];
    double pieces = 0;
    for (size_t label = 0; label < lengths.size(); ++label) {
      if (flow.flow_of[number][label] == batch) {
        pieces = std::max(
            pieces, static_cast<double>(num_pieces(statement.extents[label], lengths[label])));
      }
    }
    return std::vector<double>{pieces, num_calls(statement, lengths)};
  });
}

}  // namespace tessera::optimizer::partition
