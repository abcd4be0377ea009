#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/generated/interface.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::kernels::generated {

/// The formula of one generated block function: steps after their arguments, the result last.
class Formula {
 public:
  /// Adds argument number `position` of the block function, of a compute type.
  int32_t argument(int32_t position, DType type);
  /// Adds an argument whose first element stands for all.
  int32_t uniform(int32_t position, DType type);
  /// Adds a literal converted to a compute type.
  int32_t constant(const Literal& value, DType type);
  /// Adds a step of earlier ones; returns an equal one if there is one. Its result has `type`.
  int32_t step(Operation operation, DType type, const std::vector<int32_t>& arguments);

  /// Merges the elements of the result by add, multiply, minimum or maximum (interface.h).
  void merge_by(Operation operation) { merge_ = operation; }
  /// Returns the merge; `argument` if each element is stored.
  Operation merge() const { return merge_; }

  DType type_of(int32_t step) const;

  const std::vector<Step>& steps() const { return steps_; }
  /// Counts operations on elements: all but arguments and constants. Merging does not count.
  int32_t num_operations() const;

  /// Returns a name of the formula: the same for equal formulas only.
  std::string digest() const;

 private:
  int32_t add(const Step& step);

  std::vector<Step> steps_;
  Operation merge_ = Operation::argument;
};

/// True if values of a compute type can be in generated code: all but complex numbers.
bool is_generated(DType type);

/// Adds a registered function, or `cast`, of earlier steps, with a result of a compute type, in the
/// exact operations of its block function. Returns the result's step; none if its code is not
/// generated: for series, and for functions that may fault.
std::optional<int32_t> add_function(Formula& formula, const std::string& function,
                                    const std::vector<int32_t>& arguments, DType result);

}  // namespace tessera::kernels::generated
