#include "loops/products.h"

#include <algorithm>

#include <cblas.h>
#include <omp.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "base/error.h"

namespace tessera::bench {

namespace {

void by_openblas(const std::vector<Array>& inputs, const Array& result, int threads) {
  const auto m = static_cast<blasint>(inputs[0].extent(0));
  const auto k = static_cast<blasint>(inputs[0].extent(1));
  const auto n = static_cast<blasint>(inputs[1].extent(1));
  const void* const a = inputs[0].view().data;
  const void* const b = inputs[1].view().data;
  void* const c = result.view().data;
  const double one[2] = {1, 0};
  const double zero[2] = {0, 0};
  const float one_f[2] = {1, 0};
  const float zero_f[2] = {0, 0};
  openblas_set_num_threads(threads);
  switch (result.type().dtype) {
    case DType::f32:
      cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                  static_cast<const float*>(a), k, static_cast<const float*>(b), n, 0,
                  static_cast<float*>(c), n);
      break;
    case DType::f64:
      cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, 1,
                  static_cast<const double*>(a), k, static_cast<const double*>(b), n, 0,
                  static_cast<double*>(c), n);
      break;
    case DType::c64:
      cblas_cgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, one_f, a, k, b, n, zero_f, c,
                  n);
      break;
    case DType::c128:
      cblas_zgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, m, n, k, one, a, k, b, n, zero, c, n);
      break;
    default:
      throw_error(ErrorKind::unsupported, "OpenBLAS has no product of {}",
                  name_of(result.type().dtype));
  }
  openblas_set_num_threads(1);  // as ours has it
}

/// It multiplies in place.
void triangular_by_openblas(const std::vector<Array>& inputs, const Array& result, int threads) {
  const auto rows = static_cast<blasint>(inputs[1].extent(0));
  const auto columns = static_cast<blasint>(inputs[1].extent(1));
  openblas_set_num_threads(threads);
  std::copy_n(inputs[1].as<float>(), inputs[1].size(), result.as<float>());
  cblas_strmm(CblasRowMajor, CblasLeft, CblasLower, CblasNoTrans, CblasNonUnit, rows, columns, 1,
              inputs[0].as<float>(), rows, result.as<float>(), columns);
  openblas_set_num_threads(1);  // as ours has it
}

const dnnl::engine& processor() {
  static const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  return engine;
}

/// A product of dense f32 arrays, the second perhaps with its last two modes swapped.
void by_onednn(const std::vector<Array>& inputs, const Array& result, int threads,
               bool transposed) {
  const auto dims = [](const Array& array) {
    return dnnl::memory::dims(array.type().shape.begin(), array.type().shape.end());
  };
  const auto strides = [](const dnnl::memory::dims& extents) {
    dnnl::memory::dims of(extents.size(), 1);
    for (size_t mode = extents.size() - 1; mode-- > 0;) {
      of[mode] = of[mode + 1] * extents[mode + 1];
    }
    return of;
  };
  const auto described = [](const dnnl::memory::dims& extents, const dnnl::memory::dims& steps) {
    return dnnl::memory::desc(extents, dnnl::memory::data_type::f32, steps);
  };
  dnnl::memory::dims right = dims(inputs[1]);
  dnnl::memory::dims right_steps = strides(right);
  if (transposed) {
    std::swap(right.end()[-1], right.end()[-2]);
    std::swap(right_steps.end()[-1], right_steps.end()[-2]);
  }
  const auto a = described(dims(inputs[0]), strides(dims(inputs[0])));
  const auto b = described(right, right_steps);
  const auto c = described(dims(result), strides(dims(result)));
  omp_set_num_threads(threads);
  const dnnl::matmul product(
      dnnl::matmul::primitive_desc(dnnl::matmul::desc(a, b, c), processor()));
  dnnl::stream stream(processor());
  product.execute(stream, {{DNNL_ARG_SRC, {a, processor(), inputs[0].view().data}},
                           {DNNL_ARG_WEIGHTS, {b, processor(), inputs[1].view().data}},
                           {DNNL_ARG_DST, {c, processor(), result.view().data}}});
  stream.wait();
}

Limit onednn(bool transposed) {
  return {"oneDNN", [=](const std::vector<Array>& inputs, const Array& result, int threads) {
            by_onednn(inputs, result, threads, transposed);
          }};
}

}  // namespace

Limit openblas_product() {
  return {"OpenBLAS", &by_openblas};
}
Limit triangular_product() {
  return {"OpenBLAS strmm", &triangular_by_openblas};
}
Limit onednn_product() {
  return onednn(false);
}
Limit onednn_batch(bool transposed) {
  return onednn(transposed);
}

}  // namespace tessera::bench
