#pragma once

#include <string>
#include <vector>

#include "optimizer/contraction/tensor_network.h"
#include "optimizer/einsum/product.h"
#include "optimizer/einsum/rule.h"

namespace tessera::optimizer {

/// A contraction as a network: one tensor per factor.
struct Contraction {
  const einsum::Vertex& vertex;
  const einsum::EinSum& einsum;
  Product product;
  std::vector<int64_t> extents;  // by label
  std::vector<LabelSet> reads;   // per factor: the labels that it has
  std::vector<LabelSet> own;     // per factor: reduced labels that no other has, worth reducing
  std::vector<bool> irregular;   // per factor: a diagonal, or a mode read at one place
                                 // that is no part of an input which lies side by side
};

/// REQUIRES einsum is a contraction (product.h), and every access reads plain labels or fixed
/// places.
Contraction contraction_of(const einsum::Vertex& vertex, const einsum::Graph& graph);

/// Whether a factor's own labels are reduced before anything is contracted.
enum class OwnLabels : uint8_t { stay, reduced_first };

/// The network of the factors, with or without their own labels.
TensorNetwork network_of(const Contraction& contraction, OwnLabels own_labels);

/// Operations: one per multiplication and one per addition of an element, over whole iteration
/// spaces.
double cost_of_one_loop(const Contraction& contraction);
double cost_of_preparation(const Contraction& contraction);  // where own labels are reduced first

/// The vertices that carry the steps out; the last one stands for the contraction. Intermediates
/// hold the state of the reduction (f32 for f16), and only the last vertex finalises: the result is
/// rounded once. An aggregate is the user's own or the same over states, so that a plan can name
/// it.
std::vector<einsum::Vertex> tree_vertices(const Contraction& contraction, OwnLabels own_labels,
                                          const std::vector<ContractionStep>& steps,
                                          RuleContext& around);

}  // namespace tessera::optimizer
