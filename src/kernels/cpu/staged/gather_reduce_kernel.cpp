#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cpu/blocked/column_accumulator.h"
#include "kernels/cpu/cost/overlap.h"
#include "kernels/cpu/cost/statement_cost.h"
#include "kernels/cpu/staged/gather_cost.h"
#include "kernels/cpu/staged/gather_reading.h"
#include "kernels/cpu/staged/gather_rows.h"
#include "kernels/cpu/staged/gather_space.h"
#include "kernels/cpu/staged/gathering.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/registry.h"

/// gather_reduce: merges rows at positions in tables in place, in the order of a ColumnAccumulator,
/// Y[n,e] = sum[k] X[I[n,k],e]: the bags of an embedding. `staged` copies the rows first. Constant
/// states, like the count of a mean, are multiplied.
namespace tessera::kernels::kernel_gather_reduce {

namespace {

using expr::LabelNumber;

/// The distance of prefetching rows, and the bytes fetched of each: 0.7 of the time without, on
/// bags of 20 rows of 64 f32 out of 5 MB (Zen 4, 2026-11).
constexpr int64_t kRowsAhead = 16;
constexpr int64_t kMostBytesAhead = 256;
constexpr int64_t kLine = 64;

/// A reduction of rows that are gathered from one operand.
struct GatheredReduction {
  Gathered gathered;    // its labels: those of the result except the last, then the reduced ones
  LabelNumber row = 0;  // the label along a row, the last of the result
  size_t row_mode = 0;  // of the operand
  int32_t operand = 0;
  BlockReduction reduction;
  RowReduction counted;  // has the constant states
};

/// Returns the columns that are merged together: the levels of an accumulator stay in the first
/// cache.
int64_t most_columns(const GatheredReduction& of) {
  constexpr int64_t kMostBytes = int64_t{4} << 10;
  return kMostBytes / size_of(compute_type(of.reduction.monoid().state[0]));
}

int64_t workspace_of(const GatheredReduction& of, const expr::TileStatement& statement,
                     const CallShape& shape) {
  int64_t rows = 1;
  for (const LabelNumber label : expr::reduced_labels(statement)) {
    rows = counted(rows, shape.ranges[static_cast<size_t>(label)].length);
  }
  return ColumnAccumulator::workspace_bytes(of.reduction, most_columns(of), rows);
}

class PreparedGatherReduce : public PreparedKernel {
 public:
  explicit PreparedGatherReduce(GatheredReduction of) : of_(std::move(of)) {}

  Status run(const KernelCall& call) const noexcept override;

 private:
  class Run;
  GatheredReduction of_;
};

/// One call.
class PreparedGatherReduce::Run {
 public:
  Run(const GatheredReduction& of, const KernelCall& call)
      : of_(of), call_(call), operand_(call.inputs[static_cast<size_t>(of.operand)]) {
    set_dense(rows_, of.gathered.labels, call.ranges);
    const size_t num_kept = call.outputs[0].shape.size() - 1;
    for (size_t dim = num_kept; dim < of.gathered.labels.size(); ++dim) {
      rows_of_result_ *= rows_.shape[dim];
    }
    columns_.bind(of.reduction, of.counted, most_columns(of), call.workspace);
    columns_.merge_first_by(of.reduction.columns_apart()[0], of.reduction.is_exact(),
                            ColumnAccumulator::kLeaf);
  }

  Status run() noexcept {
    if (rows_of_result_ == 0) {
      fill_identity();
      return Status::ok;
    }
    const int64_t length = num_columns();
    const int64_t size = size_of(operand_.dtype);
    const int64_t step = operand_.strides[of_.row_mode] * size;
    // Elements that are not neighbours are merged one by one.
    const int64_t together = step == size ? most_columns(of_) : 1;
    Status status = Status::ok;
    for (int64_t first = 0; first < length && status == Status::ok; first += together) {
      status = reduce_columns(first, std::min(together, length - first));
    }
    return status;
  }

 private:
  void fill_identity() noexcept {
    for (size_t state = 0; state < call_.outputs.size() && !call_.accumulate; ++state) {
      const TileView& output = call_.outputs[state];
      fill_literal(of_.reduction.monoid().identity[state], output.dtype, output.data,
                   num_elements(output.shape));
    }
  }

