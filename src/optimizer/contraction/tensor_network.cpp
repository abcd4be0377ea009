#include "optimizer/contraction/tensor_network.h"

#include <algorithm>

namespace tessera::optimizer {

LabelSet union_of(const LabelSet& a, const LabelSet& b) {
  LabelSet all;
  all.reserve(a.size() + b.size());
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

double volume(const LabelSet& labels, const std::vector<int64_t>& extents) {
  double elements = 1;
  for (const int32_t label : labels) {
    elements *= static_cast<double>(extents[static_cast<size_t>(label)]);
  }
  return std::min(elements, kMostVolume);
}

double volume_of_both(const LabelSet& a, const LabelSet& b, const std::vector<int64_t>& extents) {
  double elements = volume(a, extents);
  auto in_a = a.begin();
  for (const int32_t label : b) {
    in_a = std::lower_bound(in_a, a.end(), label);
    if (in_a == a.end() || *in_a != label) {
      elements *= static_cast<double>(extents[static_cast<size_t>(label)]);
    }
  }
  return std::min(elements, kMostVolume);
}

LabelSet all_labels(const TensorNetwork& network) {
  LabelSet all;
  for (const LabelSet& tensor : network.tensors) {
    all.insert(all.end(), tensor.begin(), tensor.end());
  }
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace tessera::optimizer
