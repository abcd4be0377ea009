#include <algorithm>
#include <memory>
#include <utility>

#include "kernels/context.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/cpu/windows/window_steps.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// windows: aggregates over windows of one operand (pooling, moving sums), in blocks that stay in
/// the cache: lifted if the aggregate computes something of an element, then merged step by step
/// (window_plan.h).
namespace tessera::kernels::kernel_windows {

namespace {

constexpr int64_t kCopies = 512;  // of a constant, merged at a time

class Windows : public PreparedKernel {
 public:
  Windows(WindowAggregate windows, WindowPlan plan)
      : windows_(std::move(windows)), plan_(std::move(plan)) {
    for (const WindowAggregate::State& state : windows_.states) {
      state_bytes_.push_back(state.constant ? 0
                                            : bytes_held(windows_, plan_, state.type, plan_.block));
    }
  }

  int64_t workspace_bytes() const {
    int64_t bytes = lift_bytes() + kCopies * 16;
    for (const int64_t of_state : state_bytes_) {
      bytes += of_state;
    }
    return bytes;
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  int64_t lift_bytes() const {
    return windows_.lift == nullptr ? 0 : aligned_bytes(windows_.lift->workspace_bytes());
  }

  WindowAggregate windows_;
  WindowPlan plan_;
  std::vector<int64_t> state_bytes_;  // of the arrays of each state
};

/// One call, block by block.
struct Windows::Run {
  const Windows& kernel;
  const KernelCall& call;
  PerMode first{};   // place of the block
  PerMode places{};  // in it

  const WindowAggregate& windows() const { return kernel.windows_; }
  const WindowPlan& plan() const { return kernel.plan_; }
  size_t num_modes() const { return windows().modes.size(); }

