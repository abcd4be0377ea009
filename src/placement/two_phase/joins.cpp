#include "placement/two_phase/joins.h"

#include <algorithm>

#include "ir/tra/keys.h"

namespace tessera::placement::two_phase {

std::vector<bool> merged_joins(const ia::Graph& graph) {
  const std::vector<int> readers = ia::num_readers(graph);
  std::vector<bool> merged(graph.nodes.size(), false);
  for (const ia::Node& node : graph.nodes) {
    const tra::Op* op = ia::local_op(node);
    const auto* aggregate = op == nullptr ? nullptr : std::get_if<tra::Aggregate>(op);
    if (aggregate == nullptr || readers[aggregate->input.index()] != 1) {
      continue;
    }
    const tra::Op* input = ia::local_op(graph.at(aggregate->input));
    merged[aggregate->input.index()] =
        input != nullptr && std::holds_alternative<tra::Join>(*input);
  }
  return merged;
}

std::vector<size_t> shared_dims(const tra::Join& join) {
  std::vector<size_t> shared;
  std::vector<size_t> all;
  for (size_t dim = 0; dim < join.key.size(); ++dim) {
    const std::string& label = tra::label_of(join.key[dim]);
    const auto readers = std::count_if(
        join.match.begin(), join.match.end(), [&](const std::vector<std::string>& match) {
          return std::find(match.begin(), match.end(), label) != match.end();
        });
    all.push_back(dim);
    if (readers > 1 && tra::num_keys(join.key[dim]) > 1) {
      shared.push_back(dim);
    }
  }
  return shared.empty() ? all : shared;
}

int64_t number_along(const tra::Key& key, const std::vector<tra::KeyDim>& space,
                     const std::vector<size_t>& dims) {
  int64_t number = 0;
  for (const size_t dim : dims) {
    number = number * tra::num_keys(space[dim]) + key[dim];
  }
  return number;
}

bool has_runs(const tra::RelationType& joined, const tra::RelationType& merged) {
  return std::all_of(joined.key.begin(), joined.key.end(), [&](const tra::KeyDim& dim) {
    const std::string& label = tra::label_of(dim);
    const auto is_along = [&](const tra::Mode& mode) { return mode.label == label; };
    const auto is_cut = [&](const tra::Column& column) {
      return std::any_of(column.modes.begin(), column.modes.end(), is_along);
    };
    return tra::find_key_dim(merged.key, label) >= 0 || tra::num_keys(dim) == 1 ||
           (tra::grid_of(dim) != nullptr &&
            std::none_of(joined.columns.begin(), joined.columns.end(), is_cut));
  });
}

}  // namespace tessera::placement::two_phase
