#pragma once

#include <cstdint>
#include <vector>

namespace tessera::optimizer {

/// Label numbers, rising, each once.
using LabelSet = std::vector<int32_t>;

/// A product of tensors that is to be reduced to the labels of `out`.
struct TensorNetwork {
  std::vector<LabelSet> tensors;
  std::vector<int64_t> extents;  // by label
  LabelSet out;
};

/// Contract two tensors into one. Tensors are counted on: the result of step s has number
/// tensors.size() + s.
struct ContractionStep {
  int32_t left = 0;
  int32_t right = 0;
  LabelSet labels;  // of the result: those of both that another tensor or the output still needs
  friend bool operator==(const ContractionStep&, const ContractionStep&) = default;
};

/// An order in which to contract the tensors, two at a time.
///
/// Greedy: next is the pair that shares a label and has the least size(result) - size(left) -
/// size(right); equal costs go to the pair of the lowest numbers. Tensors that share nothing are
/// multiplied at the end, small ones first. Deterministic. Cost: p log p for p pairs that share a
/// label. Source: Smith and Gray, opt_einsum, JOSS 3(26), 2018 (path "greedy").
std::vector<ContractionStep> contraction_order(const TensorNetwork& network);

LabelSet union_of(const LabelSet& a, const LabelSet& b);

/// The product of the extents of the labels, as a double: it may exceed 64 bits.
double volume(const LabelSet& labels, const std::vector<int64_t>& extents);

}  // namespace tessera::optimizer
