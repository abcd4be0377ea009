#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "kernels/cpu/whole/whole_form.h"
#include "kernels/opened/openblas.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// whole: functions of whole arrays, one array after the other. A routine's arrays are dense:
/// another operand is copied first, and another result is copied into its place.
namespace tessera::kernels::kernel_whole {

namespace {

using expr::LabelNumber;

constexpr size_t kMostArguments = 3;
constexpr size_t kMostCoreLabels = 2;

/// One operand of a call: the array at the first position of the outer labels, and the distance
/// between positions.
struct OperandWalk {
  TileView array;
  std::array<int64_t, kMostModes> steps{};  // by outer label, in elements
  std::byte* copy = nullptr;                // room for one array
  bool is_dense = true;
};

class PreparedWhole : public PreparedKernel {
 public:
  explicit PreparedWhole(WholeForm form) : form_(std::move(form)) {}

  Status run(const KernelCall& call) const noexcept override;

 private:
  OperandWalk walk_of(const WholeOperand& operand, const TileView& view, const KernelCall& call,
                      Carver& carver) const noexcept;
  std::span<OperandWalk> walks_of(const KernelCall& call, Carver& carver,
                                  std::span<OperandWalk> room) const noexcept;
  Status run_at(std::span<OperandWalk> walks, std::span<const int64_t> extents, int64_t columns,
                std::byte* workspace) const noexcept;
  bool advance(std::span<OperandWalk> walks, std::array<int64_t, kMostModes>& at,
               const KernelCall& call) const noexcept;
  void note_place(const std::array<int64_t, kMostModes>& at, const KernelCall& call) const noexcept;

