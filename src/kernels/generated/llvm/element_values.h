#pragma once

#include <vector>

#include "kernels/generated/llvm/vector_steps.h"

namespace tessera::kernels::generated {

/// The values of a requested function, a vector of elements at once, in a function of LLVM's with
/// the parameters of a BlockFunction.
class ElementValues {
 public:
  /// Takes as many elements at once as the widest of the arguments and the result has in 64 bytes:
  /// buffers, and tiles that stand for them, are multiples of 64 bytes long, so no vector reaches
  /// behind the widest of them.
  ElementValues(const Request& request, llvm::IRBuilder<>& builder, llvm::Function& function);

  unsigned num_elements() const { return num_elements_; }
  DType result_type() const;
  VectorSteps& steps() { return steps_; }

  /// Finds the arguments, and computes the values that are the same for all elements, at the
  /// beginning of the function.
  void begin();

  /// Returns the results of the elements from one on.
  llvm::Value* at(llvm::Value* element);

  /// Stores results from an element of the result on.
  void store(llvm::Value* values, llvm::Value* element);
  /// Stores one result.
  void store_one(llvm::Value* value, llvm::Value* element);

 private:
  bool is_the_same(const Step& step) const;
  llvm::Value* first_at(llvm::Value* address, DType type, llvm::Value* element);
  llvm::Value* as_value(llvm::Value* loaded, DType type);
  llvm::Value* load(llvm::Value* address, DType type, llvm::Value* element);
  llvm::Value* load_uniform(llvm::Value* address, DType type);

  const Request& request_;
  llvm::IRBuilder<>& builder_;
  llvm::Function& function_;
  unsigned num_elements_;
  VectorSteps steps_;
  std::vector<llvm::Value*> addresses_;  // of the arguments, by step
  std::vector<llvm::Value*> the_same_;   // values for all elements, by step; else null
};

/// Adds a function to a module, with the parameters of a BlockFunction.
llvm::Function* new_block_function(llvm::Module& module, llvm::IRBuilder<>& builder);

}  // namespace tessera::kernels::generated
