#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "expr/scalar_part.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/staged/framing.h"
#include "kernels/cpu/staged/gather_cost.h"
#include "kernels/cpu/staged/gathering.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// gather: a result that is elements of one operand at positions that tables say, Y[n,e] =
/// X[I[n],e], written where they belong. Where more is done with them they are staged (staged/).
namespace tessera::kernels {

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

bool is_table(const expr::Node& node) {
  const auto* access = std::get_if<expr::Access>(&node.op);
  return access != nullptr &&
         std::all_of(access->index.begin(), access->index.end(), expr::is_plain_or_fixed);
}

/// Returns the gather that a body is: its last node reads an operand at tables, and all other nodes
/// are these tables.
OrRefusal<Gathered> gathered_by(const expr::Scalar& body) {
  const auto* access = std::get_if<expr::Access>(&body.nodes.back().op);
  if (access == nullptr || !std::all_of(body.nodes.begin(), body.nodes.end() - 1, is_table)) {
    return Refusal{"it computes something"};
  }
  Gathered gathered{{}, access->index, {}};
  for (size_t mode = 0; mode < access->index.size(); ++mode) {
    const expr::Index& index = access->index[mode];
    const size_t num_known = gathered.modes.size();
    expr::for_each_node(index, [&](int32_t node) {
      const auto& table = std::get<expr::Access>(body.nodes[static_cast<size_t>(node)].op);
      gathered.modes.push_back({mode, table, expr::part_of(body, node), expr::boundary_of(index)});
    });
    if (gathered.modes.size() == num_known && !expr::is_plain_or_fixed(index)) {
      return Refusal{"it reads at sums of labels"};
    }
  }
  if (gathered.modes.empty() || gathered.modes.size() > kMostGatheredModes) {
    return Refusal{gathered.modes.empty() ? "it reads at no table"
                                          : "it gathers in too many modes"};
  }
  return gathered;
}

/// True if an f16 or bf16 operand has a pad. Rows of 16-bit elements cannot be filled with one.
bool is_padded_half(const Gathered& gathered, DType dtype) {
  return compute_type(dtype) != dtype &&
         std::any_of(gathered.modes.begin(), gathered.modes.end(),
                     [](const GatheredMode& mode) { return is_padded(mode.outside); });
}

/// The tables come through memory while it gathers, and results go there as those of a copy do.
/// Returns the cost of a gather. Its reads of the operand are priced as waits for memory.
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
  const Cost cost = cost_of(*gathered, statement, shape, context.machine.rates);
  const int32_t operand = std::get<expr::Access>(body.nodes.back().op).operand;
  return KernelPlan{cost, 0, [gathered = std::move(*gathered), operand] {
                      return std::make_shared<const PreparedGather>(gathered, operand);
                    }};
}

}  // namespace

void register_kernel_gather(Registry& registry);

void register_kernel_gather(Registry& registry) {
  Takes takes;
  takes.every_index = true;
  registry.add({"gather", takes, &read});
}

}  // namespace tessera::kernels
