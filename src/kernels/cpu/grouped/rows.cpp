#include "kernels/cpu/grouped/rows.h"

#include <algorithm>

#include "kernels/cpu/grouped/leaf_placer.h"
#include "kernels/cpu/grouped/leaves.h"
#include "kernels/cpu/grouped/row_merger.h"
#include "kernels/cpu/grouped/row_selection.h"

namespace tessera::kernels {

namespace {

bool is_half(DType dtype) {
  return compute_type(dtype) != dtype;
}

}  // namespace

/// One call.
// Long because the stages of a block, their places and the merging of its rows share one memory.
class GroupedRows::Run {
 public:
  Run(const GroupedRows& kernel, const KernelCall& call)
      : kernel_(kernel),
        call_(call),
        memory_(kernel.program_, kernel.programs_, kernel.reduction_, kernel.isa_, call.workspace),
        merger_(kernel.reduction_.monoid(), kernel.merges_, memory_, call.outputs) {}

  Status run() noexcept {
    if (!call_.accumulate) {
      fill_identity();
    }
    if (is_empty()) {
      return Status::ok;
    }
    Status status = bind();
    if (status != Status::ok) {
      return status;
    }
    do {
      for (int64_t& start = along_ == kNoLabel ? only_ : memory_.positions[along_];
           start < num_along_ && status == Status::ok; start += kBlock) {
        status = run_block(std::min(kBlock, num_along_ - start));
      }
    } while (status == Status::ok && advance());
    return status;
  }

 private:
  const GroupedProgram& program() const { return kernel_.program_; }
  const expr::Monoid& monoid() const { return kernel_.reduction_.monoid(); }
  const LabelRange& range_of(expr::LabelNumber label) const {
    return call_.ranges[static_cast<size_t>(label)];
  }
  int64_t length_of_row(size_t row) const { return range_of(program().rows[row]).length; }
  RowExpressions& values() { return memory_.expressions.back(); }

  void fill_identity() noexcept {
    for (size_t entry = 0; entry < call_.outputs.size(); ++entry) {
      const TileView& output = call_.outputs[entry];
      fill_literal(monoid().identity[entry], output.dtype, output.data, num_elements(output.shape));
    }
  }

  bool is_empty() const {
    return std::any_of(program().rows.begin(), program().rows.end(),
                       [&](expr::LabelNumber label) { return range_of(label).length == 0; }) ||
           num_elements(call_.outputs[0].shape) == 0;
  }

  Status bind() noexcept {
    // Blocks run along the last label that fills one, because its elements mostly are contiguous,
    // or along the longest.
    for (size_t row = 0; row < program().rows.size(); ++row) {
      memory_.positions[row] = 0;
      memory_.result_steps[row] = step_of_result(program().rows[row]);
      if (along_ == kNoLabel || length_of_row(row) >= std::min(num_along_, kBlock)) {
        along_ = row;
        num_along_ = length_of_row(row);
      }
    }
    for (size_t group = 0; group < program().groups.size(); ++group) {
      memory_.group_steps[group] = step_of_result(program().groups[group].label);
    }
    if (program().inner) {
      num_inner_ = range_of(*program().inner).length;
      inner_step_ = step_of_result(*program().inner);
      merger_.set_step(inner_step_);
    }
    for (RowExpressions& expressions : memory_.expressions) {
      for (RowLeaf& leaf : expressions.leaves) {
        const Status status = bind_leaf(leaf, program(), call_);
        if (status != Status::ok) {
          return status;
        }
      }
    }
    return Status::ok;
  }

  /// Returns the elements between neighbouring positions of a label in the result; 0 for a label
  /// that it lacks.
  int64_t step_of_result(expr::LabelNumber label) const {
    const auto out = std::find(kernel_.out_.begin(), kernel_.out_.end(), label);
    return out == kernel_.out_.end()
               ? 0
               : call_.outputs[0].strides[static_cast<size_t>(out - kernel_.out_.begin())];
  }

  /// Goes to the next position of the labels beside the one of blocks. Returns false after the
  /// last.
  bool advance() noexcept {
    if (along_ != kNoLabel) {
      memory_.positions[along_] = 0;
    }
    for (size_t row = program().rows.size(); row-- > 0;) {
      if (row == along_) {
        continue;
      }
      if (++memory_.positions[row] < length_of_row(row)) {
        return true;
      }
      memory_.positions[row] = 0;
    }
    return false;
  }

