#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/gemm/bf16_levels.h"
#include "kernels/cpu/gemm/bf16_parts.h"
#include "kernels/cpu/gemm/bf16_tiles.h"
#include "kernels/cpu/gemm/call.h"
#include "kernels/cpu/gemm/matrix_walk.h"
#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/opened/openblas.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// gemm_bf16, gemm_bf16x3, gemm_bf16x6: a sum of products of two f32 operands, computed as matrix
/// products of their parts in bf16 (bf16_parts.h) that are summed in f32, by the tiles of AMX
/// (bf16_tiles.h) or else by oneDNN (bf16_levels.h). Each is for the precision of its name, whose
/// bound precision.h gives, and chosen if the machine's unit makes it cheapest.
///
/// Batches are multiplied one after the other: the operands are split in the workspace, as rows of
/// k and of n. If one has a NaN, an infinity, or numbers so large or small that the sums would not
/// keep the bound, the batch is multiplied in f32, with the results of f32.

namespace tessera::kernels::kernel_gemm_bf16 {

namespace {

/// The fewest products: below, entering the library (4 us a level) is nearly all of the work.
constexpr int64_t kFewestProducts = 4096;

/// c[batch, m, n] = sum over k of a[batch, m, k] * b[batch, k, n].
struct Product {
  expr::Access a;
  expr::Access b;
  std::vector<expr::LabelNumber> out;
  MatrixSide batch;
  MatrixSide m;
  MatrixSide n;
  MatrixSide k;
  /// The step between rows of a batch of the result if its columns are neighbours; 0 if not, so
  /// that it is computed in the workspace.
  int64_t row_step = 0;
  bool accumulate = false;
};

std::optional<Refusal> why_no_matrices(const Product& product) {
  const auto& [a, b, out, batch, m, n, k, row_step, accumulate] = product;
  if (std::min({batch.length, m.length, n.length, k.length}) == 0) {
    return Refusal{"a label is empty"};
  }
  if (std::min({m.length, n.length, k.length}) < 2) {
    return Refusal{"an operand is a vector"};
  }
  if (std::max({m.length, n.length, k.length}) > std::numeric_limits<int32_t>::max() / kMostParts) {
    return Refusal{"a side of a matrix is longer than the library's 32-bit extents"};
  }
  if (m.length * n.length <= kFewestProducts / k.length) {
    return Refusal{
        fmt::format("at most {} products do not pay for entering the library", kFewestProducts)};
  }
  return std::nullopt;
}

OrRefusal<Product> product_of(const expr::TileProgram& program, const CallShape& shape) {
  OrRefusal<GemmLabels> labels = read_as_gemm(program);
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
  const bool is_turned = !labels->m.empty() && statement.out.back() == labels->m.back();
  if (is_turned) {  // b times a, whose result has neighbours where this one has rows
    std::swap(labels->a, labels->b);
    std::swap(labels->m, labels->n);
  }
  Product product{labels->a,
                  labels->b,
                  statement.out,
                  MatrixSide(labels->batch, shape),
                  MatrixSide(labels->m, shape),
                  MatrixSide(labels->n, shape),
                  MatrixSide(labels->k, shape),
                  0,
                  shape.accumulate};
  if (std::optional<Refusal> refusal = why_no_matrices(product)) {
    return std::move(*refusal);
  }
  const Strides strides = dense_strides(extents_of(product.out, shape));
  product.row_step = MatrixWalk(product.m, product.n, product.out, strides).row_step();
  return product;
}

/// Returns a batch of an operand: in its tile, or copied.
Rows rows_of(const MatrixWalk& walk, float* first, std::span<float> copy) noexcept {
  if (const int64_t step = walk.row_step(); step != 0) {
    return {first, step};
  }
  walk.to_rows(first, copy.data());
  return {copy.data(), walk.row_length()};
}

/// The multiplier of the parts of a batch.
using Bf16Product = std::variant<Bf16Tiles, Bf16Levels>;

class GemmBf16 : public PreparedKernel {
 public:
  GemmBf16(Product product, Bf16Product parts)
      : product_(std::move(product)), parts_(std::move(parts)) {}

  void prepare() {
    if (auto* const levels = std::get_if<Bf16Levels>(&parts_)) {
      levels->prepare();
    }
  }

