#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include <fmt/format.h>

#include "kernels/context.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/isa/best_position_table.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

// argmax and argmin along one label (isa/best_positions.h): by rows if its elements are neighbours,
// by columns if those of the last label of the result are; else by rows that are gathered first.
// The general evaluator merges (value, position) pairs with a dozen block functions instead.

namespace tessera::kernels::kernel_best_position {

namespace {

using expr::LabelNumber;

/// The most bytes of elements that are gathered at once.
constexpr int64_t kGatheredBytes = int64_t{16} << 10;

/// The fewest columns; fewer are gathered as rows.
constexpr int64_t kFewestColumns = 8;

/// The reduction that the kernel reads from a program, with the reduced mode of the operand.
struct BestPosition {
  bool largest = true;
  DType dtype = DType::f32;
  size_t operand = 0;  // among the inputs
  size_t reduced_mode = 0;
  std::vector<size_t> mode_of_out;         // of the operand, per label of the result
  std::vector<LabelNumber> label_of_mode;  // of the operand
};

const expr::Access* only_access(const expr::Scalar& body) {
  return body.nodes.size() == 1 ? std::get_if<expr::Access>(&body.nodes[0].op) : nullptr;
}

bool is_position_along(const expr::Scalar& body, LabelNumber label) {
  const auto* index =
      body.nodes.size() == 1 ? std::get_if<expr::IndexOf>(&body.nodes[0].op) : nullptr;
  return index != nullptr && index->label == label;
}

/// Returns the mode of the operand that a label reads, if it reads exactly one, plainly.
std::optional<size_t> mode_of(const expr::Access& access, LabelNumber label) {
  std::optional<size_t> found;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    const std::optional<LabelNumber> own = expr::plain_label(access.index[mode]);
    if (!own) {
      return std::nullopt;
    }
    if (*own == label) {
      if (found) {
        return std::nullopt;
      }
      found = mode;
    }
  }
  return found;
}

/// Returns null if the type has no entry.
const BestPositionEntry* entry_of(DType type, bool largest, Isa isa) {
  const std::span<const BestPositionEntry> entries = best_position_entries(isa);
  const auto found = std::find_if(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.type == type && entry.largest == largest;
  });
  return found == entries.end() ? nullptr : &*found;
}

/// Returns the extremum whose first position a monoid keeps, by the aggregate of its name.
expr::Extremum extremum_of(const expr::Monoid& monoid, const expr::AggregateRegistry& aggregates) {
  const expr::Aggregate* const aggregate = aggregates.find(monoid.name);
  const bool is_it = aggregate != nullptr && aggregate->position_of != expr::Extremum::none &&
                     aggregate->bind(monoid.state[0]).monoid == monoid;
  return is_it ? aggregate->position_of : expr::Extremum::none;
}

OrRefusal<BestPosition> best_position_of(const expr::TileProgram& program, const CallShape& shape,
                                         const expr::AggregateRegistry& aggregates) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Reduce* reduce = expr::reduction_of(statement);
  const expr::Extremum extremum =
      reduce != nullptr ? extremum_of(reduce->monoid, aggregates) : expr::Extremum::none;
  if (extremum == expr::Extremum::none || reduce->over.size() != 1) {
    return Refusal{"it is no argmax or argmin along one label"};
  }
  const expr::Access* access = only_access(statement.bodies[0]);
  if (access == nullptr || !is_position_along(statement.bodies[1], reduce->over[0])) {
    return Refusal{"the element is not read as it is"};
  }
  BestPosition what;
  what.largest = extremum == expr::Extremum::largest;
  what.dtype = statement.bodies[0].dtype();
  what.operand = static_cast<size_t>(access->operand);
  const std::optional<size_t> reduced = mode_of(*access, reduce->over[0]);
  if (!reduced || shape.ranges[static_cast<size_t>(reduce->over[0])].length == 0) {
    return Refusal{"the label is not read by one mode, or has no elements"};
  }
  what.reduced_mode = *reduced;
  for (const LabelNumber label : statement.out) {
    const std::optional<size_t> mode = mode_of(*access, label);
    if (!mode) {
      return Refusal{"a label of the result is not read by one mode"};
    }
    what.mode_of_out.push_back(*mode);
  }
  if (access->index.size() != statement.out.size() + 1 || access->index.size() > kMostModes) {
    return Refusal{"a mode is read by a label that is neither kept nor reduced"};
  }
  for (const expr::Index& index : access->index) {
    what.label_of_mode.push_back(*expr::plain_label(index));
  }
  return what;
}

class PreparedBestPosition : public PreparedKernel {
 public:
  PreparedBestPosition(BestPosition what, LabelNumber over, const BestPositionEntry& entry)
      : what_(std::move(what)), over_(over), entry_(entry), size_(size_of(entry.type)) {}

  Status run(const KernelCall& call) const noexcept override {
    const TileView& input = call.inputs[what_.operand];
    const ModeValues& out = call.outputs[0].shape;
    if (num_elements(out) == 0) {
      return Status::ok;
    }
    const bool has_rows = input.strides[what_.reduced_mode] == 1;
    const bool has_columns = !has_rows && !out.empty() &&
                             input.strides[what_.mode_of_out.back()] == 1 &&
                             out[out.size() - 1] >= kFewestColumns;
    const size_t num_walked = out.size() - (has_columns ? 1 : 0);
    const int64_t columns = has_columns ? out[out.size() - 1] : 1;
    std::array<int64_t, kMostModes> at{};  // per label of the result
    const std::byte* from = input.data + first_offset(call) * size_;
    for (int64_t first = 0; first < num_elements(out); first += columns) {
      if (has_columns) {
        find_in_columns(call, from, first, columns);
      } else {
        find_in_row(call, from, first);
      }
      from += step_to_next(input, out, num_walked, at) * size_;
    }
    return Status::ok;
  }

