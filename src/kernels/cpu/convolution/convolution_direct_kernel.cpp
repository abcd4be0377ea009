#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/context.h"
#include "kernels/cpu/convolution/direct_work.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// convolution_direct: a function of two operands, one of which is read in windows, merged by
/// another (convolutions of any numbers, by groups, by channel; dilations and erosions; distances
/// of a template), in tiles that stay in registers.
///
/// A tile reads its operands in place, at a list of taps, so windows are not copied. Only operands
/// that no tile can read are packed: columns that are not neighbours, other types.
namespace tessera::kernels::kernel_convolution_direct {

namespace {

class ConvolutionDirect : public PreparedKernel {
 public:
  ConvolutionDirect(const DirectConvolution& convolution, Isa isa)
      : convolution_(convolution),
        x_(convolution.x, convolution, 2 * convolution.vector(), isa),
        y_(convolution.y, convolution, 2 * convolution.vector(), isa) {}

  int64_t workspace_bytes() const {
    return kMostTaps * static_cast<int64_t>(sizeof(DirectTap)) + tile_bytes() +
           x_.workspace_bytes() + y_.workspace_bytes();
  }

  Status run(const KernelCall& call) const noexcept override {
    Carver carver(call.workspace);
    DirectTap* const taps = carver.take<DirectTap>(static_cast<size_t>(kMostTaps)).data();
    std::byte* const tile = carver.take<std::byte>(static_cast<size_t>(tile_bytes())).data();
    std::byte* const x = carver.take<std::byte>(static_cast<size_t>(x_.workspace_bytes())).data();
    std::byte* const y = carver.take<std::byte>(static_cast<size_t>(y_.workspace_bytes())).data();
    const TileView& out = call.outputs[0];
    DirectRun run{convolution_,
                  call.ranges,
                  x_.read(call, x),
                  y_.read(call, y),
                  out.data,
                  {out.strides.data(), out.strides.size()},
                  taps,
                  tile};
    convolve_in_tiles(run, call.accumulate);
    return Status::ok;
  }

 private:
  int64_t tile_bytes() const {
    return aligned_bytes(DirectConvolution::kMostRows * 2 * convolution_.vector() *
                         size_of(convolution_.type));
  }

  DirectConvolution convolution_;
  DirectOperandReader x_;
  DirectOperandReader y_;
};

/// Returns the seconds of the tiles of one position of the labels around rows and columns, for all
/// taps, by the vectors that they join and load.
double seconds_of_rows(const DirectConvolution& convolution, const CallShape& shape, double taps,
                       const KernelRates& rates) {
  const auto length = [&](expr::LabelNumber label) {
    return shape.ranges[static_cast<size_t>(label)].length;
  };
  const int64_t columns = length(convolution.column);
  const int64_t all_rows = convolution.row ? length(*convolution.row) : 1;
  const double vector_bytes = static_cast<double>(convolution.vector() * size_of(convolution.type));
  const auto vectors =
      static_cast<double>((columns + convolution.vector() - 1) / convolution.vector());
  double steps = 0;
  for (int64_t done = 0; done < all_rows;) {
    const int64_t rows = convolution.rows_of_tile(all_rows - done);
    const auto lines = static_cast<double>(rows);
    const bool is_outer = convolution.kind == DirectKind::outer;
    const double joins = lines * vectors * convolution.tiles[1][1]->step_functions;
    const double loads = is_outer ? vectors + lines * vectors / 4 : lines * vectors + vectors / 2;
    steps += std::max(joins, loads);
    done += rows;
  }
  return taps * steps * vector_bytes / 4 / rates.direct_steps_per_second;
}

Cost cost_of(const DirectConvolution& convolution, const expr::TileStatement& statement,
             const CallShape& shape, const KernelRates& rates) {
  const double taps = num_positions(convolution.over, shape);
  double around = num_positions(convolution.out, shape);
  double tile_starts = around;
  around /= static_cast<double>(shape.ranges[static_cast<size_t>(convolution.column)].length);
  if (convolution.row) {
    around /= static_cast<double>(shape.ranges[static_cast<size_t>(*convolution.row)].length);
  }
  tile_starts /= static_cast<double>(convolution.vector());
  double packed = 0;
  for (const DirectOperand* const operand : {&convolution.x, &convolution.y}) {
    packed += operand->packs
                  ? static_cast<double>(num_elements(operand->extents) * size_of(convolution.type))
                  : 0;
  }
  Cost cost;
  cost.flops = num_positions(convolution.out, shape) * taps * num_calls(statement);
  cost.bytes = bytes_moved(statement, shape);
  cost.seconds = rates.call_seconds + around * seconds_of_rows(convolution, shape, taps, rates) +
                 tile_starts * 2e-9 + packed / rates.packed_bytes_per_second +
                 cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const OrRefusal<DirectConvolution> convolution =
      read_as_direct(program, shape, context.machine.isa);
  if (!convolution) {
    return convolution.refusal();
  }
  const auto kernel = std::make_shared<const ConvolutionDirect>(*convolution, context.machine.isa);
  return KernelPlan{cost_of(*convolution, program.statements[0], shape, context.machine.rates),
                    kernel->workspace_bytes(), [kernel] { return kernel; }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"convolution_direct", {}, &read});
}

}  // namespace tessera::kernels::kernel_convolution_direct