  int64_t workspace_bytes() const {
    Carver carver(nullptr);
    (void)carved(carver);
    return carver.bytes();
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Workspace {
    std::span<float> a;  // an operand as rows, if its tile has none
    std::span<float> b;
    std::span<float> c;
    std::span<std::byte> parts;
  };
  Workspace carved(Carver& carver) const;

  void multiply(const Rows& a, const Rows& b, const Rows& c,
                const Workspace& workspace) const noexcept;
  void multiply_in_f32(const Rows& a, const Rows& b, const Rows& c) const noexcept;
  void multiply_elsewhere(const Rows& a, const Rows& b, const MatrixWalk& result, float* first,
                          const Workspace& workspace) const noexcept;

  Product product_;
  Bf16Product parts_;
};

GemmBf16::Workspace GemmBf16::carved(Carver& carver) const {
  const auto m = static_cast<size_t>(product_.m.length);
  const auto n = static_cast<size_t>(product_.n.length);
  const auto k = static_cast<size_t>(product_.k.length);
  const int64_t parts =
      std::visit([](const auto& of_parts) { return of_parts.workspace_bytes(); }, parts_);
  Workspace workspace;
  workspace.a = carver.take<float>(m * k);
  workspace.b = carver.take<float>(k * n);
  workspace.c = carver.take<float>(product_.row_step == 0 ? m * n : 0);
  workspace.parts = carver.take<std::byte>(static_cast<size_t>(parts));
  return workspace;
}

void GemmBf16::multiply_in_f32(const Rows& a, const Rows& b, const Rows& c) const noexcept {
  GemmLoops loops;
  loops.m = {GemmDim::Kind::m, product_.m.length, a.step, 0, c.step};
  loops.n = {GemmDim::Kind::n, product_.n.length, 0, 1, 1};
  loops.k = {GemmDim::Kind::k, product_.k.length, 1, b.step, 0};
  run_gemm(loops, DType::f32, reinterpret_cast<const std::byte*>(a.first),
           reinterpret_cast<const std::byte*>(b.first), reinterpret_cast<std::byte*>(c.first),
           product_.accumulate);
}

void GemmBf16::multiply(const Rows& a, const Rows& b, const Rows& c,
                        const Workspace& workspace) const noexcept {
  const bool is_done = std::visit(
      [&](const auto& parts) { return parts.multiply(a, b, c.first, workspace.parts.data()); },
      parts_);
  if (!is_done) {
    multiply_in_f32(a, b, c);
  }
}

/// Multiplies in the workspace, if the columns of the result are no neighbours.
void GemmBf16::multiply_elsewhere(const Rows& a, const Rows& b, const MatrixWalk& result,
                                  float* first, const Workspace& workspace) const noexcept {
  if (product_.accumulate) {
    result.to_rows(first, workspace.c.data());
  }
  multiply(a, b, {workspace.c.data(), product_.n.length}, workspace);
  result.from_rows(workspace.c.data(), first);
}

Status GemmBf16::run(const KernelCall& call) const noexcept {
  const auto& [a, b, out, batch, m, n, k, row_step, accumulate] = product_;
  Carver carver(call.workspace);
  const Workspace workspace = carved(carver);
  const TileView& in_a = call.inputs[static_cast<size_t>(a.operand)];
  const TileView& in_b = call.inputs[static_cast<size_t>(b.operand)];
  const TileView& result = call.outputs[0];
  const MatrixWalk walk_a(m, k, a, in_a.strides);
  const MatrixWalk walk_b(k, n, b, in_b.strides);
  const MatrixWalk walk_c(m, n, out, result.strides);
  auto* const first_a = reinterpret_cast<float*>(first_element(a, in_a, call.ranges));
  auto* const first_b = reinterpret_cast<float*>(first_element(b, in_b, call.ranges));
  for (int64_t number = 0; number < batch.length; ++number) {
    const Rows rows_a =
        rows_of(walk_a, first_a + batch.offset_of(number, a, in_a.strides), workspace.a);
    const Rows rows_b =
        rows_of(walk_b, first_b + batch.offset_of(number, b, in_b.strides), workspace.b);
    float* const at_c = result.as<float>() + batch.offset_of(number, out, result.strides);
    if (row_step != 0) {
      multiply(rows_a, rows_b, {at_c, row_step}, workspace);
    } else {
      multiply_elsewhere(rows_a, rows_b, walk_c, at_c, workspace);
    }
  }
  return Status::ok;
}

/// Returns the seconds of the products of one batch's parts.
double seconds_of_parts(const Product& product, int64_t num_parts, const Machine& machine) {
  const KernelRates& rates = machine.rates;
  const auto m = static_cast<double>(product.m.length);
  const auto n = static_cast<double>(product.n.length);
  const auto k = static_cast<double>(product.k.length);
  const auto parts = static_cast<double>(num_parts);
  const double flops_per_product = parts * (parts + 1);
  if (machine.bf16 == Bf16Unit::amx) {
    return flops_per_product *
           Bf16Tiles::products(product.m.length, product.n.length, product.k.length) /
           rates.bf16_amx_flops_per_second;
  }
  // A side of a few rows fills only part of a register tile.
  const double padding = (1 + 6 / m) * (1 + 6 / n) * (1 + 6 / k);
  return parts * rates.onednn_call_seconds + flops_per_product * m * n * k * padding /
                                                 (machine.bf16 == Bf16Unit::avx512
                                                      ? rates.bf16_avx512_flops_per_second
                                                      : rates.bf16_emulated_flops_per_second);
}

/// Returns the elements that a batch copies because they are not in rows, by the strides of dense
/// tiles.
int64_t copied_elements(const Product& product, const CallShape& shape) {
  const auto elements = [&](const MatrixSide& rows, const MatrixSide& columns, const auto& walked) {
    const MatrixWalk walk(rows, columns, walked, dense_strides(extents_of(walked, shape)));
    return walk.row_step() == 0 ? rows.length * columns.length : 0;
  };
  return elements(product.m, product.k, product.a) + elements(product.k, product.n, product.b) +
         elements(product.m, product.n, product.out);
}

Cost cost_of(const Product& product, int64_t num_parts, const CallShape& shape,
             const Machine& machine) {
  const auto m = static_cast<double>(product.m.length);
  const auto n = static_cast<double>(product.n.length);
  const auto k = static_cast<double>(product.k.length);
  const auto count = static_cast<double>(product.batch.length);
  constexpr double kSize = sizeof(float);
  const double copied = 2 * kSize * static_cast<double>(copied_elements(product, shape));
  const KernelRates& rates = machine.rates;
  Cost cost;
  cost.flops = 2 * m * n * k * count;
  cost.bytes = (m * k + k * n + m * n) * count * kSize;
  cost.seconds = count * (seconds_of_parts(product, num_parts, machine) +
                          (m * k + k * n) * kSize / rates.split_bytes_per_second +
                          copied / rates.packed_bytes_per_second);
  cost.seconds = std::max(cost.seconds, cost.bytes / rates.bytes_per_second);
  return cost;
}

OrRefusal<Bf16Product> parts_of(const Product& product, int64_t num_parts, const Machine& machine) {
  const auto& [a, b, out, batch, m, n, k, row_step, accumulate] = product;
  const Bf16Sizes sizes{
      m.length, n.length, k.length, num_parts, row_step == 0 ? n.length : row_step, accumulate};
  if (machine.bf16 == Bf16Unit::amx) {
    return Bf16Product(Bf16Tiles(sizes));
  }
  OrRefusal<Bf16Levels> levels = Bf16Levels::plan(sizes);
  return levels ? OrRefusal<Bf16Product>(Bf16Product(std::move(*levels))) : levels.refusal();
}

/// Plans the kernel of one precision.
OrRefusal<KernelPlan> read(Precision precision, const expr::TileProgram& program,
                           const CallShape& shape, const Context& context) {
  if (context.precision != precision) {
    return Refusal{fmt::format("products are asked for in the precision {}, not {}",
                               name_of(context.precision), name_of(precision))};
  }
  if (context.machine.isa < Isa::avx512) {
    return Refusal{"it needs AVX-512"};
  }
  const OrRefusal<Product> product = product_of(program, shape);
  if (!product) {
    return product.refusal();
  }
  const int64_t num_parts = kernels::num_parts(precision);
  OrRefusal<Bf16Product> parts = parts_of(*product, num_parts, context.machine);
  if (!parts) {
    return parts.refusal();
  }
  const auto kernel = std::make_shared<GemmBf16>(*product, std::move(*parts));
  return KernelPlan{
      cost_of(*product, num_parts, shape, context.machine), kernel->workspace_bytes(),
      [kernel, threads = context.machine.threads]() -> std::shared_ptr<const PreparedKernel> {
        open_openblas(threads);  // for numbers that parts cannot hold
        kernel->prepare();
        return kernel;
      }};
}

}  // namespace

void register_kernel(Registry& registry) {
  for (const Precision precision : {Precision::bf16x6, Precision::bf16x3, Precision::bf16}) {
    registry.add(
        {fmt::format("gemm_{}", name_of(precision)),
         {},
         [precision](const expr::TileProgram& program, const CallShape& shape,
                     const Context& context) { return read(precision, program, shape, context); }});
  }
}

}  // namespace tessera::kernels::kernel_gemm_bf16
