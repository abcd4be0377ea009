#include "optimizer/partition/search/baselines.h"

#include <algorithm>

#include "optimizer/partition/model/cost.h"
#include "optimizer/partition/model/label_flow.h"
#include "optimizer/partition/search/fittest.h"

namespace tessera::optimizer::partition {

Assignment evenly_cut(const Problem& problem) {
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const StatementModel& statement = problem.model.statements[number];
    // Among vectors with one product, the most even has the least sum.
    double sum = 0;
    for (size_t label = 0; label < lengths.size(); ++label) {
      sum += static_cast<double>(num_pieces(statement.extents[label], lengths[label]));
    }
    return std::vector<double>{num_calls(statement, lengths), -sum};
  });
}

Assignment cut_along(const Problem& problem, const std::vector<std::string>& names) {
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const StatementModel& statement = problem.model.statements[number];
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
  return fittest(problem, [&](size_t number, const std::vector<int64_t>& lengths) {
    const StatementModel& statement = problem.model.statements[number];
    double pieces = 0;
    for (size_t label = 0; label < lengths.size(); ++label) {
      if (flow.flow_of[number][label] == flow.batch) {
        pieces = std::max(
            pieces, static_cast<double>(num_pieces(statement.extents[label], lengths[label])));
      }
    }
    return std::vector<double>{pieces, num_calls(statement, lengths)};
  });
}

}  // namespace tessera::optimizer::partition
