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

/// Returns the factors of a body x1 ⊗ x2 ⊗ ..., where ⊗ is the function of two arguments at its
/// root: nodes of the body, from left to right, each as often as it is multiplied in. Empty if the
/// root is anything else.
std::vector<int32_t> factor_nodes(const expr::Scalar& body);

/// Returns the factor at a node that is an access, cast or not; nothing for any other node, and for
/// a gathered access, because its positions are computed.
std::optional<Factor> factor_at(const expr::Scalar& body, int32_t node);

/// A function that makes a node of the builder for a factor, which is a node of the copied body.
using FactorCopy = std::function<int32_t(expr::ScalarBuilder&, int32_t node)>;

/// Copies a product into a builder, multiplied in the same order but in `dtype`, with the factors
/// that `copy_factor` makes. Returns the node of its result. REQUIRES factor_nodes(body) is not
/// empty.
int32_t copy_product(expr::ScalarBuilder& builder, const expr::Scalar& body, DType dtype,
                     const FactorCopy& copy_factor);

/// A body x1 ⊗ x2 ⊗ ... of accesses only.
struct Product {
  std::string function;
  DType dtype = DType::f32;  // of the multiplications
  std::vector<Factor> factors;
};

/// Reads the body as a product of two or more factors, with the same access once for every time it
/// is multiplied in; nothing if it is anything else.
std::optional<Product> product_of(const expr::Scalar& body);

/// True if the state of a reduction is the element itself: lift and finalise at most cast, so that
/// a part of the reduction is a value of the state's dtype.
bool state_is_value(const expr::BoundAggregate& reduction);

/// Returns a reduction by the same monoid over elements that are states already, and whose result
/// is the state.
expr::BoundAggregate over_states(const expr::BoundAggregate& reduction);

/// Starts an elementwise statement over the result of another: its labels are the result's, in the
/// order of the modes, and it has no body yet.
einsum::EinSum over_results(const einsum::EinSum& einsum);

/// Returns the element of an operand at all labels of a statement, in the order of its result's
/// modes.
expr::Access at_result(const einsum::EinSum& einsum, int32_t operand);

/// Returns the labels that an access reads, each once, rising.
std::vector<expr::LabelNumber> labels_of(const expr::Access& access);

/// True if a statement is a sum of products in the sense of tensor networks: a reduction of a pure
/// product whose ⊗ distributes over ⊕, with two factors or more, at least one of which lacks some
/// label, so that elements are used again. Kernels (BLAS) exist for it. A product in which every
/// factor has every label is a plain loop.
bool is_contraction(const einsum::EinSum& einsum, const expr::FunctionRegistry& functions);

}  // namespace tessera::optimizer
