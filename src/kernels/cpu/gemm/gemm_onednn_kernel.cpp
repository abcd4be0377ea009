#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/context.h"
#include "kernels/cpu/gemm/call.h"
#include "kernels/cpu/onednn/one_thread.h"
#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// gemm_onednn: a sum of products of two f32 operands, computed as one matrix product (or one batch
/// of them) by oneDNN's matmul primitive.
///
/// Takes products that the primitive can walk in place when the operands are dense; the rest is
/// left to gemm. An operand that proves to be part of a larger tile at the call is first copied to
/// the workspace. The primitive is made in prepare, with a scratchpad that is part of the
/// workspace.

namespace tessera::kernels::kernel_gemm_onednn {

namespace {

using Kind = GemmDim::Kind;

/// The fewest products: below, entering the primitive (4 us) is nearly all of the work; at 16 * 16
/// * 16 gemm takes 0.2 us. Measured beside OpenBLAS, 2026-11.
constexpr int64_t kFewestProducts = 4096;

/// A factor: its access, and the strides that the primitive is made for.
struct MatrixOperand {
  expr::Access access;
  Shape extents;
  Strides strides;

  int64_t bytes() const { return aligned_bytes(num_elements(extents) * size_of(DType::f32)); }
};

/// One matrix product, with at most one loop, over batches: c[batch, m, n], its n neighbours.
struct MatrixProduct {
  MatrixOperand a;
  MatrixOperand b;
  GemmLoops loops;
};

MatrixOperand matrix_operand_of(const expr::Access& access, const CallShape& shape) {
  const Shape extents = extents_of(access, shape);
  return {access, extents, dense_strides(extents)};
}

/// Returns the labels of a statement with the steps of dense tiles.
std::vector<GemmDim> dims_of(const std::vector<expr::LabelNumber>& out, const GemmLabels& labels,
                             const MatrixProduct& product, const CallShape& shape) {
  const Strides strides = dense_strides(extents_of(out, shape));
  std::vector<GemmDim> dims;
  const auto append = [&](const std::vector<expr::LabelNumber>& some, Kind kind) {
    for (const expr::LabelNumber label : some) {
      dims.push_back({kind, shape.ranges[static_cast<size_t>(label)].length,
                      step_of(product.a.access, product.a.strides, label),
                      step_of(product.b.access, product.b.strides, label),
                      step_of(out, strides, label)});
    }
  };
  append(labels.batch, Kind::batch);
  append(labels.m, Kind::m);
  append(labels.n, Kind::n);
  append(labels.k, Kind::k);
  return dims;
}

/// Exchanges the factors: b times a, the transposed product, has neighbours where this one has
/// rows.
void exchange_factors(MatrixProduct& product) {
  std::swap(product.a, product.b);
  std::swap(product.loops.m, product.loops.n);
  GemmLoops& loops = product.loops;
  for (GemmDim* const dim : {&loops.m, &loops.n, &loops.k, loops.loop.data()}) {
    std::swap(dim->a, dim->b);
  }
}

std::optional<Refusal> why_not_one_product(const MatrixProduct& product, bool found) {
  const auto& [a, b, loops] = product;
  if (!found || loops.num_loops > 1 ||
      (loops.num_loops == 1 && loops.loop[0].kind != Kind::batch)) {
    return Refusal{"it is not one batch of matrix products without packing"};
  }
  if (std::min({loops.m.length, loops.n.length, loops.k.length}) < 2) {
    return Refusal{"an operand is a vector"};
  }
  if (loops.n.c != 1) {
    return Refusal{"the output's last label is one of both factors"};
  }
  if (std::max({loops.m.length, loops.n.length, loops.k.length}) >
      std::numeric_limits<int32_t>::max()) {
    return Refusal{"a side of a matrix is longer than the library's 32-bit extents"};
  }
  if (loops.m.length * loops.n.length <= kFewestProducts / loops.k.length) {
    return Refusal{
        fmt::format("at most {} products do not pay for entering the library", kFewestProducts)};
  }
  return std::nullopt;
}

OrRefusal<MatrixProduct> product_of(const expr::TileProgram& program, const CallShape& shape) {
  const OrRefusal<GemmLabels> labels = read_as_gemm(program);
  if (!labels) {
    return labels.refusal();
  }
  const expr::TileStatement& statement = program.statements[0];
  for (const expr::Node& node : statement.bodies[0].nodes) {
    if (node.dtype != DType::f32) {
      return Refusal{fmt::format("a factor is {}, not f32", name_of(node.dtype))};
    }
  }
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  for (const LabelRange& range : shape.ranges) {
    if (range.length == 0) {
      return Refusal{"a label is empty"};
    }
  }
  MatrixProduct product{
      matrix_operand_of(labels->a, shape), matrix_operand_of(labels->b, shape), {}};
  std::vector<GemmDim> dims = dims_of(statement.out, *labels, product, shape);
  bool found = false;
  product.loops = plan_gemm(dims, found);
  if (found && product.loops.n.c != 1 && product.loops.m.c == 1) {
    exchange_factors(product);
  }
  if (std::optional<Refusal> refusal = why_not_one_product(product, found)) {
    return std::move(*refusal);
  }
  return product;
}

dnnl::memory::desc matrix(const GemmLoops& loops, int64_t GemmDim::*step, const GemmDim& rows,
                          const GemmDim& columns) {
  dnnl::memory::dims extents = {rows.length, columns.length};
  dnnl::memory::dims strides = {rows.*step, columns.*step};
  if (loops.num_loops == 1) {
    extents.insert(extents.begin(), loops.loop[0].length);
    strides.insert(strides.begin(), loops.loop[0].*step);
  }
  return {extents, dnnl::memory::data_type::f32, strides};
}

/// Returns oneDNN's primitive of a product; false if it has no implementation.
dnnl::matmul::primitive_desc matmul_of(const MatrixProduct& product, bool accumulate,
                                       const dnnl::engine& engine) {
  const OneThread one_thread;  // the number of threads becomes part of the primitive
  const GemmLoops& loops = product.loops;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (accumulate) {
    dnnl::post_ops addition;
    addition.append_sum(1.0F);
    attributes.set_post_ops(addition);
  }
  return {
      {matrix(loops, &GemmDim::a, loops.m, loops.k), matrix(loops, &GemmDim::b, loops.k, loops.n),
       matrix(loops, &GemmDim::c, loops.m, loops.n)},
      attributes,
      engine,
      /*allow_empty=*/true};
}

/// The implementation of oneDNN for matrices of one size; its code is made later.
struct Implementation {
  dnnl::engine engine;
  dnnl::matmul::primitive_desc matmul;

