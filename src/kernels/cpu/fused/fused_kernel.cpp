#include <algorithm>
#include <array>
#include <memory>
#include <span>
#include <utility>

#include "kernels/context.h"
#include "kernels/cpu/fused/plan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// fused: runs a program of several statements band by band, so that results passed between
/// statements stay in the cache.
///
/// The plan (plan.h) holds the bands, the places of results and the session's kernel for each
/// statement. Statements that lack a band label run once, before. The values of an element do not
/// depend on the length of a band if the kernels of the statements reduce along rows in an order of
/// their own.
namespace tessera::kernels::kernel_fused {

namespace {

using expr::LabelNumber;

class FusedKernel : public PreparedKernel {
 public:
  FusedKernel(const expr::TileProgram& program, FusedPlan plan);

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Run;

  /// A result for later statements, or for the caller.
  struct Result {
    size_t statement = 0;
    DType dtype = DType::f32;
  };

  const expr::TileStatement& statement(size_t number) const { return program_.statements[number]; }
  size_t num_inputs() const { return static_cast<size_t>(program_.num_inputs); }
  size_t num_outputs() const { return program_.statements.back().bodies.size(); }

  expr::TileProgram program_;
  FusedPlan plan_;
  std::vector<Result> results_;                                      // of all statements, in order
  std::vector<std::shared_ptr<const PreparedKernel>> kernels_;       // by statement
  std::vector<std::shared_ptr<const PreparedKernel>> last_kernels_;  // for the last, shorter band
};

FusedKernel::FusedKernel(const expr::TileProgram& program, FusedPlan plan)
    : program_(program), plan_(std::move(plan)) {
  for (size_t number = 0; number < plan_.statements.size(); ++number) {
    for (const expr::Scalar& body : statement(number).bodies) {
      results_.push_back({number, body.dtype()});
    }
    const FusedStatement& planned = plan_.statements[number];
    kernels_.push_back(planned.kernel.prepare());
    last_kernels_.push_back(planned.shorter ? planned.shorter->prepare() : nullptr);
  }
}

/// One call: the bands one after the other. Views and ranges are members, because run() allocates
/// nothing.
struct FusedKernel::Run {
  const FusedKernel& kernel;
  const KernelCall& call;
  std::array<LabelRange, kMaxLabels> band;  // by label of the program: the current band

  Status all() noexcept;

  const FusedPlan& plan() const { return kernel.plan_; }
  const LabelRange* ranges_of(size_t statement) const noexcept;

  bool first_band() noexcept;
  bool next_band() noexcept;
  void set_length(LabelNumber label) noexcept;
  bool is_shorter() const noexcept;

