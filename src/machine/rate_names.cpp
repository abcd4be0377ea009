#include "machine/rate_names.h"

namespace tessera {

const RateNames<KernelRates>& kernel_rates() {
  static const RateNames<KernelRates> names = {
      {"call_seconds", &KernelRates::call_seconds},
      {"bytes_per_second", &KernelRates::bytes_per_second},
      {"streamed_bytes_per_second", &KernelRates::streamed_bytes_per_second},
      {"permuted_bytes_per_second", &KernelRates::permuted_bytes_per_second},
      {"steps_per_second", &KernelRates::steps_per_second},
      {"slow_steps_per_second", &KernelRates::slow_steps_per_second},
      {"one_by_one_seconds", &KernelRates::one_by_one_seconds},
      {"tile_steps_per_second", &KernelRates::tile_steps_per_second},
      {"window_loads_per_second", &KernelRates::window_loads_per_second},
      {"direct_steps_per_second", &KernelRates::direct_steps_per_second},
      {"gemm_flops_per_second_f32", &KernelRates::gemm_flops_per_second_f32},
      {"gemm_flops_per_second_f64", &KernelRates::gemm_flops_per_second_f64},
      {"onednn_flops_per_second", &KernelRates::onednn_flops_per_second},
      {"onednn_slow_flops_per_second", &KernelRates::onednn_slow_flops_per_second},
      {"bf16_amx_flops_per_second", &KernelRates::bf16_amx_flops_per_second},
      {"bf16_avx512_flops_per_second", &KernelRates::bf16_avx512_flops_per_second},
      {"chain_flops_per_second_f32", &KernelRates::chain_flops_per_second_f32},
      {"chain_flops_per_second_f64", &KernelRates::chain_flops_per_second_f64},
      {"leaf_positions_per_second", &KernelRates::leaf_positions_per_second},
      {"packed_bytes_per_second", &KernelRates::packed_bytes_per_second},
      {"cached_bytes_per_second", &KernelRates::cached_bytes_per_second},
  };
  return names;
}

const RateNames<FileCosts>& file_rates() {
  static const RateNames<FileCosts> names = {
      {"span_bytes_read_per_second", &FileCosts::span_bytes_read_per_second},
      {"span_bytes_written_per_second", &FileCosts::span_bytes_written_per_second},
      {"read_call_seconds", &FileCosts::read_call_seconds},
      {"write_call_seconds", &FileCosts::write_call_seconds},
      {"run_seconds", &FileCosts::run_seconds},
  };
  return names;
}

}  // namespace tessera
