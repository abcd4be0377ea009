#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/scan/scan_plan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"

/// scan: running sums, products, maxima and minima along a label, lines side by side, and what is
/// computed from them element by element.
///
/// Every line is merged one element after the other, so its bits are those of the plain loop.
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

/// One call: its bands one after the other. All lies in here, as run() allocates nothing.
struct ScanKernel::Run {
  const ScanKernel& kernel;
  const KernelCall& call;
  std::array<LabelRange, kMaxLabels> band;

  const ScanPlan& plan() const { return kernel.plan_; }
  const expr::Scan& scan() const { return std::get<expr::Scan>(plan().scan().what); }
  bool is_forward() const { return scan().direction == expr::Scan::Direction::forward; }

  Status all() noexcept;
  void set_band(int64_t number) noexcept;
  Status run_band() noexcept;
  Status run_part(size_t number) const noexcept;
  void fill_state() const noexcept;
  void run_scan() const noexcept;
  void scan_lines(const TileView& elements, const std::array<int64_t, kMaxLabels>& steps,
                  const TileView& results) const noexcept;

  int64_t num_bands() const noexcept;
  TileView view_of(size_t operand) const noexcept;
  TileView result_of(size_t statement) const noexcept;
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

/// Of a statement its result on the band: dense in the workspace, of the last in the output.
TileView ScanKernel::Run::result_of(size_t statement) const noexcept {
  const std::vector<LabelNumber>& out = plan().program.statements[statement].out;
  const bool is_last = statement + 1 == plan().program.statements.size();
  TileView view;
  view.dtype = plan().program.statements[statement].bodies[0].dtype();
  view.shape = view.strides = view.origin = ModeValues(out.size(), 0);
  int64_t stride = 1;
  int64_t offset = 0;
  for (size_t mode = out.size(); mode-- > 0;) {
    const auto label = static_cast<size_t>(out[mode]);
    view.shape[mode] = band[label].length;
    view.origin[mode] = band[label].begin;
    view.strides[mode] = is_last ? call.outputs[0].strides[mode] : stride;
    stride *= band[label].length;
    offset += (band[label].begin - call.ranges[label].begin) * view.strides[mode];
  }
  view.data = is_last ? call.outputs[0].data + offset * size_of(view.dtype)
                      : call.workspace + plan().offsets[statement];
  return view;
}

TileView ScanKernel::Run::view_of(size_t operand) const noexcept {
  const auto num_inputs = static_cast<size_t>(plan().program.num_inputs);
  return operand < num_inputs ? call.inputs[operand] : result_of(operand - num_inputs);
}

Status ScanKernel::Run::run_part(size_t number) const noexcept {
  const StatementPart& part = plan().parts[number]->statement;
  std::array<TileView, kMaxStreams> views;
  for (size_t input = 0; input < part.operands.size(); ++input) {
    views[input] = view_of(static_cast<size_t>(part.operands[input]));
  }
  const TileView result = result_of(number);
  std::array<LabelRange, kMaxLabels> ranges;
  for (size_t label = 0; label < part.labels.size(); ++label) {
    ranges[label] = band[static_cast<size_t>(part.labels[label])];
  }
  const bool is_shorter = band[static_cast<size_t>(plan().band_label)].length < plan().band_length;
  const PreparedKernel& prepared = is_shorter ? *kernel.shorter_[number] : *kernel.kernels_[number];
  return prepared.run({std::span<const TileView>(views).first(part.operands.size()),
                       std::span<const TileView>(&result, 1),
                       std::span<const LabelRange>(ranges).first(part.labels.size()), false,
                       call.workspace + plan().parts_offset});
}

void ScanKernel::Run::fill_state() const noexcept {
  int64_t lines = 1;
  for (const LabelNumber label : plan().scan().out) {
    lines *= label == scan().along ? 1 : band[static_cast<size_t>(label)].length;
  }
  fill_literal(scan().monoid.identity[0], plan().loop.type, call.workspace + plan().state_offset,
               lines);
}

/// Finds the first element of the band and how far its neighbours are along every label.
void ScanKernel::Run::run_scan() const noexcept {
  const auto& access = std::get<expr::Access>(plan().scan().bodies[0].nodes[0].op);
  TileView elements = view_of(static_cast<size_t>(access.operand));
  std::array<int64_t, kMaxLabels> steps{};
  int64_t offset = 0;
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    int64_t position = 0;
    if (const std::optional<LabelNumber> label = expr::plain_label(access.index[mode])) {
      steps[static_cast<size_t>(*label)] += elements.strides[mode];
      position = band[static_cast<size_t>(*label)].begin;
    } else {
      position = std::get<expr::FixedIndex>(access.index[mode]).position;
    }
    offset += (position - elements.origin[mode]) * elements.strides[mode];
  }
  elements.data += offset * size_of(elements.dtype);
  scan_lines(elements, steps, result_of(plan().scan_at));
}

