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
  // per factor: reduced labels that no other has, if worth reducing first
  std::vector<LabelSet> own;
  std::vector<bool> irregular;  // per factor: has a diagonal, or a mode at one position
                                // that is not a contiguous part of an input
};

/// Reads a vertex as a network. REQUIRES einsum is a contraction (product.h), and every access
/// reads plain labels or fixed positions.
Contraction contraction_of(const einsum::Vertex& vertex, const einsum::Graph& graph);

/// The treatment of a factor's own labels: reduced with the contraction, or before it.
enum class OwnLabels : uint8_t { stay, reduced_first };

/// Returns the network of the factors, with or without their own labels.
TensorNetwork network_of(const Contraction& contraction, OwnLabels own_labels);

/// Returns operations: one per multiplication and one per addition of an element, over whole
/// iteration spaces.
double cost_of_one_loop(const Contraction& contraction);
double cost_of_preparation(const Contraction& contraction);  // of reducing own labels first

/// Makes the vertices that carry the steps out; the last one stands for the contraction.
/// Intermediates hold the state of the reduction (f32 for f16), and only the last vertex finalises,
/// so the result is rounded once. An aggregate is the user's own or the same over states, so that a
/// plan can name it.
std::vector<einsum::Vertex> tree_vertices(const Contraction& contraction, OwnLabels own_labels,
                                          const std::vector<ContractionStep>& steps,
                                          RuleContext& around);

}  // namespace tessera::optimizer