 private:
  /// Makes the part of a call whose results go to the outputs from element `out` on.
  BestPart part_at(const KernelCall& call, const std::byte* from, int64_t out) const noexcept {
    BestPart part;
    part.elements = from;
    part.position = call.ranges[static_cast<size_t>(over_)].begin;
    part.continues = call.accumulate;
    part.values = call.outputs[0].data + out * size_;
    part.positions = call.outputs[1].as<int64_t>() + out;
    return part;
  }

  int64_t step_in_bytes(const KernelCall& call) const noexcept {
    return call.inputs[what_.operand].strides[what_.reduced_mode] * size_;
  }

  void find_in_columns(const KernelCall& call, const std::byte* from, int64_t out,
                       int64_t columns) const noexcept {
    const int64_t most = kBestColumnBytes / size_;
    for (int64_t column = 0; column < columns; column += most) {
      BestPart part = part_at(call, from + column * size_, out + column);
      part.count = std::min(most, columns - column);
      part.rows = call.ranges[static_cast<size_t>(over_)].length;
      part.row_step = step_in_bytes(call);
      entry_.columns(part, call.workspace);
    }
  }

  void find_in_row(const KernelCall& call, const std::byte* from, int64_t out) const noexcept {
    const int64_t length = call.ranges[static_cast<size_t>(over_)].length;
    const int64_t step = step_in_bytes(call);
    BestPart part = part_at(call, from, out);
    const int64_t piece = step == size_ ? length : kGatheredBytes / size_;
    for (int64_t first = 0; first < length; first += piece) {
      part.count = std::min(piece, length - first);
      part.elements = from + first * step;
      if (step != size_) {
        StridedBox box;
        box.add(part.count, step, size_);
        copy_box(from + first * step, call.workspace, size_, box);
        part.elements = call.workspace;
      }
      entry_.row(part);
      part.position += part.count;
      part.continues = true;
    }
  }

  /// Returns the place where the call begins in the operand's tile, which may be larger.
  int64_t first_offset(const KernelCall& call) const noexcept {
    const TileView& input = call.inputs[what_.operand];
    int64_t offset = 0;
    for (size_t mode = 0; mode < what_.label_of_mode.size(); ++mode) {
      const LabelRange range = call.ranges[static_cast<size_t>(what_.label_of_mode[mode])];
      offset += (range.begin - input.origin[mode]) * input.strides[mode];
    }
    return offset;
  }

  /// Returns the distance to the next position of the first `num_walked` labels of the result,
  /// counted up like an odometer.
  int64_t step_to_next(const TileView& input, std::span<const int64_t> out, size_t num_walked,
                       std::array<int64_t, kMostModes>& at) const noexcept {
    int64_t step = 0;
    for (size_t label = num_walked; label-- > 0;) {
      const int64_t stride = input.strides[what_.mode_of_out[label]];
      if (++at[label] < out[label]) {
        return step + stride;
      }
      step -= stride * (out[label] - 1);
      at[label] = 0;
    }
    return step;
  }

  BestPosition what_;
  LabelNumber over_;
  const BestPositionEntry& entry_;
  int64_t size_;
};

Cost cost_of(const BestPosition& what, const CallShape& shape, const KernelRates& rates) {
  double elements = 1;
  for (const LabelRange& range : shape.ranges) {
    elements *= static_cast<double>(range.length);
  }
  const size_t last_mode = what.label_of_mode.size() - 1;
  const bool has_neighbours = what.reduced_mode == last_mode ||
                              (!what.mode_of_out.empty() && what.mode_of_out.back() == last_mode);
  Cost cost;
  cost.flops = 2 * elements;
  cost.bytes = elements * static_cast<double>(size_of(what.dtype));
  cost.seconds = rates.call_seconds + cost.bytes / rates.bytes_per_second +
                 (has_neighbours ? 0 : elements * rates.one_by_one_seconds);
  return cost;
}

/// Returns the bytes for columns along the last label of the result, or for rows that are gathered.
int64_t workspace_bytes(const expr::TileStatement& statement, const CallShape& shape,
                        int64_t size) {
  const int64_t columns =
      statement.out.empty() ? 1 : shape.ranges[static_cast<size_t>(statement.out.back())].length;
  return std::max(kGatheredBytes, 2 * aligned_bytes(std::min(kBestColumnBytes, columns * size)));
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  OrRefusal<BestPosition> what = best_position_of(program, shape, context.aggregates);
  if (!what) {
    return what.refusal();
  }
  const BestPositionEntry* const entry = entry_of(what->dtype, what->largest, context.machine.isa);
  if (entry == nullptr) {
    return Refusal{fmt::format("there is no loop for {}", name_of(what->dtype))};
  }
  return KernelPlan{cost_of(*what, shape, context.machine.rates),
                    workspace_bytes(program.statements[0], shape, size_of(what->dtype)),
                    [what = *what, over = expr::reduced_labels(program.statements[0])[0], entry] {
                      return std::make_shared<const PreparedBestPosition>(what, over, *entry);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"best_position", {}, &read});
}

}  // namespace tessera::kernels::kernel_best_position
