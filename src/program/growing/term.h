#pragma once

#include <functional>
#include <optional>
#include <string>

#include "program/growing/expression.h"
#include "program/growing/label.h"
#include "types/array_type.h"

namespace tessera::program {

/// A product of factors, and the labels that it is summed over, which may be none:
/// `sum[k] A[i,k] * B[k,j]`.
struct Product {
  Labels bound;
  Expressions factors;
};

/// The product as one expression.
Expression value_of(const Product& product);

/// The tensor that an expression has in a row: an expression of the program once its modes have
/// indices.
///
/// Scalars of SQL's are weak: they have no dtype of their own and take that of what they meet.
struct Term {
  ArrayType type;  // a scalar has no modes
  bool is_weak = false;
  std::function<Product(const Expressions& indices)> says;
  std::optional<Literal> literal = {};  // of a number as it was written
  bool takes_indices = false;           // any index may be given in the place of a label

  Expression at(const Expressions& indices) const { return value_of(says(indices)); }
  Expression at(const Labels& labels) const { return at(indices_of(labels)); }
};

/// A term that is no sum.
Term plain_term(ArrayType type, std::function<Expression(const Expressions& indices)> says);

/// A number as it was written.
Term number_term(Literal value);

}  // namespace tessera::program