/// Lines that lie side by side in both, so many as there are behind the label, at once.
void ScanKernel::Run::scan_lines(const TileView& elements,
                                 const std::array<int64_t, kMaxLabels>& steps,
                                 const TileView& results) const noexcept {
  const std::vector<LabelNumber>& out = plan().scan().out;
  const int64_t bytes = size_of(plan().loop.type);
  const auto length_of = [&](size_t mode) { return band[static_cast<size_t>(out[mode])].length; };
  const auto step_of = [&](size_t mode) { return steps[static_cast<size_t>(out[mode])]; };
  const auto along =
      static_cast<size_t>(std::find(out.begin(), out.end(), scan().along) - out.begin());
  size_t first = out.size();  // of the modes whose positions are the lines of one loop
  int64_t num_lines = 1;
  int64_t stride = 1;
  while (first > along + 1 && (num_lines == 1 || (step_of(first - 1) == stride * num_lines &&
                                                  results.strides[first - 1] == num_lines))) {
    --first;
    stride = num_lines == 1 ? step_of(first) : stride;
    num_lines *= length_of(first);
  }
  const int64_t turn = is_forward() ? 1 : -1;
  const int64_t last = is_forward() ? 0 : length_of(along) - 1;
  ScanBlock block;
  block.step = turn * step_of(along);
  block.stride = stride;
  block.result_step = turn * results.strides[along];
  block.num_steps = length_of(along);
  block.num_lines = num_lines;
  block.is_exclusive = scan().is_exclusive;
  std::byte* state = call.workspace + plan().state_offset;
  std::array<int64_t, kMaxLabels> at{};  // by mode: where the lines of a loop are
  bool goes_on = true;
  while (goes_on) {
    int64_t element = last * step_of(along);
    int64_t result = last * results.strides[along];
    for (size_t mode = 0; mode < first; ++mode) {
      element += mode == along ? 0 : at[mode] * step_of(mode);
      result += mode == along ? 0 : at[mode] * results.strides[mode];
    }
    block.elements = elements.data + element * bytes;
    block.results = results.data + result * bytes;
    block.state = state;
    plan().loop.run(block);
    state += num_lines * bytes;
    goes_on = false;
    for (size_t mode = first; mode-- > 0 && !goes_on;) {
      if (mode != along) {
        goes_on = ++at[mode] < length_of(mode);
        at[mode] = goes_on ? at[mode] : 0;
      }
    }
  }
}

Status ScanKernel::Run::run_band() noexcept {
  if (!plan().carries()) {
    fill_state();
  }
  for (size_t number = 0; number < plan().program.statements.size(); ++number) {
    if (number == plan().scan_at) {
      run_scan();
    } else if (const Status status = run_part(number); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status ScanKernel::Run::all() noexcept {
  std::copy(call.ranges.begin(), call.ranges.end(), band.begin());
  if (std::any_of(call.ranges.begin(), call.ranges.end(),
                  [](const LabelRange& range) { return range.length == 0; })) {
    return Status::ok;
  }
  if (plan().carries()) {
    fill_state();
  }
  const int64_t bands = num_bands();
  for (int64_t number = 0; number < bands; ++number) {
    const bool is_turned = plan().carries() && !is_forward();
    set_band(is_turned ? bands - 1 - number : number);
    if (const Status status = run_band(); status != Status::ok) {
      return status;
    }
  }
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
  registry.add({"scan", {.several_statements = true, .scans = true, .other_kernels = true}, &read});
}

}  // namespace tessera::kernels
