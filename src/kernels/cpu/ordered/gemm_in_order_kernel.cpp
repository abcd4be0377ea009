#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/context.h"
#include "kernels/cpu/ordered/gemm_in_order.h"
#include "kernels/leaf_order.h"
#include "kernels/registry.h"

/// gemm_in_order: a matrix product with a leaf, in chains (gemm_in_order.h).
namespace tessera::kernels::kernel_gemm_in_order {

namespace {

const ChainEntry& entry_of(DType type, Isa isa) {
  const std::span<const ChainEntry> entries = chain_entries(isa);
  return *std::find_if(entries.begin(), entries.end(),
                       [&](const ChainEntry& entry) { return entry.type == type; });
}

/// Returns the cost. Tiles are computed whole, so a side of a few lines costs as much as a full
/// one.
Cost cost_of(const GemmLabels& labels, const ChainEntry& entry, bool is_small,
             const CallShape& shape, const KernelRates& rates) {
  const auto size = static_cast<double>(size_of(labels.type));
  const auto batch = static_cast<double>(positions_of(labels.batch, shape));
  const int64_t num_rows = positions_of(labels.m, shape);
  const int64_t num_columns = positions_of(labels.n, shape);
  const auto m = static_cast<double>(num_rows);
  const auto n = static_cast<double>(num_columns);
  const auto k = static_cast<double>(positions_of(labels.k, shape));
  const double products =
      static_cast<double>(is_small ? num_rows : round_up(num_rows, entry.rows)) *
      static_cast<double>(round_up(num_columns, entry.columns)) * k;
  const int64_t times_a = (num_columns - 1) / GemmInOrder::kBlockColumns + 1;
  const int64_t times_b = (num_rows - 1) / GemmInOrder::kBlockRows + 1;
  const double packed =
      is_small ? 0 : m * k * static_cast<double>(times_a) + n * k * static_cast<double>(times_b);
  const double rate = labels.type == DType::f32 ? rates.chain_flops_per_second_f32
                                                : rates.chain_flops_per_second_f64;
  Cost cost;
  cost.flops = 2 * batch * m * n * k;
  cost.bytes = batch * (m * k + k * n + m * n) * size;
  cost.seconds = rates.call_seconds +
                 batch * (2 * products / rate + packed * size / rates.packed_bytes_per_second) +
                 cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<expr::SummedProduct> chain = chain_of(program);
  if (!chain) {
    return chain.refusal();
  }
  const OrRefusal<GemmLabels> labels = sort_labels(program, chain->a, chain->b, chain->type);
  if (!labels) {
    return labels.refusal();
  }
  const expr::TileStatement& statement = program.statements[0];
  if (expr::stated_leaf(statement) == nullptr) {
    return Refusal{"the statement has no leaf"};
  }
  if (shape.accumulate) {
    return Refusal{"it merges nothing into its outputs"};
  }
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const ChainEntry& entry = entry_of(labels->type, context.machine.isa);
  const auto gemm = std::make_shared<const GemmInOrder>(*labels, statement, entry, shape);
  return KernelPlan{cost_of(*labels, entry, gemm->is_small(), shape, context.machine.rates),
                    gemm->workspace_bytes(),
                    [gemm] { return std::shared_ptr<const PreparedKernel>(gemm); }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"gemm_in_order", {.leaves = true}, &read});
}

}  // namespace tessera::kernels::kernel_gemm_in_order
