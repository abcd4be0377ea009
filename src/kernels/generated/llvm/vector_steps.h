#pragma once

#include <vector>

#include <llvm/IR/IRBuilder.h>

#include "kernels/generated/interface.h"
#include "types/dtype.h"

namespace tessera::kernels::generated {

/// A writer of steps as instructions on vectors of some elements. Bools are vectors of bits.
class VectorSteps {
 public:
  VectorSteps(llvm::IRBuilder<>& builder, unsigned num_elements)
      : builder_(builder), num_elements_(num_elements) {}

  /// Returns the vector of values of a type in its memory layout, where a bool is a byte.
  llvm::VectorType* vector_of(DType type) const;
  llvm::VectorType* stored_vector_of(DType type) const;

  /// Returns the value of a constant.
  llvm::Value* constant(const Step& step) const;

  /// Returns the value of any other step but an argument. `values` has the value and `steps` the
  /// type of every earlier one.
  llvm::Value* computed(const Step& step, const Step* steps,
                        const std::vector<llvm::Value*>& values);

  /// Returns x and y combined by an operation of two arguments, on vectors of any number of
  /// elements.
  llvm::Value* of_two(Operation operation, DType type, llvm::Value* x, llvm::Value* y);

 private:
  llvm::Value* of_one(Operation operation, DType type, llvm::Value* x);
  llvm::Value* compared(Operation operation, DType type, llvm::Value* x, llvm::Value* y);
  llvm::Value* cast(llvm::Value* x, DType from, DType to);
  llvm::Value* absolute(DType type, llvm::Value* x);
  llvm::Value* extreme(bool is_maximum, DType type, llvm::Value* x, llvm::Value* y);
  llvm::Value* equal_bits(bool is_maximum, llvm::Value* x, llvm::Value* y);

  llvm::IRBuilder<>& builder_;
  unsigned num_elements_;
};

}  // namespace tessera::kernels::generated
