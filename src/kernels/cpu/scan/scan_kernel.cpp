#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/scan/scan_plan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// scan: running sums, products, maxima, minima and recurrences along a label, lines side by side,
/// with what is computed before and after them; and what lines merge to by a recurrence.
///
/// Every line is merged one element after the other, from what comes before it.
namespace tessera::kernels {

namespace {

using expr::LabelNumber;

class ScanKernel : public PreparedKernel {
 public:
  explicit ScanKernel(ScanPlan plan) : plan_(std::move(plan)) {
    for (const std::optional<ScanPlan::Part>& part : plan_.parts) {
      kernels_.push_back(part ? part->kernel.prepare() : nullptr);
      shorter_.push_back(part && part->shorter ? part->shorter->prepare() : nullptr);
    }
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  ScanPlan plan_;
  std::vector<std::shared_ptr<const PreparedKernel>> kernels_;  // by statement
  std::vector<std::shared_ptr<const PreparedKernel>> shorter_;  // for the last band
};

/// The steps of a view along the labels of a program, in elements, and its first element.
struct Walk {
  std::array<int64_t, kMaxLabels> steps{};
  std::byte* first = nullptr;
};

/// The lines that one loop goes through, of all that a band reads and makes.
struct LineLoop {
  std::array<Walk, kMostScanned + 1> walks;  // the elements by entry, then the results if there are
  std::array<int64_t, kMostScanned + 1> strides{1, 1, 1};  // from line to line
  size_t num_walks = 0;
  int64_t num_lines = 1;
  size_t along = 0;  // places in the order of labels
  size_t first = 0;  // from here on, positions are lines
};

/// One call: its bands one after the other. All lies in here, as run() allocates nothing.
struct ScanKernel::Run {
  const ScanKernel& kernel;
  const KernelCall& call;
  std::array<LabelRange, kMaxLabels> band;

  const ScanPlan& plan() const { return kernel.plan_; }
  int64_t length_of(LabelNumber label) const { return band[static_cast<size_t>(label)].length; }

  Status all() noexcept;
  void set_band(int64_t number) noexcept;
  int64_t num_bands() const noexcept;
  Status run_band() noexcept;
  Status run_part(size_t number) const noexcept;

  TileView dense(std::byte* data, DType dtype, const std::vector<LabelNumber>& labels,
                 bool has_along) const noexcept;
  TileView result_of(const ScanPlan::Result& result) const noexcept;
  TileView view_of(size_t operand) const noexcept;
  Walk walk_of(const expr::Access& access) const noexcept;

  TileView state_of(size_t entry) const noexcept;
  void begin_states() const noexcept;
  void end_states() const noexcept;

