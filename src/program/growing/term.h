#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "types/array_type.h"

namespace tessera::program {

/// Labels of the language of `.ein`, one for each mode.
using Labels = std::vector<std::string>;

/// `sum[k] A[i,k] * B[k,j]`: a product and the labels that it is summed over, which may be none.
struct Product {
  Labels bound;
  std::string text;  // binds as tight as a factor
};

/// The tensor that an expression has in a row, said in the language of `.ein` once its modes have
/// labels.
///
/// Scalars of SQL's are weak: they have no dtype of their own and take that of what they meet.
struct Term {
  ArrayType type;  // a scalar has no modes
  bool is_weak = false;
  std::function<Product(const Labels&)> says;
  bool is_literal = false;     // a number as it was written
  bool takes_indices = false;  // any index may be given in the place of a label
};

/// The term as one factor: `(sum[k] A[i,k] * B[k,j])`.
std::string text_of(const Term& term, const Labels& labels);

/// A term that is no sum.
Term plain_term(ArrayType type, std::function<std::string(const Labels&)> text);

/// A number as it was written.
Term number_term(const std::string& text, bool is_integer);

/// Labels of one statement, no two alike. A label's name says its extent, `i_500`, `j_500`, so that
/// a program has few and each has one extent wherever it stands. Threads: one at a time.
class FreshLabels {
 public:
  std::string of(int64_t extent);
  Labels of(const Shape& shape);
  /// All that were given.
  Labels given() const;

 private:
  std::map<int64_t, int64_t> num_given_;  // by extent
};

/// The extent that a label's name says.
int64_t extent_of_label(const std::string& label);

}  // namespace tessera::program
