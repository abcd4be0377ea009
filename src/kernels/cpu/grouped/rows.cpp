#include "kernels/cpu/grouped/rows.h"

#include <algorithm>

#include "kernels/cpu/grouped/leaves.h"
#include "kernels/cpu/grouped/row_merger.h"
#include "kernels/cpu/grouped/row_selection.h"

namespace tessera::kernels {

namespace {

constexpr size_t kNoLabel = static_cast<size_t>(-1);

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
        memory_(kernel.program_, kernel.programs_, kernel.reduction_, call.workspace),
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
    // Blocks run along the last label that fills one, as its elements mostly lie side by side, or
    // the longest.
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

  /// From a position of a label of the result to the next, in elements; 0 of a label that it has
  /// not.
  int64_t step_of_result(expr::LabelNumber label) const {
    const auto out = std::find(kernel_.out_.begin(), kernel_.out_.end(), label);
    return out == kernel_.out_.end()
               ? 0
               : call_.outputs[0].strides[static_cast<size_t>(out - kernel_.out_.begin())];
  }

  /// To the next position of the labels beside the one of blocks; false after the last.
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

  /// Computes stages [begin, end), each after those that it needs. Those that are integers of an
  /// operand may be left there.
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
  bool is_stored(size_t stage) const {
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
      const Status status = place(leaf, selected, count, true);
      if (status != Status::ok) {
        return status;
      }
      of.machine->set_parameter(static_cast<int32_t>(number), load(leaf, box));
    }
    const Status status = of.machine->run(nullptr, count, nullptr, nullptr);
    of.value = static_cast<const std::byte*>(of.machine->result(0));
    return status;
  }

  int64_t step_along(const RowLeaf& leaf) const {
    return along_ == kNoLabel ? 0 : leaf.steps[along_];
  }

  const std::byte* load(const RowLeaf& leaf, const RowBox& box) const noexcept {
    return load_rows(leaf, first_of(leaf, memory_.positions), step_along(leaf), box,
                     memory_.staging.data());
  }

  /// Where a leaf is in each of some rows, behind the first of the block. Places that nothing looks
  /// at are left out: of elements that lie one after the other.
  Status place(RowLeaf& leaf, const int64_t* selected, int64_t count, bool may_be_dense) noexcept {
    const int64_t step = step_along(leaf);
    const std::vector<std::optional<size_t>>& stages = leaf.from->stages;
    leaf.is_regular =
        selected == nullptr && std::none_of(stages.begin(), stages.end(),
                                            [](const auto& stage) { return stage.has_value(); });
    if (leaf.is_regular && may_be_dense && leaf.view != nullptr && step == leaf.unit()) {
      return Status::ok;
    }
    int64_t* const places = leaf.places.data();
    for (int64_t row = 0; row < count; ++row) {
      places[row] = (selected == nullptr ? row : selected[row]) * step;
    }
    for (size_t mode = 0; mode < stages.size(); ++mode) {
      if (stages[mode]) {
        const bool is_of_all = *stages[mode] < program().num_stages_of_all;
        const int64_t* const found = is_of_all ? selected : nullptr;
        const Status status = gather(leaf, mode, *stages[mode], found, count);
        if (status != Status::ok) {
          note_outside(leaf, mode, *stages[mode], {found, selected, count});
          return status;
        }
      }
    }
    return Status::ok;
  }

  Status gather(RowLeaf& leaf, size_t mode, size_t stage, const int64_t* selected,
                int64_t count) noexcept {
    const TileView& view = *leaf.view;
    const int64_t origin = view.origin[mode];
    const int64_t extent = origin + view.shape[mode];
    const int64_t stride = view.strides[mode] * size_of(view.dtype);
    const expr::Boundary& outside =
        expr::boundary_of(std::get<expr::Access>(leaf.from->what).index[mode]);
    int64_t* const places = leaf.places.data();
    const bool is_open = !std::holds_alternative<expr::Inside>(outside);
    if (!is_open && selected != nullptr) {
      const auto* found = reinterpret_cast<const int64_t*>(memory_.expressions[stage].value);
      uint64_t furthest = 0;
      for (int64_t row = 0; row < count; ++row) {
        const int64_t place = found[selected[row]] - origin;
        furthest = std::max(furthest, static_cast<uint64_t>(place));
        places[row] += place * stride;
      }
      return furthest < static_cast<uint64_t>(view.shape[mode]) ? Status::ok : Status::out_of_range;
    }
    if (!is_open) {
      PositionTable table = numbers_of(stage);
      table.origin = origin;
      table.extent = view.shape[mode];
      table.stride = stride;
      return add_positions(table, 0, count, places) ? Status::ok : Status::out_of_range;
    }
    for (int64_t row = 0; row < count; ++row) {
      const int64_t position = value_of(stage, selected == nullptr ? row : selected[row]);
      const std::optional<int64_t> inside = expr::bounded(position, extent, outside);
      if (!inside || *inside < origin) {
        return Status::out_of_range;
      }
      places[row] += (*inside - origin) * stride;
    }
    return Status::ok;
  }

