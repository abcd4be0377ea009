#include <algorithm>
#include <atomic>
#include <memory>
#include <thread>

#include "kernels/context.h"
#include "kernels/cpu/fused/plan.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// fused: runs a program of several statements band by band, so that what one statement hands to
/// the next stays in the cache.
///
/// The plan (plan.h) says what a band is, where results lie and which of the session's kernels runs
/// each statement. Statements that lack a band label run once, before. The values of an element do
/// not depend on the length of a band where the kernels of the statements reduce along rows in an
/// order of their own.
namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The views and ranges of one call of the kernel; made in prepare, since run() allocates nothing.
struct Frame {
  struct Statement {
    std::vector<TileView> inputs;
    std::vector<TileView> outputs;
    std::vector<LabelRange> ranges;
  };
  std::vector<Statement> statements;
  std::vector<TileView> results;  // of all statements: the band, dense
  std::vector<TileView> targets;  // of the last statement: the band within the outputs
  std::vector<LabelRange> ranges;
};

/// As many frames as there are cores. A further caller waits for one to be given back.
class FramePool {
 public:
  explicit FramePool(const Frame& frame)
      : frames_(std::max(1U, std::thread::hardware_concurrency()), frame),
        taken_(std::make_unique<std::atomic_flag[]>(frames_.size())) {}

  Frame& take() noexcept {
    for (size_t number = 0;; number = (number + 1) % frames_.size()) {
      if (!taken_[number].test_and_set(std::memory_order_acquire)) {
        return frames_[number];
      }
      if (number + 1 == frames_.size()) {
        std::this_thread::yield();
      }
    }
  }

  void give_back(const Frame& frame) noexcept {
    taken_[static_cast<size_t>(&frame - frames_.data())].clear(std::memory_order_release);
  }

 private:
  std::vector<Frame> frames_;
  std::unique_ptr<std::atomic_flag[]> taken_;
};

/// A view of a result with that many modes.
TileView empty_view(DType dtype, size_t ndim) {
  return {nullptr, dtype, Shape(ndim, 0), Strides(ndim, 0), std::vector<int64_t>(ndim, 0)};
}

class FusedKernel : public PreparedKernel {
 public:
  FusedKernel(const expr::TileProgram& program, FusedPlan plan);

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  const expr::TileStatement& statement(size_t number) const { return program_.statements[number]; }
  size_t num_outputs() const { return program_.statements.back().bodies.size(); }

  Frame make_frame() const;

  expr::TileProgram program_;
  FusedPlan plan_;
  std::vector<std::shared_ptr<const PreparedKernel>> kernels_;       // by statement
  std::vector<std::shared_ptr<const PreparedKernel>> last_kernels_;  // for the last, shorter band
  mutable FramePool frames_;
};

FusedKernel::FusedKernel(const expr::TileProgram& program, FusedPlan plan)
    : program_(program), plan_(std::move(plan)), frames_(make_frame()) {
  for (const FusedStatement& statement : plan_.statements) {
    kernels_.push_back(statement.kernel.prepare());
    last_kernels_.push_back(statement.shorter ? statement.shorter->prepare() : nullptr);
  }
}

Frame FusedKernel::make_frame() const {
  Frame frame;
  frame.ranges.resize(program_.labels.size());
  for (size_t number = 0; number < plan_.statements.size(); ++number) {
    const StatementPart& part = plan_.statements[number].part;
    Frame::Statement views;
    views.ranges.resize(part.labels.size());
    for (const expr::Scalar& body : statement(number).bodies) {
      frame.results.push_back(empty_view(body.dtype(), statement(number).out.size()));
      views.outputs.push_back(frame.results.back());
    }
    views.inputs.resize(part.operands.size());
    for (const expr::Scalar& body : part.program.statements[0].bodies) {
      for (const expr::Node& node : body.nodes) {
        if (const auto* access = std::get_if<expr::Access>(&node.op)) {
          views.inputs[static_cast<size_t>(access->operand)] =
              empty_view(node.dtype, access->index.size());
        }
      }
    }
    frame.statements.push_back(std::move(views));
  }
  frame.targets.assign(frame.results.end() - static_cast<std::ptrdiff_t>(num_outputs()),
                       frame.results.end());
  return frame;
}