  LineLoop line_loop() const noexcept;
  static bool lies_on(const LineLoop& loop, LabelNumber label) noexcept;
  ScanBlock block_of(const LineLoop& loop) const noexcept;
  void run_scan() const noexcept;
  bool advance(const LineLoop& loop, std::array<int64_t, kMaxLabels>& at) const noexcept;
};

int64_t ScanKernel::Run::num_bands() const noexcept {
  const int64_t length = call.ranges[static_cast<size_t>(plan().band_label)].length;
  return (length + plan().band_length - 1) / plan().band_length;
}

void ScanKernel::Run::set_band(int64_t number) noexcept {
  const auto label = static_cast<size_t>(plan().band_label);
  const LabelRange& whole = call.ranges[label];
  const int64_t begin = number * plan().band_length;
  band[label] = {whole.begin + begin, std::min(plan().band_length, whole.length - begin)};
}

/// A dense array over the band of some labels, with the scan's or without it.
TileView ScanKernel::Run::dense(std::byte* data, DType dtype,
                                const std::vector<LabelNumber>& labels,
                                bool has_along) const noexcept {
  const auto counts = [&](LabelNumber label) { return has_along || label != plan().form.along(); };
  const auto num_modes = static_cast<size_t>(std::count_if(labels.begin(), labels.end(), counts));
  TileView view;
  view.data = data;
  view.dtype = dtype;
  view.shape = view.strides = view.origin = ModeValues(num_modes, 0);
  int64_t stride = 1;
  size_t mode = num_modes;
  for (size_t at = labels.size(); at-- > 0;) {
    if (counts(labels[at])) {
      const LabelRange& range = band[static_cast<size_t>(labels[at])];
      --mode;
      view.shape[mode] = range.length;
      view.origin[mode] = range.begin;
      view.strides[mode] = stride;
      stride *= range.length;
    }
  }
  return view;
}

/// The band of what a statement makes: dense in the workspace, in an output as that lies.
TileView ScanKernel::Run::result_of(const ScanPlan::Result& result) const noexcept {
  const std::vector<LabelNumber>& out = plan().form.program.statements[result.statement].out;
  TileView view = dense(call.workspace + result.offset, result.dtype, out, true);
  if (result.output >= 0) {
    const TileView& output = call.outputs[static_cast<size_t>(result.output)];
    int64_t offset = 0;
    for (size_t mode = 0; mode < out.size(); ++mode) {
      const auto label = static_cast<size_t>(out[mode]);
      view.strides[mode] = output.strides[mode];
      offset += (band[label].begin - call.ranges[label].begin) * output.strides[mode];
    }
    view.data = output.data + offset * size_of(view.dtype);
  }
  return view;
}

TileView ScanKernel::Run::view_of(size_t operand) const noexcept {
  const auto num_inputs = static_cast<size_t>(plan().form.program.num_inputs);
  return operand < num_inputs ? call.inputs[operand]
                              : result_of(plan().results[operand - num_inputs]);
}

/// How the band walks an operand that is read at labels and fixed places.
Walk ScanKernel::Run::walk_of(const expr::Access& access) const noexcept {
  const TileView view = view_of(static_cast<size_t>(access.operand));
  Walk walk;
  int64_t offset = 0;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    int64_t position = expr::offset_of(access.index[mode]);
    if (const std::optional<LabelNumber> label = expr::plain_label(access.index[mode])) {
      walk.steps[static_cast<size_t>(*label)] += view.strides[mode];
      position += band[static_cast<size_t>(*label)].begin;
    }
    offset += (position - view.origin[mode]) * view.strides[mode];
  }
  walk.first = view.data + offset * size_of(view.dtype);
  return walk;
}

Status ScanKernel::Run::run_part(size_t number) const noexcept {
  const StatementPart& part = plan().parts[number]->statement;
  const auto num_results = static_cast<size_t>(part.num_results());
  std::array<TileView, kMaxStreams> views;
  for (size_t input = 0; input < part.operands.size(); ++input) {
    views[input] = view_of(static_cast<size_t>(part.operands[input]));
  }
  for (size_t result = 0; result < num_results; ++result) {
    views[part.operands.size() + result] = view_of(static_cast<size_t>(part.first_result) + result);
  }
  std::array<LabelRange, kMaxLabels> ranges;
  for (size_t label = 0; label < part.labels.size(); ++label) {
    ranges[label] = band[static_cast<size_t>(part.labels[label])];
  }
  const bool is_shorter = length_of(plan().band_label) < plan().band_length;
  const PreparedKernel& prepared = is_shorter ? *kernel.shorter_[number] : *kernel.kernels_[number];
  const std::span<const TileView> all(views);
  return prepared.run({all.first(part.operands.size()),
                       all.subspan(part.operands.size(), num_results),
                       std::span<const LabelRange>(ranges).first(part.labels.size()), false,
                       call.workspace + plan().parts_offset});
}

// ---- The states: of every line of the band one, in the order of the labels without the scan's.

TileView ScanKernel::Run::state_of(size_t entry) const noexcept {
  return dense(call.workspace + plan().state_offset[entry], plan().loop.type,
               plan().form.scan().out, false);
}

void ScanKernel::Run::begin_states() const noexcept {
  const std::vector<LabelNumber>& out = plan().form.scan().out;
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    const TileView state = state_of(entry);
    if (plan().form.start.empty()) {
      int64_t lines = 1;
      for (const LabelNumber label : plan().order) {
        lines *= label == plan().form.along() ? 1 : length_of(label);
      }
      fill_literal(plan().form.monoid().identity[entry], plan().loop.type, state.data, lines);
      continue;
    }
    TileView before = call.inputs[static_cast<size_t>(plan().form.start[entry])];
    size_t mode = 0;
    for (const LabelNumber label : out) {
      if (label != plan().form.along()) {
        const int64_t begin = band[static_cast<size_t>(label)].begin;
        before.data += (begin - before.origin[mode]) * before.strides[mode] * size_of(before.dtype);
        before.origin[mode] = begin;
        before.shape[mode] = length_of(label);
        ++mode;
      }
    }
    copy_elements(before, state);
  }
}

/// What lines merge to is the result where their label is merged away.
void ScanKernel::Run::end_states() const noexcept {
  for (size_t entry = 0; plan().merges() && entry < plan().num_states(); ++entry) {
    copy_elements(state_of(entry), call.outputs[entry]);
  }
}

/// Lines that lie side by side in all that is read and made, so many as there are behind the label,
/// in one loop.
LineLoop ScanKernel::Run::line_loop() const noexcept {
  const std::vector<LabelNumber>& order = plan().order;
  LineLoop loop;
  loop.num_walks = plan().num_states();
  for (size_t entry = 0; entry < loop.num_walks; ++entry) {
    loop.walks[entry] = walk_of(plan().form.elements[entry]);
  }
  if (!plan().merges()) {
    const TileView view = result_of(plan().results[plan().form.scan_at * plan().num_states()]);
    Walk& results = loop.walks[loop.num_walks++];
    results.first = view.data;
    for (size_t mode = 0; mode < order.size(); ++mode) {
      results.steps[static_cast<size_t>(order[mode])] = view.strides[mode];
    }
  }
  loop.along = static_cast<size_t>(std::find(order.begin(), order.end(), plan().form.along()) -
                                   order.begin());
  loop.first = order.size();
  while (loop.first > loop.along + 1 && lies_on(loop, order[loop.first - 1])) {
    --loop.first;
    const auto label = static_cast<size_t>(order[loop.first]);
    for (size_t walk = 0; walk < loop.num_walks && loop.num_lines == 1; ++walk) {
      loop.strides[walk] = loop.walks[walk].steps[label];
    }
    loop.num_lines *= band[label].length;
  }
  return loop;
}

/// Whether the positions of a label go on where the lines of a loop end.
bool ScanKernel::Run::lies_on(const LineLoop& loop, LabelNumber label) noexcept {
  for (size_t walk = 0; walk < loop.num_walks && loop.num_lines > 1; ++walk) {
    if (loop.walks[walk].steps[static_cast<size_t>(label)] != loop.strides[walk] * loop.num_lines) {
      return false;
    }
  }
  return true;
}

/// What does not change from loop to loop.
ScanBlock ScanKernel::Run::block_of(const LineLoop& loop) const noexcept {
  const LabelNumber along = plan().form.along();
  const int64_t turn = plan().is_backward() ? -1 : 1;
  ScanBlock block;
  block.num_lines = loop.num_lines;
  block.num_steps = length_of(along);
  block.is_exclusive = plan().is_exclusive();
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    block.step[entry] = turn * loop.walks[entry].steps[static_cast<size_t>(along)];
    block.stride[entry] = loop.strides[entry];
    block.state[entry] = call.workspace + plan().state_offset[entry];
  }
  if (!plan().merges()) {
    block.result_step = turn * loop.walks[plan().num_states()].steps[static_cast<size_t>(along)];
  }
  return block;
}

