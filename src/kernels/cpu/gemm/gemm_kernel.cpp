#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/gemm/call.h"
#include "kernels/cpu/walk/gemm_labels.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/half_conversion.h"
#include "kernels/opened/openblas.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// gemm: a sum of products of two operands, computed as matrix products by OpenBLAS.
///
/// An operand is used in place if its strides let the library walk it; else it is first copied to
/// the order [batch, m, k] (or [batch, k, n], [batch, m, n]) in the workspace. The choice is made
/// when a program is read, by predicted time, from the strides of dense tiles; halves are always
/// copied, as f32.
namespace tessera::kernels::kernel_gemm {

namespace {

using Kind = GemmDim::Kind;

/// The operands that go through the workspace.
struct Packing {
  bool a = false;
  bool b = false;
  bool c = false;
};

/// One label of the product, in the order [batch, m, n, k].
struct Dim {
  expr::LabelNumber label = 0;
  Kind kind = Kind::batch;
  int64_t length = 1;
};

std::vector<Dim> dims_of(const GemmLabels& labels, const CallShape& shape) {
  std::vector<Dim> dims;
  const auto append = [&](const std::vector<expr::LabelNumber>& some, Kind kind) {
    for (const expr::LabelNumber label : some) {
      dims.push_back({label, kind, shape.ranges[static_cast<size_t>(label)].length});
    }
  };
  append(labels.batch, Kind::batch);
  append(labels.m, Kind::m);
  append(labels.n, Kind::n);
  append(labels.k, Kind::k);
  return dims;
}

/// The step of every dim in an operand, in elements; 0 if it lacks the label.
using Steps = std::array<int64_t, kMaxLabels>;

/// Returns the steps in an access, or in the out labels of the statement.
template <class Walked>
Steps steps_in(const Walked& walked, const std::vector<Dim>& dims,
               std::span<const int64_t> strides) {
  Steps steps{};
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    steps[dim] = step_of(walked, strides, dims[dim].label);
  }
  return steps;
}

/// Returns the steps of an operand in the workspace: its dims dense in their order, but k before n.
Steps packed_steps(const std::vector<Dim>& dims, Kind absent) {
  Steps steps{};
  int64_t step = 1;
  const auto lay = [&](Kind kind) {
    for (size_t dim = dims.size(); dim-- > 0;) {
      if (dims[dim].kind == kind && kind != absent) {
        steps[dim] = step;
        step *= dims[dim].length;
      }
    }
  };
  if (absent == Kind::m) {
    lay(Kind::n);
    lay(Kind::k);
  } else {
    lay(Kind::k);
    lay(Kind::n);
  }
  lay(Kind::m);
  lay(Kind::batch);
  return steps;
}

int64_t positions_without(const std::vector<Dim>& dims, Kind absent) {
  int64_t positions = 1;
  for (const Dim& dim : dims) {
    positions *= dim.kind == absent ? 1 : dim.length;
  }
  return positions;
}

GemmLoops loops_of(const std::vector<Dim>& dims, const Steps& a, const Steps& b, const Steps& c,
                   bool& found) {
  std::array<GemmDim, kMaxLabels> joined;
  for (size_t dim = 0; dim < dims.size(); ++dim) {
    joined[dim] = {dims[dim].kind, dims[dim].length, a[dim], b[dim], c[dim]};
  }
  return plan_gemm(std::span(joined).first(dims.size()), found);
}

double seconds_of_loops(const GemmLoops& loops, DType type, const KernelRates& rates) {
  const auto m = static_cast<double>(loops.m.length);
  const auto n = static_cast<double>(loops.n.length);
  const auto k = static_cast<double>(loops.k.length);
  const double width = static_cast<double>(size_of(type));
  const bool is_single = type == DType::f32 || type == DType::c64;
  const double rate =
      (is_single ? rates.gemm_flops_per_second_f32 : rates.gemm_flops_per_second_f64) *
      (is_complex(type) ? rates.gemm_complex_share / 4 : 1);
  // A side of a few rows fills only part of a register tile.
  const double padding = (1 + 6 / m) * (1 + 6 / n) * (1 + 6 / k);
  const double moving = (m * k + k * n + m * n) * width / rates.bytes_per_second / 4;
  const double products = m * n * k * (is_complex(type) ? 4 : 1);
  const double call =
      m * n * k <= kSmallProducts
          ? rates.small_gemm_seconds + products * rates.small_product_seconds
          : rates.gemm_call_seconds + std::max(2 * m * n * k * padding / rate, moving);
  return static_cast<double>(loops.num_calls()) * call;
}

struct PricedPacking {
  Packing packing;
  double seconds = 0;
};

/// Returns the packing with the least predicted time among those with a library call.
PricedPacking choose_packing(const expr::TileProgram& program, const GemmLabels& labels,
                             const CallShape& shape, const std::vector<Dim>& dims,
                             const KernelRates& rates) {
  // Dense tiles of the extents that a call runs over.
  const auto steps = [&](const auto& walked) {
    return steps_in(walked, dims, dense_strides(extents_of(walked, shape)));
  };
  const Steps a = steps(labels.a);
  const Steps b = steps(labels.b);
  const Steps c = steps(program.statements[0].out);
  const double width = static_cast<double>(size_of(labels.type));
  PricedPacking best;
  bool has_best = false;
  // Packing everything always leaves a call that the library takes.
  for (int bits = 0; bits < 8; ++bits) {
    const Packing packing{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0};
    bool found = false;
    const GemmLoops loops = loops_of(dims, packing.a ? packed_steps(dims, Kind::n) : a,
                                     packing.b ? packed_steps(dims, Kind::m) : b,
                                     packing.c ? packed_steps(dims, Kind::k) : c, found);
    const auto packed = static_cast<double>((packing.a ? positions_without(dims, Kind::n) : 0) +
                                            (packing.b ? positions_without(dims, Kind::m) : 0) +
                                            (packing.c ? positions_without(dims, Kind::k) : 0));
    const double seconds = seconds_of_loops(loops, labels.type, rates) +
                           2 * packed * width / rates.packed_bytes_per_second;
    if (found && (!has_best || seconds < best.seconds)) {
      best = {packing, seconds};
      has_best = true;
    }
  }
  return best;
}

DType stored_type(const expr::TileProgram& program, const expr::Access& access) {
  for (const expr::Node& node : program.statements[0].bodies[0].nodes) {
    const auto* same = std::get_if<expr::Access>(&node.op);
    if (same != nullptr && *same == access) {
      return node.dtype;
    }
  }
  return DType::f32;
}

class Gemm : public PreparedKernel {
 public:
  Gemm(const expr::TileProgram& program, GemmLabels labels, std::vector<Dim> dims, Packing packing)
      : labels_(std::move(labels)),
        out_(program.statements[0].out),
        dims_(std::move(dims)),
        packing_(packing) {
    packing_.a = packing_.a || stored_type(program, labels_.a) != labels_.type;
    packing_.b = packing_.b || stored_type(program, labels_.b) != labels_.type;
  }