  bool next_block() noexcept;
  void size_block() noexcept;
  int64_t position(size_t mode) const noexcept;
  std::byte* memory_of(size_t state) const noexcept;
  WindowData operand() const noexcept;
  WindowData result_of(size_t state) const noexcept;
  WindowData array_of(size_t state, size_t array) const noexcept;
  Status lift() const noexcept;
  void merge(size_t state) const noexcept;
  void copy(const WindowData& from, const WindowData& to, int64_t size) const noexcept;
  void merge_constant(size_t state) const noexcept;
};

void Windows::Run::size_block() noexcept {
  places.fill(1);
  for (size_t mode = 0; mode < num_modes(); ++mode) {
    places[mode] = std::min(plan().block[mode], windows().modes[mode].length - first[mode]);
  }
}

bool Windows::Run::next_block() noexcept {
  for (size_t mode = num_modes(); mode-- > 0;) {
    first[mode] += plan().block[mode];
    if (first[mode] < windows().modes[mode].length) {
      size_block();
      return true;
    }
    first[mode] = 0;
  }
  return false;
}

/// Returns the position in the tensor of the first element that the block reads.
int64_t Windows::Run::position(size_t mode) const noexcept {
  const WindowMode& along = windows().modes[mode];
  int64_t position = expr::offset_of(windows().access.index[mode]);
  if (along.place) {
    position += along.step * (call.ranges[static_cast<size_t>(*along.place)].begin + first[mode]);
  }
  for (const WindowTap& tap : along.taps) {
    const int64_t begin = call.ranges[static_cast<size_t>(tap.label)].begin;
    position += tap.backward ? -tap.step * (begin + tap.length - 1) : tap.step * begin;
  }
  return position;
}

std::byte* Windows::Run::memory_of(size_t state) const noexcept {
  std::byte* memory = call.workspace + kernel.lift_bytes() + kCopies * 16;
  for (size_t before = 0; before < state; ++before) {
    memory += kernel.state_bytes_[before];
  }
  return memory;
}

WindowData Windows::Run::operand() const noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(windows().access.operand)];
  WindowData operand{view.data, plan().extents(0, places), {}};
  for (size_t mode = 0; mode < num_modes(); ++mode) {
    operand.strides[mode] = view.strides[mode];
    operand.data += (position(mode) - view.origin[mode]) * view.strides[mode] * size_of(view.dtype);
  }
  return operand;
}

WindowData Windows::Run::result_of(size_t state) const noexcept {
  const TileView& view = call.outputs[state];
  WindowData result{view.data, plan().extents(plan().arrays.size() - 1, places), {}};
  for (size_t label = 0; label < windows().mode_of_out.size(); ++label) {
    const size_t mode = windows().mode_of_out[label];
    result.strides[mode] = view.strides[label];
    result.data += first[mode] * view.strides[label] * size_of(view.dtype);
  }
  return result;
}

WindowData Windows::Run::array_of(size_t state, size_t array) const noexcept {
  const size_t first_held = plan().first_held(windows());
  if (array < first_held) {
    return operand();
  }
  if (array >= plan().last_held(windows())) {
    return result_of(state);
  }
  std::byte* memory = memory_of(state);
  const int64_t size = size_of(windows().states[state].type);
  for (size_t before = first_held; before < array; ++before) {
    memory += aligned_bytes(plan().num_elements(before, places) * size);
  }
  return dense_array(memory, plan().extents(array, places));
}

/// Lifts all elements that the block reads into states.
Status Windows::Run::lift() const noexcept {
  std::array<LabelRange, kMostWindowModes> ranges;
  ModeValues extents(num_modes(), 0);
  ModeValues origin(num_modes(), 0);
  ModeValues strides(num_modes(), 1);
  const WindowData whole = dense_array(nullptr, plan().extents(0, places));
  for (size_t mode = 0; mode < num_modes(); ++mode) {
    ranges[mode] = {position(mode), whole.extents[mode]};
    origin[mode] = ranges[mode].begin;
    extents[mode] = whole.extents[mode];
    strides[mode] = whole.strides[mode];
  }
  std::array<TileView, kMostWindowStates> lifted;
  size_t num_lifted = 0;
  for (size_t state = 0; state < windows().states.size(); ++state) {
    if (!windows().states[state].constant) {
      lifted[num_lifted++] = {memory_of(state), windows().states[state].type, extents, strides,
                              origin};
    }
  }
  KernelCall lifting;
  lifting.inputs = call.inputs.subspan(static_cast<size_t>(windows().access.operand), 1);
  lifting.outputs = std::span(lifted).first(num_lifted);
  lifting.ranges = std::span(ranges).first(num_modes());
  lifting.workspace = call.workspace;
  return windows().lift->run(lifting);
}

void Windows::Run::copy(const WindowData& from, const WindowData& to, int64_t size) const noexcept {
  StridedBox box;
  for (size_t mode = num_modes(); mode-- > 0;) {
    if (from.extents[mode] > 1) {
      box.add(from.extents[mode], from.strides[mode] * size, to.strides[mode] * size);
    }
  }
  copy_box(from.data, to.data, size, box);
}

void Windows::Run::merge(size_t state) const noexcept {
  const size_t result = plan().arrays.size() - 1;
  const WindowData last = array_of(state, result);
  const WindowData out = result_of(state);
  const int64_t size = size_of(windows().states[state].type);
  if (!windows().is_in_order() && call.accumulate) {
    copy(out, last, size);
  }
  for (const WindowStep& step : plan().steps) {
    run_step(step, num_modes(), windows().states[state], array_of(state, step.from),
             step.to == result ? last : array_of(state, step.to),
             step.to == result && call.accumulate);
  }
  if (!windows().is_in_order()) {
    copy(last, out, size);
  }
}

/// Merges a state that is the same for every window.
void Windows::Run::merge_constant(size_t number) const noexcept {
  const WindowAggregate::State& state = windows().states[number];
  const int64_t size = size_of(state.type);
  std::byte* const copies = call.workspace + kernel.lift_bytes();
  for (int64_t copy = 0; copy < kCopies; ++copy) {
    std::copy_n(state.constant->begin(), size, copies + copy * size);
  }
  const int64_t results = num_elements(call.outputs[number].shape);
  for (int64_t done = 0; done < results; done += kCopies) {
    const WindowLine line{.count = std::min(kCopies, results - done), .continues = call.accumulate};
    state.merge(copies, line, call.outputs[number].data + done * size);
  }
}

Status Windows::run(const KernelCall& call) const noexcept {
  Run run{*this, call};
  for (size_t state = 0; state < windows_.states.size(); ++state) {
    if (windows_.states[state].constant) {
      run.merge_constant(state);
    }
  }
  run.size_block();
  do {
    const Status status = windows_.lift == nullptr ? Status::ok : run.lift();
    if (status != Status::ok) {
      return status;
    }
    for (size_t state = 0; state < windows_.states.size(); ++state) {
      if (!windows_.states[state].constant) {
        run.merge(state);
      }
    }
  } while (run.next_block());
  return Status::ok;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<WindowAggregate> windows = read_as_windows(program, shape, context.machine.isa);
  if (!windows) {
    return windows.refusal();
  }
  WindowPlan plan = plan_windows(*windows, program.statements[0], shape, context);
  const Cost cost = plan.cost;
  const auto kernel = std::make_shared<const Windows>(*windows, std::move(plan));
  return KernelPlan{cost, kernel->workspace_bytes(),
                    [kernel] { return std::shared_ptr<const PreparedKernel>(kernel); }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"windows", {}, &read});
}

}  // namespace tessera::kernels::kernel_windows
