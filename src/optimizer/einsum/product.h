#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "expr/function.h"
#include "expr/scalar.h"
#include "ir/einsum/graph.h"

namespace tessera::optimizer {

/// One factor of a product: an element of an operand, cast as the body casts it.
struct Factor {
  expr::Access access;
  DType stored = DType::f32;  // the operand's
  std::vector<DType> casts;   // applied in order; the last is the dtype of the product
};

/// The factors of a body x1 ⊗ x2 ⊗ ..., where ⊗ is the function of two arguments at its root: nodes
/// of the body, from left to right, each as often as it is multiplied in. Empty where the root is
/// anything else.
std::vector<int32_t> factor_nodes(const expr::Scalar& body);

/// A factor that is an access, cast or not; nothing if there is something else at the node, or the
/// access is gathered: what it reads is computed.
std::optional<Factor> factor_at(const expr::Scalar& body, int32_t node);

/// Makes a node of the builder for a factor, which is a node of the copied body.
using FactorCopy = std::function<int32_t(expr::ScalarBuilder&, int32_t node)>;

/// Copies a product into a builder, multiplied in the same order but in `dtype`, its factors as
/// `copy_factor` makes them; returns where its result now is. REQUIRES factor_nodes(body) is not
/// empty.
int32_t copy_product(expr::ScalarBuilder& builder, const expr::Scalar& body, DType dtype,
                     const FactorCopy& copy_factor);

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

/// A statement over the result labels of another, in the order of its modes and without a body yet:
/// what makes of its results others, one by one.
einsum::EinSum over_results(const einsum::EinSum& einsum);

/// The element of an operand at all labels of a statement, in the order of its result's modes.
expr::Access at_result(const einsum::EinSum& einsum, int32_t operand);

/// The labels that an access reads, each once, rising.
std::vector<expr::LabelNumber> labels_of(const expr::Access& access);

/// A sum of products in the sense of tensor networks: a reduction of a pure product whose ⊗
/// distributes over ⊕, with two factors or more, and at least one of them does without some label,
/// so that elements are used again. Kernels (BLAS) exist for it; a product in which every factor
/// has every label is one loop like any other.
bool is_contraction(const einsum::EinSum& einsum, const expr::FunctionRegistry& functions);

}  // namespace tessera::optimizer
