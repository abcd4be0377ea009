#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/staged/framing.h"
#include "kernels/cpu/staged/gather_cost.h"
#include "kernels/cpu/staged/gather_reading.h"
#include "kernels/cpu/staged/gathering.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// gather: a result that consists of elements of one operand at positions in tables, Y[n,e] =
/// X[I[n],e], written directly. If more is computed with them they are staged (staged/).
namespace tessera::kernels::kernel_gather {

namespace {

class PreparedGather : public PreparedKernel {
 public:
  PreparedGather(Gathered gathered, int32_t operand)
      : gathered_(std::move(gathered)), operand_(operand) {}

  Status run(const KernelCall& call) const noexcept override {
    return gather_into(call, call.inputs, operand_, gathered_, call.ranges, call.outputs[0]);
  }

 private:
  Gathered gathered_;
  int32_t operand_;
};

/// True if an f16 or bf16 operand has a pad. Rows of 16-bit elements cannot be filled with one.
bool is_padded_half(const Gathered& gathered, DType dtype) {
  return compute_type(dtype) != dtype &&
         std::any_of(gathered.modes.begin(), gathered.modes.end(),
                     [](const GatheredMode& mode) { return is_padded(mode.outside); });
}

/// Returns the cost of a gather. The tables come through memory while it gathers, and results go
/// there like a copy's. Reads of the operand are priced as waits for memory.
Cost cost_of(const Gathered& gathered, const expr::TileStatement& statement, const CallShape& shape,
             const KernelRates& rates) {
  const DType dtype = statement.bodies[0].dtype();
  const double tables = bytes_of_tables(gathered, shape.ranges);
  const double results = num_positions(statement.out, shape) * static_cast<double>(size_of(dtype));
  const double moving = tables / rates.bytes_per_second + results / rates.streamed_bytes_per_second;
  const double seconds =
      overlapped_seconds(gathering_seconds(gathered, dtype, shape.ranges, rates), moving);
  return {0, tables + results, rates.call_seconds + seconds};
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  if (!expr::is_map(statement) || statement.bodies.size() != 1) {
    return Refusal{"it computes something"};
  }
  const expr::Scalar& body = statement.bodies[0];
  OrRefusal<Gathered> gathered = gathered_by(body);
  if (!gathered) {
    return gathered.refusal();
  }
  if (is_padded_half(*gathered, body.dtype())) {
    return Refusal{"it puts no border around f16 and bf16"};
  }
  gathered->labels = statement.out;
  gathered->isa = context.machine.isa;
  const Cost cost = cost_of(*gathered, statement, shape, context.machine.rates);
  const int32_t operand = std::get<expr::Access>(body.nodes.back().op).operand;
  return KernelPlan{cost, 0, [gathered = std::move(*gathered), operand] {
                      return std::make_shared<const PreparedGather>(gathered, operand);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  Takes takes;
  takes.every_index = true;
  registry.add({"gather", takes, &read});
}

}  // namespace tessera::kernels::kernel_gather
