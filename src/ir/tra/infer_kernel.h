#pragma once

#include <string>
#include <vector>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// An operand of a kernel: an array of an input relation, and what that relation's key labels are
/// called in the kernel.
struct KernelOperand {
  const RelationType* relation;
  const Column* column;
  std::vector<std::string> key_labels;
};

/// Refuses a kernel that does not fit what it reads, or the key of what it makes: arrays of another
/// number or shape, a mode that is read across its cuts, labels of other extents than the key says.
/// A scan along what is cut starts anew in every tile. `op` is whose kernel it is. Errors: `user`.
void check_kernel(const expr::TileProgram& kernel, const std::vector<KernelOperand>& operands,
                  const std::vector<KeyDim>& key, const char* op);

/// The arrays a kernel makes: one per result of its last statement.
std::vector<Column> columns_of(const expr::TileProgram& kernel);

}  // namespace tessera::tra
