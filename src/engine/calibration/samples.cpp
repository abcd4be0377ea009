#include "engine/calibration/samples.h"

#include <algorithm>
#include <array>
#include <iterator>

namespace tessera::engine {

namespace {

using kernels::Precision;

constexpr std::string_view kProduct =
    "[i=1024,j=1024,k=1024] (f32,f32) o[i,k] = sum[j] x0[i,j] * x1[j,k]";

constexpr std::array kSamples = {
    // Beyond the caches.
    Sample{"bytes_per_second", "blocked_evaluator", "[i=33554432] (f32) o[] = max[i] x0[i]", true},
    Sample{"streamed_bytes_per_second", "copy", "[i=8388608] (f32) o[i] = x0[i]", true},
    Sample{"permuted_bytes_per_second", "copy", "[i=2048,j=4096] (f32) o[i,j] = x0[j,i]", true},
    // Operands and results stay in the first cache.
    Sample{"steps_per_second", "blocked_evaluator",
           "[i=64,j=1024] (f32,f32) o[j] = max[i] maximum(minimum(abs(x0[j] - x1[i]), x1[i]), "
           "abs(minimum(x0[j], abs(x1[i] - minimum(x0[j], x1[i])))))"},
    Sample{"slow_steps_per_second", "blocked_evaluator",
           "[i=64,j=1024] (f32,f32) o[j] = max[i] exp(x0[j] - x1[i])"},
    Sample{"one_by_one_seconds", "blocked_evaluator",
           "[i=16384] (f32,f32) o[i] = remainder(x0[i], x1[i])"},
    Sample{"tile_steps_per_second", "semiring",
           "[i=384,j=384,k=384] (f32,f32) o[i,k] = min[j] (x0[i,j] + x1[j,k])"},
    Sample{"gemm_flops_per_second_f32", "gemm",
           "[i=768,j=768,k=768] (f32,f32) o[i,k] = sum[j] x0[i,j] * x1[j,k]"},
    Sample{"gemm_flops_per_second_f64", "gemm",
           "[i=512,j=512,k=512] (f64,f64) o[i,k] = sum[j] x0[i,j] * x1[j,k]"},
    Sample{"onednn_flops_per_second", "gemm_onednn",
           "[i=1024,j=1024,k=128] (f32,f32) o[i,k] = sum[j] x0[i,j] * x1[j,k]"},
    Sample{"onednn_slow_flops_per_second", "gemm_onednn",
           "[i=768,j=768,k=768] (f32,f32) o[i,k] = sum[j] x0[i,j] * x1[j,k]"},
    Sample{"chain_flops_per_second_f32", "gemm_in_order",
           "[i=512,j=512,k=512] (f32,f32) o[i,k] = sum[j; leaf j=256] x0[i,j] * x1[j,k]"},
    Sample{"chain_flops_per_second_f64", "gemm_in_order",
           "[i=512,j=512,k=512] (f64,f64) o[i,k] = sum[j; leaf j=256] x0[i,j] * x1[j,k]"},
    Sample{"direct_steps_per_second", "convolution_direct",
           "[i=128,j=128,k=3,l=3,c=8,d=16] (f64,f64) o[d,i,j] = sum[c,k,l] x0[c,i+k,j+l] * "
           "x1[d,c,k,l]"},
    Sample{"bf16_amx_flops_per_second", "gemm_bf16x6", kProduct, false, Precision::bf16x6,
           Bf16Unit::amx},
    Sample{"bf16_avx512_flops_per_second", "gemm_bf16", kProduct, false, Precision::bf16,
           Bf16Unit::avx512},
};

}  // namespace

std::vector<Sample> samples_of(const Machine& machine) {
  std::vector<Sample> samples;
  std::copy_if(
      kSamples.begin(), kSamples.end(), std::back_inserter(samples),
      [unit = machine.bf16](const Sample& sample) { return sample.unit.value_or(unit) == unit; });
  return samples;
}

}  // namespace tessera::engine
