#pragma once

#include <string>

#include "sql/tensor_function.h"

namespace tessera::sql {

/// The random bits of one call of a function that draws: a key of its own, and with it the position
/// of every element among all of its statement. So cuts, workers and sites do not show in what is
/// drawn, and no rewrite takes two draws for one.
class Draws {
 public:
  /// Takes a key. REQUIRES that the call is of a statement.
  explicit Draws(TensorCall& call);

  /// 64 random bits of the element at these labels of the tensor; of every element several, if one
  /// of `count` is asked for.
  program::Expression bits_at(const Expressions& indices, int64_t place = 0,
                              int64_t count = 1) const;
  /// 53 of them as a number in [0, 1).
  program::Expression unit_at(const Expressions& indices, int64_t place = 0,
                              int64_t count = 1) const;

 private:
  int64_t key_;
  const DrawSource* source_;
};

/// An argument with fewer modes than there are indices, at the last of these.
program::Expression at_last(const Term& argument, const Expressions& indices);

}  // namespace tessera::sql
