#pragma once

#include <cstdint>
#include <vector>

namespace tessera::optimizer {

/// Label numbers, rising, each once.
using LabelSet = std::vector<int32_t>;

/// A product of tensors that is reduced to the labels of `out`. A label may be in any number of
/// tensors (a hyper-edge), and in the output too (a batch label).
struct TensorNetwork {
  std::vector<LabelSet> tensors;
  std::vector<int64_t> extents;  // by label, at least 1
  LabelSet out;
};

/// A contraction of two tensors into one. Numbers of tensors go on: the result of step s has number
/// tensors.size() + s.
struct ContractionStep {
  int32_t left = 0;
  int32_t right = 0;
  LabelSet labels;  // of the result: labels of both that another tensor or the output still needs
  friend bool operator==(const ContractionStep&, const ContractionStep&) = default;
};

LabelSet union_of(const LabelSet& a, const LabelSet& b);

/// The cap of volumes, so that differences of them stay numbers.
inline constexpr double kMostVolume = 1e300;

/// Returns the product of the extents of the labels, at most kMostVolume: it may exceed 64 bits.
double volume(const LabelSet& labels, const std::vector<int64_t>& extents);

/// Returns the volume of all labels of both, without making their union.
double volume_of_both(const LabelSet& a, const LabelSet& b, const std::vector<int64_t>& extents);

/// Returns the labels that some tensor has.
LabelSet all_labels(const TensorNetwork& network);

}  // namespace tessera::optimizer
