#include "kernels/cpu/whole/factoring.h"

namespace tessera::kernels {

double factoring_seconds(double products, DType dtype, const KernelRates& rates) {
  const bool is_double = dtype == DType::f64 || dtype == DType::c128;
  const double rate = is_double ? rates.gemm_flops_per_second_f64 : rates.gemm_flops_per_second_f32;
  return rates.gemm_call_seconds + 2 * products * (is_complex(dtype) ? 4 : 1) / rate;
}

int64_t factoring_bytes(const RoutineSize& size) {
  Carver carver(nullptr);
  const int64_t extent = size.extents.front();
  carver.take<std::byte>(static_cast<size_t>(extent * extent * size_of(size.dtype)));
  carver.take<int32_t>(static_cast<size_t>(extent));
  return carver.bytes();
}

}  // namespace tessera::kernels