  /// Reduces columns [first_column, first_column + columns) of all results.
  Status reduce_columns(int64_t first_column, int64_t columns) noexcept {
    const int64_t from = first_column * operand_.strides[of_.row_mode] * size_of(operand_.dtype);
    int64_t result = first_column;  // its first element
    bytes_ahead_ = std::min(columns * size_of(operand_.dtype), kMostBytesAhead);
    int64_t rows_left = rows_of_result_;
    int64_t done = 0;
    bool is_inside = true;
    columns_.begin(columns);
    space().visit_elements([&](const GatheredRows& rows) {
      for (int64_t first = 0; first < rows.num_rows && is_inside; first += kGatheredBlock) {
        const int64_t count = std::min(kGatheredBlock, rows.num_rows - first);
        is_inside = place_rows(rows, first, count, places_.data());
        for (int64_t row = 0; row < count && is_inside;) {
          const int64_t added =
              add_rows(rows.from + from, row, std::min(count - row, rows_left), count);
          row += added;
          rows_left -= added;
          if (rows_left == 0) {
            finish(result);
            columns_.begin(columns);
            result += num_columns();
            rows_left = rows_of_result_;
          }
        }
        done += is_inside ? count : 0;
      }
      return is_inside;
    });
    if (is_inside) {
      return Status::ok;
    }
    note_outside(call_, call_.inputs, of_.operand, of_.gathered, call_.ranges, rows_, done);
    return Status::out_of_range;
  }

  /// Merges at most `most` of the `num_placed` rows of a block, from the first one on. Returns
  /// their number.
  int64_t add_rows(const std::byte* from, int64_t first, int64_t most,
                   int64_t num_placed) noexcept {
    const int64_t count = std::min(columns_.room(), most);
    for (int64_t row = 0; row < count; ++row) {
      addresses_[0][static_cast<size_t>(row)] = from + places_[static_cast<size_t>(first + row)];
    }
    fetch_rows(from, first + count, std::min(num_placed, first + count + kRowsAhead));
    columns_.add(addresses_, count);
    return count;
  }

  void fetch_rows(const std::byte* from, int64_t first, int64_t end) const noexcept {
    for (int64_t row = first; row < end; ++row) {
      const std::byte* const at = from + places_[static_cast<size_t>(row)];
      for (int64_t line = 0; line < bytes_ahead_; line += kLine) {
        __builtin_prefetch(at + line);
      }
    }
  }

  void finish(int64_t result) noexcept {
    std::array<void*, kMaxStates> results;
    for (size_t state = 0; state < call_.outputs.size(); ++state) {
      const TileView& output = call_.outputs[state];
      results[state] = output.data + result * size_of(output.dtype);
    }
    columns_.finish(results.data(), call_.accumulate);
  }

  int64_t num_columns() const { return call_.ranges[static_cast<size_t>(of_.row)].length; }

  GatherSpace space() const noexcept {
    return {of_.gathered, operand_, call_.inputs, call_.ranges, rows_};
  }

