#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/generated/interface.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::kernels::generated {

/// What one generated block function computes: steps after their arguments, the result last.
class Formula {
 public:
  /// Argument number `position` of the block function, of a compute type.
  int32_t argument(int32_t position, DType type);
  /// The same, of which the first element counts for all.
  int32_t uniform(int32_t position, DType type);
  /// A literal converted to a compute type.
  int32_t constant(const Literal& value, DType type);
  /// A step of earlier ones; a known one where an equal one is there. Its result has `type`.
  int32_t step(Operation operation, DType type, const std::vector<int32_t>& arguments);

  /// Merges the elements of the result by add, multiply, minimum or maximum, as interface.h says.
  void merge_by(Operation operation) { merge_ = operation; }
  /// `argument` where each is stored.
  Operation merge() const { return merge_; }

  DType type_of(int32_t step) const;

  const std::vector<Step>& steps() const { return steps_; }
  /// Operations on elements: all but arguments and constants. Merging counts for none.
  int32_t num_operations() const;

  /// A name for what it computes: the same for equal formulas only.
  std::string digest() const;

 private:
  int32_t add(const Step& step);

  std::vector<Step> steps_;
  Operation merge_ = Operation::argument;
};

/// Whether values of a compute type can be in generated code: all but complex numbers.
bool is_generated(DType type);

/// Adds a registered function, or `cast`, of earlier steps, its result of a compute type, in the
/// very operations that its block function has: the result's step. None where its code is not
/// generated: of series, and of what may fault.
std::optional<int32_t> add_function(Formula& formula, const std::string& function,
                                    const std::vector<int32_t>& arguments, DType result);

}  // namespace tessera::kernels::generated
