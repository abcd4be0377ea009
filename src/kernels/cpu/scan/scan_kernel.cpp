#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/scan/line_merger.h"
#include "kernels/cpu/scan/scan_band.h"
#include "kernels/registry.h"

/// scan: the running states of any monoid along a label, lines side by side, with elementwise
/// statements before and after them; and the merges of lines by a monoid that does not commute.
///
/// Running sums, products, maxima, minima and recurrences have loops of their own (scan_lines.cpp),
/// which merge every line one element after the other. All others run in panels (panel_scan.h).
namespace tessera::kernels::kernel_scan {

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

/// One call: its bands one after the other. All state is in here, because run() allocates nothing.
/// The panels are large, and stay uninitialised until they are bound.
struct ScanKernel::Run {
  Run(const ScanKernel& of_kernel, const KernelCall& of_call) noexcept
      : kernel(of_kernel), call(of_call) {}

  const ScanKernel& kernel;
  const KernelCall& call;
  std::array<LabelRange, kMaxLabels> band{};
  PanelScan panels;

  const ScanPlan& plan() const { return kernel.plan_; }
  int64_t length_of(LabelNumber label) const { return band[static_cast<size_t>(label)].length; }

  Status all() noexcept;
  int64_t num_lines() const noexcept;
  void set_band(int64_t number) noexcept;
  int64_t num_bands() const noexcept;
  Status run_band() noexcept;
  Status run_part(size_t number) const noexcept;

  TileView dense(std::byte* data, DType dtype, const std::vector<LabelNumber>& labels,
                 bool has_along) const noexcept;
  TileView result_of(const ScanPlan::Result& result) const noexcept;
  TileView view_of(size_t operand) const noexcept;
  Walk walk_of(const expr::Access& access) const noexcept;
  Walk walk_of_result(const ScanPlan::Result& result) const noexcept;

  TileView state_of(size_t entry) const noexcept;
  StateBuffers states() const noexcept;
  void begin_states() const noexcept;
  void copy_states(int32_t operand, const TileView& into) const noexcept;
  void end_states() const noexcept;

  Status merge_lines() noexcept;
  Status walk_bands() noexcept;
  ScanBand scan_band() const noexcept;
  Status run_scan() noexcept;
};

int64_t ScanKernel::Run::num_bands() const noexcept {
  const int64_t length = call.ranges[static_cast<size_t>(plan().band_label)].length;
  return (length + plan().band_length - 1) / plan().band_length;
}

int64_t ScanKernel::Run::num_lines() const noexcept {
  int64_t lines = 1;
  for (const LabelNumber label : plan().order) {
    lines *= label == plan().form.along() ? 1 : length_of(label);
  }
  return lines;
}

/// Sets the current band. Bands are counted in running order: those of a backward scan from the end
/// of its label.
void ScanKernel::Run::set_band(int64_t number) noexcept {
  const auto label = static_cast<size_t>(plan().band_label);
  const LabelRange& whole = call.ranges[label];
  const int64_t passed = number * plan().band_length;
  const int64_t length = std::min(plan().band_length, whole.length - passed);
  const bool is_turned = plan().carries() && plan().is_backward();
  band[label] = {whole.begin + (is_turned ? whole.length - passed - length : passed), length};
}

/// Returns a dense array over the band of some labels, with the scan's or without it.
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

/// Returns the band of a statement's result: dense in the workspace, or in place in an output.
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

/// Returns the band's walk of an operand that is read at labels and fixed places.
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

Walk ScanKernel::Run::walk_of_result(const ScanPlan::Result& result) const noexcept {
  const TileView view = result_of(result);
  Walk walk;
  walk.first = view.data;
  for (size_t mode = 0; mode < plan().order.size(); ++mode) {
    walk.steps[static_cast<size_t>(plan().order[mode])] = view.strides[mode];
  }
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

// ---- The states: one for every line of the band, in the order of the labels without the scan's.

TileView ScanKernel::Run::state_of(size_t entry) const noexcept {
  return dense(call.workspace + plan().state_offset[entry], plan().form.monoid().state[entry],
               plan().form.scan().out, false);
}

StateBuffers ScanKernel::Run::states() const noexcept {
  StateBuffers states{};
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    states[entry] = call.workspace + plan().state_offset[entry];
  }
  return states;
}

void ScanKernel::Run::begin_states() const noexcept {
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    const TileView state = state_of(entry);
    if (plan().form.start.empty()) {
      fill_literal(plan().form.monoid().identity[entry], state.dtype, state.data, num_lines());
      continue;
    }
    copy_states(plan().form.start[entry], state);
  }
}