  const GatheredReduction& of_;
  const KernelCall& call_;
  const TileView& operand_;
  TileView rows_;  // of shape alone: an element for each row
  int64_t rows_of_result_ = 1;
  int64_t bytes_ahead_ = 0;
  ColumnAccumulator columns_;
  ColumnAccumulator::Rows addresses_;
  std::array<int64_t, kGatheredBlock> places_;
};

Status PreparedGatherReduce::run(const KernelCall& call) const noexcept {
  return num_elements(call.outputs[0].shape) == 0 ? Status::ok : Run(of_, call).run();
}

/// Returns the mode of an operand that is contiguous in a row, read at this label alone, which no
/// table reads.
std::optional<size_t> mode_of_row(const Gathered& gathered, LabelNumber label) {
  const auto mentions = [&](const expr::Index& index) { return expr::mentions(index, label); };
  const auto mode = std::find_if(gathered.index.begin(), gathered.index.end(), mentions);
  const bool is_in_table =
      std::any_of(gathered.modes.begin(), gathered.modes.end(), [&](const GatheredMode& of_mode) {
        return std::any_of(of_mode.table.index.begin(), of_mode.table.index.end(), mentions);
      });
  const bool is_alone = mode != gathered.index.end() && expr::plain_label(*mode) == label &&
                        std::none_of(mode + 1, gathered.index.end(), mentions);
  return is_alone && !is_in_table
             ? std::optional(static_cast<size_t>(mode - gathered.index.begin()))
             : std::nullopt;
}

/// Counts the states behind the first. Returns false if one is no constant to count.
bool count_states(const expr::TileStatement& statement, const expr::Monoid& monoid,
                  RowReduction& counted) {
  for (size_t state = 1; state < statement.bodies.size(); ++state) {
    const std::vector<expr::Node>& nodes = statement.bodies[state].nodes;
    const auto* constant = std::get_if<expr::Constant>(&nodes.back().op);
    if (constant == nullptr || !counted.count(monoid, state, constant->value)) {
      return false;
    }
  }
  return true;
}

OrRefusal<GatheredReduction> reduction_of_rows(const expr::TileStatement& statement, Isa isa) {
  const expr::Reduce* const reduce = expr::reduction_of(statement);
  if (reduce == nullptr || statement.out.empty()) {
    return Refusal{"it merges no rows"};
  }
  OrRefusal<Gathered> gathered = gathered_by(statement.bodies[0]);
  if (!gathered) {
    return gathered.refusal();
  }
  if (!std::all_of(gathered->modes.begin(), gathered->modes.end(), [](const GatheredMode& mode) {
        return mode.outside == expr::Boundary(expr::Inside{});
      })) {
    return Refusal{"a position outside of its operand has a value"};
  }
  const LabelNumber row = statement.out.back();
  const std::optional<size_t> mode = mode_of_row(*gathered, row);
  if (!mode) {
    return Refusal{"it reads no rows along the last label of its result"};
  }
  OrRefusal<BlockReduction> reduction = BlockReduction::compile(reduce->monoid, isa);
  if (!reduction) {
    return reduction.refusal();
  }
  RowReduction counted(reduce->monoid, isa);
  if (!counted.has_folds() || !count_states(statement, reduce->monoid, counted)) {
    return Refusal{"it merges several states"};
  }
  if (reduction->columns_apart().empty() ||
      compute_type(statement.bodies[0].dtype()) != statement.bodies[0].dtype()) {
    return Refusal{"it merges no rows of that type by that aggregate"};
  }
  // The row begins at its first element.
  gathered->isa = isa;
  gathered->labels.assign(statement.out.begin(), statement.out.end() - 1);
  gathered->labels.insert(gathered->labels.end(), reduce->over.begin(), reduce->over.end());
  const int32_t operand = std::get<expr::Access>(statement.bodies[0].nodes.back().op).operand;
  return GatheredReduction{std::move(*gathered), row, *mode, operand, std::move(*reduction),
                           std::move(counted)};
}

/// Seconds to merge a row of a result behind the one before, and to finish a result, beside their
/// elements: measured on bags of 20 and of 2 rows of 64 f32 (Zen 4, 2026-11).
constexpr double kMergedRowSeconds = 1.5e-9;
constexpr double kResultSeconds = 30e-9;

/// Returns the cost of a call. Its reads of the operand are priced as waits for memory.
Cost cost_of(const GatheredReduction& of, const expr::TileStatement& statement,
             const CallShape& shape, const KernelRates& rates) {
  const DType dtype = statement.bodies[0].dtype();
  const auto size = static_cast<double>(size_of(dtype));
  const double rows = num_positions(of.gathered.labels, shape);
  const double elements =
      rows * static_cast<double>(shape.ranges[static_cast<size_t>(of.row)].length);
  const double results = num_positions(statement.out, shape);
  const double tables = bytes_of_tables(of.gathered, shape.ranges);
  // The gather has the labels of rows alone, so each row is an element of it.
  const double placing = gathering_seconds(of.gathered, DType::i64, shape.ranges, rates);
  const double merging = rows * kMergedRowSeconds +
                         elements * size / rates.cached_bytes_per_second +
                         results / static_cast<double>(most_columns(of)) * kResultSeconds;
  const double moving = (tables + results * size) / rates.bytes_per_second;
  return {elements, elements * size + tables + results * size,
          rates.call_seconds + overlapped_seconds(placing + merging, moving)};
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  const expr::TileStatement& statement = program.statements[0];
  OrRefusal<GatheredReduction> reduction = reduction_of_rows(statement, context.machine.isa);
  if (!reduction) {
    return reduction.refusal();
  }
  const Cost cost = cost_of(*reduction, statement, shape, context.machine.rates);
  const int64_t workspace = workspace_of(*reduction, statement, shape);
  return KernelPlan{cost, workspace, [reduction = std::move(*reduction)] {
                      return std::make_shared<const PreparedGatherReduce>(reduction);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"gather_reduce", {.every_index = true}, &read});
}

}  // namespace tessera::kernels::kernel_gather_reduce