  /// The values of a stage of a block, where they are.
  PositionTable numbers_of(size_t stage) const noexcept {
    const RowExpressions& of = memory_.expressions[stage];
    return of.value == nullptr ? of.numbers : PositionTable{of.value, DType::i64, 1};
  }

  int64_t value_of(size_t stage, int64_t row) const noexcept {
    const PositionTable numbers = numbers_of(stage);
    return position_in(numbers.dtype, numbers.first + row * size_of(numbers.dtype));
  }

  /// Rows of a block: by row, where a stage has its value, and which of the block it is.
  struct StagedRows {
    const int64_t* values = nullptr;    // null: in order
    const int64_t* selected = nullptr;  // null: all
    int64_t count = 0;
  };

  /// Says which read it was: the first that left the mode.
  void note_outside(const RowLeaf& leaf, size_t mode, size_t stage,
                    const StagedRows& rows) const noexcept {
    const auto& access = std::get<expr::Access>(leaf.from->what);
    const int64_t origin = leaf.view->origin[mode];
    const int64_t extent = origin + leaf.view->shape[mode];
    for (int64_t row = 0; call_.fault != nullptr && row < rows.count; ++row) {
      const int64_t position = value_of(stage, rows.values == nullptr ? row : rows.values[row]);
      const std::optional<int64_t> inside =
          expr::bounded(position, extent, expr::boundary_of(access.index[mode]));
      if (inside && *inside >= origin) {
        continue;
      }
      for (size_t label = 0; label < call_.ranges.size(); ++label) {
        call_.fault->labels[label] = call_.ranges[label].begin;
      }
      for (size_t label = 0; label < program().rows.size(); ++label) {
        const int64_t in_block = rows.selected == nullptr ? row : rows.selected[row];
        call_.fault->labels[static_cast<size_t>(program().rows[label])] +=
            memory_.positions[label] + (label == along_ ? in_block : 0);
      }
      const expr::Scalar& source = program().stages[stage].source;
      call_.fault->body = &source;
      call_.fault->node = static_cast<int32_t>(source.nodes.size()) - 1;
      call_.fault->operand = access.operand;
      call_.fault->mode = mode;
      call_.fault->position = position;
      call_.fault->extent = extent;
      return;
    }
  }

  Status merge_rows(const int64_t* selected, int64_t count) noexcept {
    const bool in_place = merges_in_place();
    for (RowLeaf& leaf : values().leaves) {
      const bool may_be_dense = num_inner_ == 1 && !in_place;
      const Status status = place(leaf, selected, count, may_be_dense);
      if (status != Status::ok) {
        return status;
      }
    }
    if (in_place) {
      merge_elements(count);
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

  /// Whether rows are merged as they lie in an operand.
  bool merges_in_place() {
    if (!kernel_.stored_) {
      return false;
    }
    const RowLeaf& element = values().leaves[kernel_.stored_->element];
    return num_inner_ == 1 || element.inner_step == element.unit();
  }

  void merge_elements(int64_t count) noexcept {
    const StoredValue& stored = *kernel_.stored_;
    const RowLeaf& element = values().leaves[stored.element];
    const auto address = static_cast<intptr_t>(first_of(element, memory_.positions));
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is counted in bytes from where memory begins
    const auto* const first = reinterpret_cast<const std::byte*>(address);
    MergedRows rows{first,
                    element.places.data(),
                    call_.outputs[0].data,
                    memory_.offsets.data(),
                    count,
                    num_inner_,
                    inner_step_};
    if (stored.factor) {
      rows.factors = load(values().leaves[*stored.factor], {0, count, 0, 1});
    }
    stored.merge(rows);
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
  int64_t only_ = 0;  // where no label of rows is
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
  made->stored_ = stored_value_of(made->program_, made->reduction_.monoid(), isa);
  return std::shared_ptr<const GroupedRows>(made);
}

int64_t GroupedRows::workspace_bytes() const {
  return RowMemory(program_, programs_, reduction_, nullptr).bytes;
}

Status GroupedRows::run(const KernelCall& call) const noexcept {
  return Run(*this, call).run();
}

}  // namespace tessera::kernels