/// One call: the bands one after the other.
struct FusedKernel::Run {
  const FusedKernel& kernel;
  const KernelCall& call;
  Frame& frame;

  Status all() noexcept;

  const FusedPlan& plan() const { return kernel.plan_; }
  LabelRange& range(LabelNumber label) { return frame.ranges[static_cast<size_t>(label)]; }

  void whole_ranges() noexcept;
  bool first_band() noexcept;
  bool next_band() noexcept;
  void set_length(LabelNumber label) noexcept;
  bool is_shorter() const noexcept;

  void place(size_t result, const expr::TileStatement& statement) noexcept;
  std::byte* band_of_output(int output) const noexcept;
  Status run_statement(size_t number) noexcept;
  Status run_band() noexcept;
  void copy_targets(bool into_outputs) noexcept;
};

void FusedKernel::Run::whole_ranges() noexcept {
  std::copy(call.ranges.begin(), call.ranges.end(), frame.ranges.begin());
}

/// The length of the band that starts where the label's range does.
void FusedKernel::Run::set_length(LabelNumber label) noexcept {
  const auto number = static_cast<size_t>(label);
  const int64_t end = call.ranges[number].begin + call.ranges[number].length;
  frame.ranges[number].length = std::min(plan().lengths[number], end - frame.ranges[number].begin);
}

/// False where there is none, since a label is empty.
bool FusedKernel::Run::first_band() noexcept {
  whole_ranges();
  for (const LabelNumber label : plan().bands.labels) {
    if (range(label).length == 0) {
      return false;
    }
    set_length(label);
  }
  return true;
}

/// False after the last.
bool FusedKernel::Run::next_band() noexcept {
  const std::vector<LabelNumber>& labels = plan().bands.labels;
  for (size_t at = labels.size(); at-- > 0;) {
    const LabelRange& whole = call.ranges[static_cast<size_t>(labels[at])];
    LabelRange& part = range(labels[at]);
    part.begin += part.length;
    const bool goes_on = part.begin < whole.begin + whole.length;
    part.begin = goes_on ? part.begin : whole.begin;
    set_length(labels[at]);
    if (goes_on) {
      return true;
    }
  }
  return false;
}

bool FusedKernel::Run::is_shorter() const noexcept {
  return std::any_of(plan().bands.labels.begin(), plan().bands.labels.end(),
                     [&](LabelNumber label) {
                       const auto number = static_cast<size_t>(label);
                       return frame.ranges[number].length < plan().lengths[number];
                     });
}

std::byte* FusedKernel::Run::band_of_output(int output) const noexcept {
  const TileView& view = call.outputs[static_cast<size_t>(output)];
  const std::vector<LabelNumber>& out = kernel.program_.statements.back().out;
  int64_t offset = 0;
  for (size_t mode = 0; mode < out.size(); ++mode) {
    const auto label = static_cast<size_t>(out[mode]);
    offset += (frame.ranges[label].begin - call.ranges[label].begin) * view.strides[mode];
  }
  return view.data + offset * size_of(view.dtype);
}

/// Points the view of a result at its place, for the ranges as they are.
void FusedKernel::Run::place(size_t result, const expr::TileStatement& statement) noexcept {
  TileView& view = frame.results[result];
  const ResultPlace& where = plan().results.places[result];
  view.data = where.output >= 0 ? band_of_output(where.output) : call.workspace + where.offset;
  int64_t stride = 1;
  for (size_t mode = statement.out.size(); mode-- > 0;) {
    const LabelRange& part = range(statement.out[mode]);
    view.shape[mode] = part.length;
    view.origin[mode] = part.begin;
    view.strides[mode] = stride;
    stride *= part.length;
  }
}