  TileView view_of(size_t result) const noexcept;
  std::byte* band_of_output(size_t output) const noexcept;
  TileView target_of(size_t output) const noexcept;
  Status run_statement(size_t number) const noexcept;
  Status run_band() const noexcept;
  void copy_targets(bool into_outputs) const noexcept;
};

/// Returns the ranges that a statement runs over, by label of the program.
const LabelRange* FusedKernel::Run::ranges_of(size_t statement) const noexcept {
  return plan().bands.runs_per_band[statement] ? band.data() : call.ranges.data();
}

/// Sets the length of the band that starts at the label's range.
void FusedKernel::Run::set_length(LabelNumber label) noexcept {
  const auto number = static_cast<size_t>(label);
  const int64_t end = call.ranges[number].begin + call.ranges[number].length;
  band[number].length = std::min(plan().lengths[number], end - band[number].begin);
}

/// Returns false if there is no band, because a label is empty.
bool FusedKernel::Run::first_band() noexcept {
  std::copy(call.ranges.begin(), call.ranges.end(), band.begin());
  for (const LabelNumber label : plan().bands.labels) {
    if (band[static_cast<size_t>(label)].length == 0) {
      return false;
    }
    set_length(label);
  }
  return true;
}

/// Goes to the next band. Returns false after the last.
bool FusedKernel::Run::next_band() noexcept {
  const std::vector<LabelNumber>& labels = plan().bands.labels;
  for (size_t at = labels.size(); at-- > 0;) {
    const LabelRange& whole = call.ranges[static_cast<size_t>(labels[at])];
    LabelRange& part = band[static_cast<size_t>(labels[at])];
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
                       return band[number].length < plan().lengths[number];
                     });
}

/// Returns the start of the current band of an output.
std::byte* FusedKernel::Run::band_of_output(size_t output) const noexcept {
  const TileView& view = call.outputs[output];
  const std::vector<LabelNumber>& out = kernel.program_.statements.back().out;
  const LabelRange* const ranges = ranges_of(plan().statements.size() - 1);
  int64_t offset = 0;
  for (size_t mode = 0; mode < out.size(); ++mode) {
    const auto label = static_cast<size_t>(out[mode]);
    offset += (ranges[label].begin - call.ranges[label].begin) * view.strides[mode];
  }
  return view.data + offset * size_of(view.dtype);
}

/// Returns a view of a result in its place: dense, over the ranges of its statement.
TileView FusedKernel::Run::view_of(size_t result) const noexcept {
  const Result& what = kernel.results_[result];
  const ResultPlace& where = plan().results.places[result];
  const std::vector<LabelNumber>& out = kernel.statement(what.statement).out;
  const LabelRange* const ranges = ranges_of(what.statement);
  TileView view;
  view.data = where.output >= 0 ? band_of_output(static_cast<size_t>(where.output))
                                : call.workspace + where.offset;
  view.dtype = what.dtype;
  view.shape = view.strides = view.origin = ModeValues(out.size(), 0);
  int64_t stride = 1;
  for (size_t mode = out.size(); mode-- > 0;) {
    const LabelRange& part = ranges[out[mode]];
    view.shape[mode] = part.length;
    view.origin[mode] = part.begin;
    view.strides[mode] = stride;
    stride *= part.length;
  }
  return view;
}

/// Returns the current band of an output.
TileView FusedKernel::Run::target_of(size_t output) const noexcept {
  TileView target = view_of(kernel.results_.size() - kernel.num_outputs() + output);
  target.strides = call.outputs[output].strides;
  target.data = band_of_output(output);
  return target;
}

Status FusedKernel::Run::run_statement(size_t number) const noexcept {
  const StatementPart& part = plan().statements[number].part;
  const size_t num_bodies = kernel.statement(number).bodies.size();
  std::array<TileView, kMaxStreams> views;  // the operands, then the results
  for (size_t input = 0; input < part.operands.size(); ++input) {
    const auto operand = static_cast<size_t>(part.operands[input]);
    views[input] = operand < kernel.num_inputs() ? call.inputs[operand]
                                                 : view_of(operand - kernel.num_inputs());
  }
  const size_t first_result = static_cast<size_t>(part.first_result) - kernel.num_inputs();
  for (size_t output = 0; output < num_bodies; ++output) {
    views[part.operands.size() + output] = view_of(first_result + output);
  }
  std::array<LabelRange, kMaxLabels> ranges;
  for (size_t label = 0; label < part.labels.size(); ++label) {
    ranges[label] = ranges_of(number)[part.labels[label]];
  }
  const bool is_last = number + 1 == plan().statements.size();
  const bool takes_last = plan().bands.runs_per_band[number] && is_shorter();
  const PreparedKernel& of_size =
      takes_last ? *kernel.last_kernels_[number] : *kernel.kernels_[number];
  const std::span<const TileView> all(views);
  return of_size.run({all.first(part.operands.size()),
                      all.subspan(part.operands.size(), num_bodies),
                      std::span(ranges).first(part.labels.size()), call.accumulate && is_last,
                      call.workspace + aligned_bytes(plan().results.bytes)});
}

/// Copies the last statement's band between its own place and the outputs, if bands have holes
/// there.
void FusedKernel::Run::copy_targets(bool into_outputs) const noexcept {
  const size_t first = kernel.results_.size() - kernel.num_outputs();
  for (size_t output = 0; output < kernel.num_outputs(); ++output) {
    const TileView target = target_of(output);
    const TileView place = view_of(first + output);
    copy_elements(into_outputs ? place : target, into_outputs ? target : place);
  }
}

Status FusedKernel::Run::run_band() const noexcept {
  for (size_t number = 0; number < plan().statements.size(); ++number) {
    const bool is_last = number + 1 == plan().statements.size();
    if (is_last && call.accumulate && !plan().is_output_dense) {
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
  return Run{*this, call, {}}.all();
}

/// Returns a refusal if a call of a statement has more views or ranges than a Run has room for.
std::optional<Refusal> too_large(const expr::TileProgram& program,
                                 const std::vector<FusedStatement>& statements) {
  for (size_t number = 0; number < statements.size(); ++number) {
    if (std::optional<Refusal> refusal = too_many_streams(
            statements[number].part.operands.size() + program.statements[number].bodies.size())) {
      return refusal;
    }
  }
  return too_many_labels(program.labels.size());
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
  if (std::optional<Refusal> refusal = too_large(program, plan->statements)) {
    return std::move(*refusal);
  }
  return KernelPlan{plan->cost, plan->workspace_bytes(), [program, plan = std::move(*plan)] {
                      return std::make_shared<const FusedKernel>(program, plan);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"fused",
                {.several_statements = true,
                 .leaves = true,
                 .whole = true,
                 .every_index = true,
                 .other_kernels = true},
                &read});
}

}  // namespace tessera::kernels::kernel_fused