  Status run_block(int64_t count) noexcept {
    const BlockOfRows rows{first_result(), along_ == kNoLabel ? 0 : memory_.result_steps[along_],
                           count};
    Status status = compute_stages(0, program().num_stages_of_all, nullptr, count, true);
    if (status != Status::ok) {
      return status;
    }
    int64_t num_selected = count;
    if (!place_all_rows(program(), call_.ranges, rows, memory_)) {
      status = compute_stages(0, program().num_stages_of_all, nullptr, count, false);
      status = status == Status::ok
                   ? select_rows(program(), call_.ranges, rows, memory_, num_selected)
                   : status;
    }
    if (status != Status::ok || num_selected == 0) {
      return status;
    }
    const int64_t* selected = num_selected == count ? nullptr : memory_.selected.data();
    status = compute_stages(program().num_stages_of_all, program().stages.size(), selected,
                            num_selected, selected == nullptr);
    return status == Status::ok ? merge_rows(selected, num_selected) : status;
  }

  int64_t first_result() const {
    int64_t first = 0;
    for (size_t row = 0; row < program().rows.size(); ++row) {
      first += memory_.positions[row] * memory_.result_steps[row];
    }
    return first;
  }

  /// Computes stages [begin, end), each after those that it needs. A stage of an operand's integers
  /// may be read in place.
  Status compute_stages(size_t begin, size_t end, const int64_t* selected, int64_t count,
                        bool may_leave_stored) noexcept {
    for (size_t stage = begin; stage < end; ++stage) {
      RowExpressions& of = memory_.expressions[stage];
      if (may_leave_stored && is_stored(stage)) {
        const RowLeaf& leaf = of.leaves[0];
        of.value = nullptr;
        of.numbers = {at_address(first_of(leaf, memory_.positions)), leaf.view->dtype, 1};
        continue;
      }
      const Status status = compute_stage(stage, selected, count);
      if (status != Status::ok) {
        return status;
      }
    }
    return Status::ok;
  }

  /// True if the values of a stage are adjacent integers in an operand.
  bool is_stored(size_t stage) noexcept {
    if (!kernel_.is_stored_[stage]) {
      return false;
    }
    const RowLeaf& leaf = memory_.expressions[stage].leaves[0];
    return along_ != kNoLabel && step_along(leaf) == leaf.unit();
  }

  Status compute_stage(size_t stage, const int64_t* selected, int64_t count) noexcept {
    RowExpressions& of = memory_.expressions[stage];
    const RowBox box{0, count, 0, 1};
    for (size_t number = 0; number < of.leaves.size(); ++number) {
      RowLeaf& leaf = of.leaves[number];
      const Status status = placer().place(leaf, selected, count, Places::if_apart);
      if (status != Status::ok) {
        return status;
      }
      of.machine->set_parameter(static_cast<int32_t>(number), load(leaf, box));
    }
    const Status status = of.machine->run(nullptr, count, nullptr, nullptr);
    of.value = static_cast<const std::byte*>(of.machine->result(0));
    return status;
  }

  LeafPlacer placer() noexcept { return {program(), call_, memory_, along_}; }
  int64_t step_along(const RowLeaf& leaf) noexcept { return placer().step_of(leaf); }

  const std::byte* load(const RowLeaf& leaf, const RowBox& box) noexcept {
    return load_rows(leaf, first_of(leaf, memory_.positions), step_along(leaf), box,
                     memory_.staging.data());
  }

  Status merge_rows(const int64_t* selected, int64_t count) noexcept {
    const bool in_place = merges_in_place();
    for (size_t number = 0; number < values().leaves.size(); ++number) {
      const Status status =
          placer().place(values().leaves[number], selected, count, places_needed(number, in_place));
      if (status != Status::ok) {
        return status;
      }
    }
    if (in_place) {
      merge_stored(count);
      return Status::ok;
    }
    const int64_t length = std::min(num_inner_, kBlock);
    const int64_t num_rows = kBlock / length;
    for (int64_t row = 0; row < count; row += num_rows) {
      for (int64_t first = 0; first < num_inner_; first += length) {
        const Status status = merge_box(
            {row, std::min(num_rows, count - row), first, std::min(length, num_inner_ - first)});
        if (status != Status::ok) {
          return status;
        }
      }
    }
    return Status::ok;
  }

