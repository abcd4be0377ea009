#pragma once

#include <functional>
#include <vector>

#include "expr/scalar.h"
#include "expr/scalar_part.h"  // part_of(), which all rules that include this call

namespace tessera::optimizer {

/// A function that makes a node of the builder for a leaf (an Access, IndexOf, Constant or
/// Parameter) of a copied expression. The nodes that a gathered access reads are the builder's
/// already.
using LeafCopy = std::function<int32_t(expr::ScalarBuilder&, const expr::Node&)>;

/// Copies an expression into a builder, with the leaves that `copy_leaf` makes. Returns the node of
/// its result.
int32_t copy_into(expr::ScalarBuilder& builder, const expr::Scalar& scalar,
                  const LeafCopy& copy_leaf);

/// Returns the labels that an expression mentions, in the order in which the operand of most modes
/// is read. The labels of a gathered mode are those of its position.
std::vector<expr::LabelNumber> labels_in(const expr::Scalar& scalar);

/// Copies a leaf into another statement, with its labels and its operand renumbered.
int32_t copy_leaf(expr::ScalarBuilder& builder, const expr::Node& leaf,
                  const std::vector<expr::LabelNumber>& labels,
                  const std::vector<int32_t>& operands);

}  // namespace tessera::optimizer
