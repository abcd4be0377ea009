#include "kernels/leaf_order.h"

#include "types/dtype.h"

namespace tessera::kernels {

GemmReading read_as_chain(const expr::TileProgram& program) {
  GemmReading reading = read_as_gemm(program);
  if (!reading.labels) {
    return reading;
  }
  if (is_complex(reading.labels->type)) {
    return {std::nullopt, "complex products are summed in lanes"};
  }
  if (reading.labels->m.empty() || reading.labels->n.empty()) {
    return {std::nullopt, "one of the factors has no label of its own, so it is no matrix product"};
  }
  return reading;
}

}  // namespace tessera::kernels
