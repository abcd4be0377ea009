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
  std::string bits_at(const Labels& labels, int64_t number = 0, int64_t count = 1) const;
  /// 53 of them as a number in [0, 1).
  std::string unit_at(const Labels& labels, int64_t number = 0, int64_t count = 1) const;

 private:
  int64_t key_;
  const DrawSource* source_;
};

/// The last labels, by which an argument of so many modes is read.
std::string text_at_last(const Term& argument, const Labels& labels);

}  // namespace tessera::sql
