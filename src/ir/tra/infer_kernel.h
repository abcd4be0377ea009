#pragma once

#include <string>
#include <vector>

#include "ir/tra/graph.h"

namespace tessera::tra {

/// An operand of a kernel: an array of an input relation, and the names of that relation's key
/// labels in the kernel.
struct KernelOperand {
  const RelationType* relation;
  const Column* column;
  std::vector<std::string> key_labels;
};

/// Refuses a kernel that does not fit its operands, or the key of its result: arrays of another
/// number or shape, a mode that is read across its cuts, labels of other extents than the key's. A
/// scan along a cut label restarts in every tile. `op` names the kernel's operator. Errors: `user`.
void check_kernel(const expr::TileProgram& kernel, const std::vector<KernelOperand>& operands,
                  const std::vector<KeyDim>& key, const char* op);

/// Returns the arrays of a kernel's result: one per result of its last statement.
std::vector<Column> columns_of(const expr::TileProgram& kernel);

}  // namespace tessera::tra
