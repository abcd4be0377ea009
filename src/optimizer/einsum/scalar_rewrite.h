#pragma once

#include <functional>
#include <vector>

#include "expr/scalar.h"
#include "expr/scalar_part.h"  // part_of(), which all rules that include this call

namespace tessera::optimizer {

/// Makes a node of the builder for a leaf (an Access, IndexOf, Constant or Parameter) of a copied
/// expression. The nodes that a gathered access reads are those of the builder already.
using LeafCopy = std::function<int32_t(expr::ScalarBuilder&, const expr::Node&)>;

/// Copies an expression into a builder, its leaves as `copy_leaf` makes them; returns where its
/// result now is.
int32_t copy_into(expr::ScalarBuilder& builder, const expr::Scalar& scalar,
                  const LeafCopy& copy_leaf);

/// The labels that an expression mentions, in the order in which the operand of most modes is read.
/// The labels of a gathered mode are those of its position.
std::vector<expr::LabelNumber> labels_in(const expr::Scalar& scalar);

/// A leaf as it stands in another statement: its labels and its operand under the numbers they have
/// there.
int32_t copy_leaf(expr::ScalarBuilder& builder, const expr::Node& leaf,
                  const std::vector<expr::LabelNumber>& labels,
                  const std::vector<int32_t>& operands);

}  // namespace tessera::optimizer
