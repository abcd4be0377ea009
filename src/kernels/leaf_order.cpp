#include "kernels/leaf_order.h"

#include "types/dtype.h"

namespace tessera::kernels {

OrRefusal<GemmLabels> read_as_chain(const expr::TileProgram& program) {
  OrRefusal<GemmLabels> labels = read_as_gemm(program);
  if (!labels) {
    return labels;
  }
  if (is_complex(labels->type)) {
    return Refusal{"complex products are summed in lanes"};
  }
  if (labels->m.empty() || labels->n.empty()) {
    return Refusal{"one of the factors has no label of its own, so it is no matrix product"};
  }
  return labels;
}

}  // namespace tessera::kernels
