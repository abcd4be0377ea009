#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// One factor of a product: an element of an operand, cast as the body casts it.
struct Factor {
  expr::Access access;
  DType stored = DType::f32;  // the operand's
  std::vector<DType> casts;   // applied in order; the last is the dtype of the product
};

/// A body x1 ⊗ x2 ⊗ ... of accesses only.
struct Product {
  std::string function;
  DType dtype = DType::f32;  // what ⊗ is computed in
  std::vector<Factor> factors;
};

/// The body as a product of two or more factors, the same access once for every time it is
/// multiplied in; nothing if it is anything else.
std::optional<Product> product_of(const expr::Scalar& body);

/// Whether the state of a reduction carries the element itself: lift and finalise cast at most, so
/// that a part of the reduction is a value of the state's dtype.
bool state_is_value(const expr::BoundAggregate& reduction);

/// A reduction by the same monoid over elements that are states already, and whose result is the
/// state.
expr::BoundAggregate over_states(const expr::BoundAggregate& reduction);

/// The labels that an access reads, each once, rising.
std::vector<expr::LabelNumber> labels_of(const expr::Access& access);

/// A sum of products in the sense of tensor networks: a reduction of a pure product whose ⊗
/// distributes over ⊕, with two factors or more, and at least one of them does without some label,
/// so that elements are used again. Kernels (BLAS) exist for it; a product in which every factor
/// has every label is one loop like any other.
bool is_contraction(const einsum::EinSum& einsum);

}  // namespace tessera::optimizer