  int64_t scratchpad_bytes() const {
    return static_cast<int64_t>(matmul.scratchpad_desc().get_size());
  }
};

OrRefusal<Implementation> implementation_of(const MatrixProduct& product, bool accumulate) {
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  const Implementation implementation{engine, matmul_of(product, accumulate, engine)};
  if (!implementation.matmul) {
    return Refusal{"oneDNN has no implementation for these strides"};
  }
  const std::string name = implementation.matmul.impl_info_str();
  if (name.find("ref") != std::string::npos) {  // the right result, 2000 times slower
    return Refusal{fmt::format("oneDNN would run it by its reference implementation, {}", name)};
  }
  return implementation;
}

class OneDnnGemm : public PreparedKernel {
 public:
  OneDnnGemm(MatrixProduct product, const Implementation& implementation)
      : product_(std::move(product)), engine_(implementation.engine) {
    const OneThread one_thread;
    primitive_ = dnnl::matmul(implementation.matmul);
    descriptors_ = {implementation.matmul.src_desc(), implementation.matmul.weights_desc(),
                    implementation.matmul.dst_desc(), implementation.matmul.scratchpad_desc()};
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Descriptors {
    dnnl::memory::desc a;
    dnnl::memory::desc b;
    dnnl::memory::desc c;
    dnnl::memory::desc scratchpad;
  };
  bool multiply(std::byte* a, std::byte* b, std::byte* c, std::byte* scratchpad) const noexcept;

  MatrixProduct product_;
  dnnl::engine engine_;
  dnnl::matmul primitive_;
  Descriptors descriptors_;
};

/// Returns a factor with its expected strides: in its tile, or copied to `packed`.
std::byte* place(const MatrixOperand& factor, const KernelCall& call, std::byte* packed) noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(factor.access.operand)];
  const int64_t size = size_of(DType::f32);
  std::byte* const first = first_element(factor.access, view, call.ranges);
  bool is_as_expected = true;
  StridedBox box;
  for (size_t mode = factor.extents.size(); mode-- > 0;) {
    if (factor.extents[mode] > 1) {
      is_as_expected = is_as_expected && view.strides[mode] == factor.strides[mode];
      box.add(factor.extents[mode], view.strides[mode] * size, factor.strides[mode] * size);
    }
  }
  if (is_as_expected) {
    return first;
  }
  copy_box(first, packed, size, box);
  return packed;
}

/// Returns false, with c untouched, if there was no memory for oneDNN's list of arguments.
bool OneDnnGemm::multiply(std::byte* a, std::byte* b, std::byte* c,
                          std::byte* scratchpad) const noexcept {
  const OneThread one_thread;
  try {
    dnnl::stream stream(engine_);
    primitive_.execute(stream,
                       {{DNNL_ARG_SRC, {descriptors_.a, engine_, a}},
                        {DNNL_ARG_WEIGHTS, {descriptors_.b, engine_, b}},
                        {DNNL_ARG_DST, {descriptors_.c, engine_, c}},
                        {DNNL_ARG_SCRATCHPAD, {descriptors_.scratchpad, engine_, scratchpad}}});
    return true;
  } catch (...) {
    return false;
  }
}

Status OneDnnGemm::run(const KernelCall& call) const noexcept {
  std::byte* const packed_b = call.workspace + product_.a.bytes();
  std::byte* const a = place(product_.a, call, call.workspace);
  std::byte* const b = place(product_.b, call, packed_b);
  std::byte* const c = call.outputs[0].data;
  if (!multiply(a, b, c, packed_b + product_.b.bytes())) {
    run_gemm(product_.loops, DType::f32, a, b, c, call.accumulate);
  }
  return Status::ok;
}

/// Returns oneDNN's rate. It is ahead of OpenBLAS if sums have some length and the second factor
/// stays in the cache, whole or in one narrow stripe; it copies a transposed first factor again and
/// again.
double flops_per_second(const GemmLoops& loops, const Machine& machine) {
  const int64_t cached = machine.caches.core_bytes / size_of(DType::f32);
  const bool stays_cached = loops.n.length <= 128 || loops.n.length <= cached / loops.k.length;
  const bool is_quick = loops.k.a == 1 && loops.k.length >= 128 && stays_cached;
  return is_quick ? machine.rates.onednn_flops_per_second
                  : machine.rates.onednn_slow_flops_per_second;
}

Cost cost_of(const GemmLoops& loops, const Machine& machine) {
  const auto m = static_cast<double>(loops.m.length);
  const auto n = static_cast<double>(loops.n.length);
  const auto k = static_cast<double>(loops.k.length);
  const auto count = static_cast<double>(loops.num_calls());
  // A side of a few rows fills only part of a register tile.
  const double padding = (1 + 6 / m) * (1 + 6 / n) * (1 + 6 / k);
  Cost cost;
  cost.flops = 2 * m * n * k * count;
  cost.bytes = (m * k + k * n + m * n) * count * static_cast<double>(size_of(DType::f32));
  const double computing = cost.flops * padding / flops_per_second(loops, machine);
  cost.seconds = std::max(machine.rates.onednn_call_seconds + computing,
                          cost.bytes / machine.rates.bytes_per_second);
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<MatrixProduct> product = product_of(program, shape);
  if (!product) {
    return product.refusal();
  }
  const OrRefusal<Implementation> implementation = implementation_of(*product, shape.accumulate);
  if (!implementation) {
    return implementation.refusal();
  }
  return KernelPlan{cost_of(product->loops, context.machine),
                    product->a.bytes() + product->b.bytes() + implementation->scratchpad_bytes(),
                    [product = *product, implementation = *implementation] {
                      return std::make_shared<const OneDnnGemm>(product, implementation);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"gemm_onednn", {}, &read});
}

}  // namespace tessera::kernels::kernel_gemm_onednn