  int64_t workspace_bytes() const {
    return packed_bytes(packing_.a, Kind::n) + packed_bytes(packing_.b, Kind::m) +
           packed_bytes(packing_.c, Kind::k);
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  int64_t packed_bytes(bool is_packed, Kind absent) const {
    return is_packed ? aligned_bytes(positions_without(dims_, absent) * size_of(labels_.type)) : 0;
  }

  /// An operand in the library's terms.
  struct Operand {
    std::byte* data;
    Steps steps;
  };
  Operand operand(const expr::Access& access, const TileView& view,
                  std::span<const LabelRange> ranges, std::byte* packed,
                  Kind absent) const noexcept;
  StridedBox box(const Steps& read, int64_t read_size, const Steps& write, int64_t write_size,
                 Kind absent) const noexcept;

  GemmLabels labels_;
  std::vector<expr::LabelNumber> out_;
  std::vector<Dim> dims_;
  Packing packing_;
};

StridedBox Gemm::box(const Steps& read, int64_t read_size, const Steps& write, int64_t write_size,
                     Kind absent) const noexcept {
  StridedBox box;
  for (size_t dim = 0; dim < dims_.size(); ++dim) {
    if (dims_[dim].kind != absent) {
      box.add(dims_[dim].length, read[dim] * read_size, write[dim] * write_size);
    }
  }
  return box;
}

Gemm::Operand Gemm::operand(const expr::Access& access, const TileView& view,
                            std::span<const LabelRange> ranges, std::byte* packed,
                            Kind absent) const noexcept {
  const Operand there{first_element(access, view, ranges), steps_in(access, dims_, view.strides)};
  if (packed == nullptr) {
    return there;
  }
  const int64_t size = size_of(labels_.type);
  const int64_t stored_size = size_of(view.dtype);
  Operand here{packed, packed_steps(dims_, absent)};
  // Halves are moved to the end of the memory that they are widened into, front to back: reading
  // stays ahead of writing.
  const int64_t count = positions_without(dims_, absent);
  std::byte* const moved = packed + count * (size - stored_size);
  copy_box(there.data, moved, stored_size,
           box(there.steps, stored_size, here.steps, stored_size, absent));
  if (view.dtype == DType::f16) {
    floats_from_f16(reinterpret_cast<const uint16_t*>(moved), reinterpret_cast<float*>(packed),
                    count);
  } else if (view.dtype == DType::bf16) {
    floats_from_bf16(reinterpret_cast<const uint16_t*>(moved), reinterpret_cast<float*>(packed),
                     count);
  }
  return here;
}

Status Gemm::run(const KernelCall& call) const noexcept {
  const TileView& out = call.outputs[0];
  const int64_t size = size_of(labels_.type);
  if (positions_without(dims_, Kind::k) == 0) {
    return Status::ok;
  }
  if (num_elements(out.shape) > 0 && positions_without(dims_, Kind::batch) == 0) {
    if (!call.accumulate) {  // the sum of nothing; an output is dense
      std::fill_n(out.data, num_elements(out.shape) * size, std::byte{0});
    }
    return Status::ok;
  }
  std::byte* const packed_a = call.workspace;
  std::byte* const packed_b = packed_a + packed_bytes(packing_.a, Kind::n);
  std::byte* const packed_c = packed_b + packed_bytes(packing_.b, Kind::m);
  const Operand a = operand(labels_.a, call.inputs[static_cast<size_t>(labels_.a.operand)],
                            call.ranges, packing_.a ? packed_a : nullptr, Kind::n);
  const Operand b = operand(labels_.b, call.inputs[static_cast<size_t>(labels_.b.operand)],
                            call.ranges, packing_.b ? packed_b : nullptr, Kind::m);
  const Operand result{out.data, steps_in(out_, dims_, out.strides)};
  const Operand c = packing_.c ? Operand{packed_c, packed_steps(dims_, Kind::k)} : result;
  if (packing_.c && call.accumulate) {
    copy_box(result.data, c.data, size, box(result.steps, size, c.steps, size, Kind::k));
  }
  bool found = false;
  run_gemm(loops_of(dims_, a.steps, b.steps, c.steps, found), labels_.type, a.data, b.data, c.data,
           call.accumulate);
  if (packing_.c) {
    copy_box(c.data, result.data, size, box(c.steps, size, result.steps, size, Kind::k));
  }
  return Status::ok;
}

std::optional<Refusal> too_long_labels(const expr::TileProgram& program, const CallShape& shape) {
  for (size_t label = 0; label < shape.ranges.size(); ++label) {
    if (shape.ranges[label].length > std::numeric_limits<int32_t>::max()) {
      return Refusal{fmt::format("label {} is longer than the library's 32-bit extents",
                                 program.labels[label].name)};
    }
  }
  return std::nullopt;
}

Cost cost_of(const GemmLabels& labels, const std::vector<Dim>& dims, double seconds,
             const KernelRates& rates) {
  double products = 1;
  for (const Dim& dim : dims) {
    products *= static_cast<double>(dim.length);
  }
  Cost cost;
  cost.flops = (is_complex(labels.type) ? 8 : 2) * products;
  cost.bytes =
      static_cast<double>(positions_without(dims, Kind::n) + positions_without(dims, Kind::m) +
                          positions_without(dims, Kind::k)) *
      static_cast<double>(size_of(labels.type));
  cost.seconds = std::max(seconds, cost.bytes / rates.bytes_per_second);
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<GemmLabels> labels = read_as_gemm(program);
  if (!labels) {
    return labels.refusal();
  }
  if (std::optional<Refusal> refusal = too_long_labels(program, shape)) {
    return std::move(*refusal);
  }
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const KernelRates& rates = context.machine.rates;
  const std::vector<Dim> dims = dims_of(*labels, shape);
  const PricedPacking packed = choose_packing(program, *labels, shape, dims, rates);
  const auto gemm = std::make_shared<const Gemm>(program, *labels, dims, packed.packing);
  return KernelPlan{cost_of(*labels, dims, packed.seconds, rates), gemm->workspace_bytes(),
                    [gemm, threads = context.machine.threads] {
                      open_openblas(threads);
                      return gemm;
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"gemm", {}, &read});
}

}  // namespace tessera::kernels::kernel_gemm