/// Copies the lines of the band out of an operand that has one state for each.
void ScanKernel::Run::copy_states(int32_t operand, const TileView& into) const noexcept {
  TileView states = call.inputs[static_cast<size_t>(operand)];
  size_t mode = 0;
  for (const LabelNumber label : plan().form.scan().out) {
    if (label != plan().form.along()) {
      const int64_t begin = band[static_cast<size_t>(label)].begin;
      states.data += (begin - states.origin[mode]) * states.strides[mode] * size_of(states.dtype);
      states.origin[mode] = begin;
      states.shape[mode] = length_of(label);
      ++mode;
    }
  }
  copy_elements(states, into);
}

/// Ends the band: the lines' merges are the result if their label is merged away.
void ScanKernel::Run::end_states() const noexcept {
  for (size_t entry = 0; plan().merges() && entry < plan().num_states(); ++entry) {
    copy_elements(state_of(entry), call.outputs[entry]);
  }
}

ScanBand ScanKernel::Run::scan_band() const noexcept {
  ScanBand scanned{plan(), band};
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    if (const auto* element = std::get_if<expr::Access>(&plan().form.elements[entry])) {
      scanned.elements[entry] = walk_of(*element);
    }
    if (plan().form.is_stored[entry]) {
      scanned.results[entry] = walk_of_result(plan().results[plan().first_state() + entry]);
    }
  }
  scanned.states = states();
  return scanned;
}

Status ScanKernel::Run::run_scan() noexcept {
  const ScanBand scanned = scan_band();
  if (plan().merging) {
    return scan_panels(scanned, panels);
  }
  scan_lines(scanned);
  return Status::ok;
}

Status ScanKernel::Run::run_band() noexcept {
  if (!plan().carries()) {
    begin_states();
  }
  for (size_t number = 0; number < plan().num_statements(); ++number) {
    const Status status = number == plan().form.scan_at ? run_scan() : run_part(number);
    if (status != Status::ok) {
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
  if (plan().merging) {
    panels.bind(*plan().merging, plan().is_exclusive(), call.workspace + plan().panels_offset);
  }
  Status status = Status::ok;
  if (!is_empty) {
    status = plan().line_merging ? merge_lines() : walk_bands();
  }
  end_states();
  return status;
}

/// Merges lines with the states before them, and walks those that lose range by that.
Status ScanKernel::Run::merge_lines() noexcept {
  LineMerger lines(*plan().line_merging, num_lines(), call.workspace + plan().lines_offset);
  for (size_t entry = 0; entry < plan().num_states(); ++entry) {
    TileView part = state_of(entry);
    part.data = lines.part(entry);
    copy_states(plan().form.merged[entry], part);
  }
  Status status = lines.merge(states());
  if (status == Status::ok && lines.has_lost()) {
    status = walk_bands();
  }
  lines.settle(states());
  return status;
}

Status ScanKernel::Run::walk_bands() noexcept {
  const int64_t bands = num_bands();
  for (int64_t number = 0; number < bands; ++number) {
    set_band(number);
    if (const Status status = run_band(); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status ScanKernel::run(const KernelCall& call) const noexcept {
  return Run(*this, call).all();
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

void register_kernel(Registry& registry) {
  registry.add({"scan",
                {.several_statements = true,
                 .scans = true,
                 .every_monoid = true,
                 .every_index = true,
                 .other_kernels = true},
                &read});
}

}  // namespace tessera::kernels::kernel_scan