Status FusedKernel::Run::run_statement(size_t number) noexcept {
  const StatementPart& part = plan().statements[number].part;
  Frame::Statement& views = frame.statements[number];
  const auto num_inputs = static_cast<size_t>(kernel.program_.num_inputs);
  for (size_t input = 0; input < part.operands.size(); ++input) {
    const auto operand = static_cast<size_t>(part.operands[input]);
    views.inputs[input] =
        operand < num_inputs ? call.inputs[operand] : frame.results[operand - num_inputs];
  }
  for (size_t output = 0; output < views.outputs.size(); ++output) {
    const size_t result = static_cast<size_t>(part.first_result) + output - num_inputs;
    place(result, kernel.statement(number));
    views.outputs[output] = frame.results[result];
  }
  for (size_t label = 0; label < part.labels.size(); ++label) {
    views.ranges[label] = range(part.labels[label]);
  }
  const bool is_last = number + 1 == plan().statements.size();
  const bool takes_last = plan().bands.runs_per_band[number] && is_shorter();
  const PreparedKernel& of_size =
      takes_last ? *kernel.last_kernels_[number] : *kernel.kernels_[number];
  return of_size.run({views.inputs, views.outputs, views.ranges, call.accumulate && is_last,
                      call.workspace + aligned_bytes(plan().results.bytes)});
}

/// Copies the last statement's band between its own place and the outputs, in which it has holes.
void FusedKernel::Run::copy_targets(bool into_outputs) noexcept {
  const size_t first = frame.results.size() - kernel.num_outputs();
  for (size_t output = 0; output < kernel.num_outputs(); ++output) {
    TileView& target = frame.targets[output];
    const TileView& band = frame.results[first + output];
    target.shape = band.shape;
    target.origin = band.origin;
    target.strides = call.outputs[output].strides;
    target.data = band_of_output(static_cast<int>(output));
    copy_elements(into_outputs ? band : target, into_outputs ? target : band);
  }
}

Status FusedKernel::Run::run_band() noexcept {
  for (size_t number = 0; number < plan().statements.size(); ++number) {
    const bool is_last = number + 1 == plan().statements.size();
    if (is_last && call.accumulate && !plan().is_output_dense) {
      for (size_t output = 0; output < kernel.num_outputs(); ++output) {
        place(frame.results.size() - kernel.num_outputs() + output, kernel.statement(number));
      }
      copy_targets(false);
    }
    if (plan().bands.runs_per_band[number]) {
      if (const Status status = run_statement(number); status != Status::ok) {
        return status;
      }
    }
  }
  if (!plan().is_output_dense) {
    copy_targets(true);
  }
  return Status::ok;
}

Status FusedKernel::Run::all() noexcept {
  whole_ranges();
  for (size_t number = 0; number < plan().statements.size(); ++number) {
    if (!plan().bands.runs_per_band[number]) {
      if (const Status status = run_statement(number); status != Status::ok) {
        return status;
      }
    }
  }
  if (!first_band()) {
    return Status::ok;
  }
  do {
    if (const Status status = run_band(); status != Status::ok) {
      return status;
    }
  } while (next_band());
  return Status::ok;
}

Status FusedKernel::run(const KernelCall& call) const noexcept {
  Frame& frame = frames_.take();
  const Status status = Run{*this, call, frame}.all();
  frames_.give_back(frame);
  return status;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (program.statements.size() < 2) {
    return Refusal{"it runs several statements, the program has one"};
  }
  OrRefusal<FusedPlan> plan = plan_fused(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  return KernelPlan{plan->cost, plan->workspace_bytes(), [program, plan = std::move(*plan)] {
                      return std::make_shared<const FusedKernel>(program, plan);
                    }};
}

}  // namespace

void register_kernel_fused(Registry& registry);

void register_kernel_fused(Registry& registry) {
  registry.add({"fused", {.several_statements = true, .other_kernels = true}, &read});
}

}  // namespace tessera::kernels