  WholeForm form_;
};

/// Returns the distance of elements at neighbouring positions of a label.
int64_t step_of(const WholeOperand& operand, const TileView& view, LabelNumber label) noexcept {
  int64_t step = 0;
  for (size_t mode = 0; mode < operand.index.size(); ++mode) {
    step += expr::coefficient_of(operand.index[mode], label) * view.strides[mode];
  }
  return step;
}

int64_t first_element(const WholeOperand& operand, const TileView& view,
                      std::span<const LabelRange> ranges) noexcept {
  int64_t first = 0;
  for (size_t mode = 0; mode < operand.index.size(); ++mode) {
    int64_t position = expr::offset_of(operand.index[mode]) - view.origin[mode];
    expr::for_each_term(operand.index[mode], [&](LabelNumber label, int64_t coefficient) {
      position += coefficient * ranges[static_cast<size_t>(label)].begin;
    });
    first += position * view.strides[mode];
  }
  return first;
}

OperandWalk PreparedWhole::walk_of(const WholeOperand& operand, const TileView& view,
                                   const KernelCall& call, Carver& carver) const noexcept {
  OperandWalk walk;
  walk.array.data = view.data + first_element(operand, view, call.ranges) * size_of(operand.dtype);
  walk.array.dtype = operand.dtype;
  walk.array.shape = ModeValues(operand.inner.size(), 1);
  walk.array.strides = walk.array.origin = ModeValues(operand.inner.size(), 0);
  int64_t elements = 1;
  for (size_t mode = 0; mode < operand.inner.size(); ++mode) {
    const LabelNumber label = operand.inner[mode];
    walk.array.shape[mode] = call.ranges[static_cast<size_t>(label)].length;
    walk.array.strides[mode] = step_of(operand, view, label);
    elements *= walk.array.shape[mode];
  }
  for (size_t outer = 0; outer < form_.outer.size(); ++outer) {
    walk.steps[outer] = step_of(operand, view, form_.outer[outer]);
  }
  walk.copy = carver.take<std::byte>(static_cast<size_t>(elements * size_of(operand.dtype))).data();
  walk.is_dense = is_dense(walk.array);
  return walk;
}

TileView copy_view(const OperandWalk& walk) noexcept {
  TileView copy = walk.array;
  copy.data = walk.copy;
  int64_t stride = 1;
  for (size_t mode = copy.shape.size(); mode-- > 0;) {
    copy.strides[mode] = stride;
    stride *= copy.shape[mode];
  }
  return copy;
}

/// Runs one call of the routine; the last walk is that of the result.
Status PreparedWhole::run_at(std::span<OperandWalk> walks, std::span<const int64_t> extents,
                             int64_t columns, std::byte* workspace) const noexcept {
  std::array<const std::byte*, kMostArguments> arguments{};
  const size_t num_arguments = walks.size() - 1;
  for (size_t number = 0; number < num_arguments; ++number) {
    const OperandWalk& walk = walks[number];
    if (!walk.is_dense) {
      copy_elements(walk.array, copy_view(walk));
    }
    arguments[number] = walk.is_dense ? walk.array.data : walk.copy;
  }
  const OperandWalk& result = walks.back();
  const Status status =
      form_.routine.run(form_.dtype(), {std::span(arguments).first(num_arguments),
                                        result.is_dense ? result.array.data : result.copy, extents,
                                        columns, workspace});
  if (status == Status::ok && !result.is_dense) {
    copy_elements(copy_view(result), result.array);
  }
  return status;
}

/// Goes to the next position of the outer labels, the last of which runs fastest.
bool PreparedWhole::advance(std::span<OperandWalk> walks, std::array<int64_t, kMostModes>& at,
                            const KernelCall& call) const noexcept {
  for (size_t outer = form_.outer.size(); outer-- > 0;) {
    const int64_t length = call.ranges[static_cast<size_t>(form_.outer[outer])].length;
    const bool is_inside = ++at[outer] < length;
    for (OperandWalk& walk : walks) {
      const int64_t elements = is_inside ? walk.steps[outer] : -walk.steps[outer] * (length - 1);
      walk.array.data += elements * size_of(walk.array.dtype);
    }
    if (is_inside) {
      return true;
    }
    at[outer] = 0;
  }
  return false;
}

/// Notes the faulty array.
void PreparedWhole::note_place(const std::array<int64_t, kMostModes>& at,
                               const KernelCall& call) const noexcept {
  if (call.fault == nullptr || call.fault->labels.size() != call.ranges.size()) {
    return;
  }
  for (size_t outer = 0; outer < form_.outer.size(); ++outer) {
    const auto label = static_cast<size_t>(form_.outer[outer]);
    call.fault->labels[label] = call.ranges[label].begin + at[outer];
  }
  call.fault->names_array = true;
}

/// Returns the walks of the arguments, then that of the result.
std::span<OperandWalk> PreparedWhole::walks_of(const KernelCall& call, Carver& carver,
                                               std::span<OperandWalk> room) const noexcept {
  const size_t num_arguments = form_.arguments.size();
  for (size_t number = 0; number < num_arguments; ++number) {
    const WholeOperand& argument = form_.arguments[number];
    room[number] = walk_of(argument, call.inputs[argument.operand], call, carver);
  }
  room[num_arguments] = walk_of(form_.result, call.outputs[0], call, carver);
  return room.first(num_arguments + 1);
}

Status PreparedWhole::run(const KernelCall& call) const noexcept {
  if (form_.num_arrays(call.ranges) == 0) {
    return Status::ok;
  }
  std::array<OperandWalk, kMostArguments + 1> room;
  Carver carver(call.workspace);
  const std::span<OperandWalk> walks = walks_of(call, carver, room);
  std::array<int64_t, kMostCoreLabels> lengths{};
  for (size_t core = 0; core < form_.core.size(); ++core) {
    lengths[core] = call.ranges[static_cast<size_t>(form_.core[core])].length;
  }
  const std::span<const int64_t> extents = std::span(lengths).first(form_.core.size());
  const int64_t columns = num_positions(form_.columns, call.ranges);
  std::byte* const workspace =
      call.workspace == nullptr ? nullptr : call.workspace + carver.bytes();
  std::array<int64_t, kMostModes> at{};
  do {
    const Status status = run_at(walks, extents, columns, workspace);
    if (status != Status::ok) {
      note_place(at, call);
      return status;
    }
  } while (advance(walks, at, call));
  return Status::ok;
}

/// Returns the workspace of a call: an array of every operand, then the routine's own.
int64_t workspace_of(const WholeForm& form, const RoutineSize& size,
                     std::span<const LabelRange> ranges) {
  Carver carver(nullptr);
  for (const WholeOperand& argument : form.arguments) {
    carver.take<std::byte>(
        static_cast<size_t>(argument.array_elements(ranges) * size_of(argument.dtype)));
  }
  carver.take<std::byte>(
      static_cast<size_t>(form.result.array_elements(ranges) * size_of(form.result.dtype)));
  return carver.bytes() + form.routine.workspace_bytes(size);
}

Cost cost_of(const WholeForm& form, const RoutineSize& size, std::span<const LabelRange> ranges,
             const KernelRates& rates) {
  const auto arrays = static_cast<double>(form.num_arrays(ranges));
  Cost cost;
  for (const WholeOperand& argument : form.arguments) {
    cost.bytes +=
        arrays * static_cast<double>(argument.array_elements(ranges) * size_of(argument.dtype));
  }
  const double seconds = form.routine.seconds(size, rates);
  cost.flops = arrays * seconds * rates.gemm_flops_per_second_f64;
  cost.seconds = rates.call_seconds + arrays * seconds + cost.bytes / rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const RoutineRegistry& routines, const Context& context) {
  OrRefusal<WholeForm> form = whole_form_of(program, shape, routines, context.functions);
  if (!form) {
    return form.refusal();
  }
  if (form->outer.size() > kMostModes) {
    return Refusal{"it has more labels than a tile has modes"};
  }
  std::vector<int64_t> extents;
  for (const LabelNumber label : form->core) {
    extents.push_back(shape.ranges[static_cast<size_t>(label)].length);
  }
  const RoutineSize size{extents, num_positions(form->columns, shape.ranges), form->dtype()};
  return KernelPlan{cost_of(*form, size, shape.ranges, context.machine.rates),
                    workspace_of(*form, size, shape.ranges),
                    [form = std::move(*form), threads = context.machine.threads] {
                      open_openblas(threads);
                      return std::make_shared<const PreparedWhole>(form);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  const auto routines = std::make_shared<RoutineRegistry>();
  register_all_routines(*routines);
  registry.add(
      {"whole",
       {.whole = true},
       [routines](const expr::TileProgram& program, const CallShape& shape,
                  const Context& context) { return read(program, shape, *routines, context); }});
}

}  // namespace tessera::kernels::kernel_whole