void ScanKernel::Run::run_scan() const noexcept {
  const LineLoop loop = line_loop();
  ScanBlock block = block_of(loop);
  const int64_t bytes = size_of(plan().loop.type);
  std::array<int64_t, kMaxLabels> at{};  // by place in the order: where the lines of a loop are
  at[loop.along] = plan().is_backward() ? block.num_steps - 1 : 0;
  const auto place = [&](const Walk& walk) {
    int64_t offset = 0;
    for (size_t outer = 0; outer < loop.first; ++outer) {
      offset += at[outer] * walk.steps[static_cast<size_t>(plan().order[outer])];
    }
    return walk.first + offset * bytes;
  };
  do {
    for (size_t entry = 0; entry < plan().num_states(); ++entry) {
      block.elements[entry] = place(loop.walks[entry]);
    }
    block.results = plan().merges() ? nullptr : place(loop.walks[plan().num_states()]);
    plan().loop.run(block);
    for (size_t entry = 0; entry < plan().num_states(); ++entry) {
      block.state[entry] = static_cast<std::byte*>(block.state[entry]) + block.num_lines * bytes;
    }
  } while (advance(loop, at));
}

/// The next lines; false after the last.
bool ScanKernel::Run::advance(const LineLoop& loop,
                              std::array<int64_t, kMaxLabels>& at) const noexcept {
  for (size_t outer = loop.first; outer-- > 0;) {
    if (outer != loop.along) {
      if (++at[outer] < length_of(plan().order[outer])) {
        return true;
      }
      at[outer] = 0;
    }
  }
  return false;
}

Status ScanKernel::Run::run_band() noexcept {
  if (!plan().carries()) {
    begin_states();
  }
  for (size_t number = 0; number < plan().num_statements(); ++number) {
    if (number == plan().form.scan_at) {
      run_scan();
    } else if (const Status status = run_part(number); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status ScanKernel::Run::all() noexcept {
  std::copy(call.ranges.begin(), call.ranges.end(), band.begin());
  const bool is_empty = std::any_of(plan().order.begin(), plan().order.end(),
                                    [&](LabelNumber label) { return length_of(label) == 0; });
  if (plan().carries() || is_empty) {
    begin_states();
  }
  const int64_t bands = is_empty ? 0 : num_bands();
  for (int64_t number = 0; number < bands; ++number) {
    set_band(plan().carries() && plan().is_backward() ? bands - 1 - number : number);
    if (const Status status = run_band(); status != Status::ok) {
      return status;
    }
  }
  end_states();
  return Status::ok;
}

Status ScanKernel::run(const KernelCall& call) const noexcept {
  return Run{*this, call, {}}.all();
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  OrRefusal<ScanPlan> plan = plan_scan(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  return KernelPlan{plan->cost, plan->workspace_bytes,
                    [plan = std::move(*plan)] { return std::make_shared<const ScanKernel>(plan); }};
}

}  // namespace

void register_kernel_scan(Registry& registry);

void register_kernel_scan(Registry& registry) {
  registry.add({"scan",
                {.several_statements = true,
                 .scans = true,
                 .every_monoid = true,
                 .every_index = true,
                 .other_kernels = true},
                &read});
}

}  // namespace tessera::kernels