  Places places_needed(size_t leaf, bool in_place) {
    const bool is_loaded =
        !in_place || std::any_of(kernel_.stored_.begin(), kernel_.stored_.end(),
                                 [&](const StoredValue& stored) { return stored.factor == leaf; });
    if (!is_loaded) {
      return Places::if_gathered;
    }
    return in_place || num_inner_ == 1 ? Places::if_apart : Places::all;
  }

  /// True if rows are merged directly from an operand.
  bool merges_in_place() {
    return kernel_.merges_as_stored() &&
           std::all_of(kernel_.stored_.begin(), kernel_.stored_.end(), [&](const auto& stored) {
             return num_inner_ == 1 ||
                    (stored.element && has_dense_rows(values().leaves[*stored.element]));
           });
  }

  static bool has_dense_rows(const RowLeaf& leaf) { return leaf.inner_step == leaf.unit(); }

  void merge_stored(int64_t count) noexcept {
    for (size_t state = 0; state < kernel_.stored_.size(); ++state) {
      const StoredValue& stored = kernel_.stored_[state];
      MergedRows rows{stored.constant.data(),
                      nullptr,
                      call_.outputs[state].data,
                      memory_.offsets.data(),
                      count,
                      num_inner_,
                      inner_step_};
      if (stored.element) {
        const RowLeaf& element = values().leaves[*stored.element];
        rows.values = at_address(first_of(element, memory_.positions));
        rows.places = element.is_regular ? nullptr : element.places.data();
        rows.row_step = step_along(element);
      }
      if (stored.factor) {
        rows.factors = load(values().leaves[*stored.factor], {0, count, 0, 1});
      }
      stored.merge(rows);
    }
  }

  Status merge_box(const RowBox& box) noexcept {
    RowExpressions& of = values();
    for (size_t number = 0; number < of.leaves.size(); ++number) {
      of.machine->set_parameter(static_cast<int32_t>(number), load(of.leaves[number], box));
    }
    const Status status = of.machine->run(nullptr, box.num_rows * box.length, nullptr, nullptr);
    return status == Status::ok ? merger_.merge(box, *of.machine) : status;
  }

  const GroupedRows& kernel_;
  const KernelCall& call_;
  RowMemory memory_;
  RowMerger merger_;
  size_t along_ = kNoLabel;  // the label of rows that blocks run along
  int64_t num_along_ = 1;
  int64_t only_ = 0;  // for a program without labels of rows
  int64_t num_inner_ = 1;
  int64_t inner_step_ = 1;
};

OrRefusal<std::shared_ptr<const GroupedRows>> GroupedRows::compile(
    const expr::TileStatement& statement, GroupedProgram program, Isa isa) {
  const expr::Reduce* reduce = expr::reduction_of(statement);
  if (std::any_of(reduce->monoid.state.begin(), reduce->monoid.state.end(), is_half)) {
    return Refusal{"it carries no state of 16 bits"};
  }
  OrRefusal<BlockReduction> reduction = BlockReduction::compile(reduce->monoid, isa);
  if (!reduction) {
    return reduction.refusal();
  }
  const std::shared_ptr<GroupedRows> made(
      new GroupedRows(statement, std::move(program), std::move(*reduction), isa));
  for (size_t number = 0; number <= made->program_.stages.size(); ++number) {
    const bool is_stage = number < made->program_.stages.size();
    OrRefusal<BlockProgram> compiled = BlockProgram::compile(
        is_stage ? made->program_.stages[number].bodies : made->program_.values.bodies, isa);
    if (!compiled) {
      return compiled.refusal();
    }
    made->programs_.push_back(std::move(*compiled));
  }
  for (const LeafExpressions& stage : made->program_.stages) {
    made->is_stored_.push_back(is_stored_number(stage));
  }
  made->stored_ = stored_values_of(made->program_, made->reduction_.monoid(), isa);
  return std::shared_ptr<const GroupedRows>(made);
}

int64_t GroupedRows::workspace_bytes() const {
  return RowMemory(program_, programs_, reduction_, isa_, nullptr).bytes;
}

Status GroupedRows::run(const KernelCall& call) const noexcept {
  return Run(*this, call).run();
}

}  // namespace tessera::kernels
