#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "base/overload.h"
#include "kernels/cpu/staged/framing.h"
#include "kernels/cpu/staged/gathering.h"
#include "kernels/cpu/staged/staged_plan.h"
#include "kernels/cpu/staged/wrapping.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/registry.h"

/// staged: statements that read outside of their operands, or at positions that are data. Their
/// operands are copied into an order that other kernels read, band by band (framing.h, gathering.h,
/// wrapping.h); computed positions come from a kernel of their own. Then the best kernel for the
/// rest runs.
namespace tessera::kernels::kernel_staged {

namespace {

using expr::LabelNumber;

/// A kernel for bands, and one for the last, if that is shorter.
struct BandKernel {
  BandKernel(const KernelPlan& full, const std::optional<KernelPlan>& last)
      : whole(full.prepare()), shorter(last ? last->prepare() : nullptr) {}

  std::shared_ptr<const PreparedKernel> whole;
  std::shared_ptr<const PreparedKernel> shorter;
};

class StagedKernel : public PreparedKernel {
 public:
  explicit StagedKernel(StagedPlan plan)
      : plan_(std::move(plan)), kernel_(plan_.kernel, plan_.shorter) {
    for (const StagedPlan::Operand& operand : plan_.staged) {
      if (const auto* computed = std::get_if<Computed>(&operand.as)) {
        tables_.emplace_back(computed->kernel, computed->shorter);
      }
    }
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  Status run_band(const KernelCall& call, std::span<const LabelRange> band) const noexcept;
  Status stage_all(const KernelCall& call, std::span<const LabelRange> band,
                   std::span<TileView> views) const noexcept;
  Status run_kernel(const BandKernel& kernel, const KernelCall& call) const noexcept;
  TileView band_of(const KernelCall& call, size_t output,
                   std::span<const LabelRange> band) const noexcept;

  StagedPlan plan_;
  BandKernel kernel_;
  std::vector<BandKernel> tables_;  // of computed tables, in their order
};

Status StagedKernel::run_kernel(const BandKernel& kernel, const KernelCall& call) const noexcept {
  const bool is_shorter =
      plan_.band_label &&
      call.ranges[static_cast<size_t>(*plan_.band_label)].length < plan_.band_length;
  return (is_shorter ? *kernel.shorter : *kernel.whole).run(call);
}

/// Stages the operands for the other kernel, behind the inputs among the views. A framed one is
/// used directly if the band reads nothing outside.
Status StagedKernel::stage_all(const KernelCall& call, std::span<const LabelRange> band,
                               std::span<TileView> views) const noexcept {
  size_t next = call.inputs.size();
  auto table = tables_.begin();
  for (const StagedPlan::Operand& operand : plan_.staged) {
    const StagedViews before = views.first(next);
    TileView& copy = views[next++];
    copy.data = call.workspace + operand.offset;
    copy.dtype = operand.dtype;
    const Status status = std::visit(
        Overload{[&](const Framed& framed) {
                   stage_framed(before[static_cast<size_t>(operand.operand)], framed, band, copy);
                   return Status::ok;
                 },
                 [&](const Gathered& gathered) {
                   return stage_gathered(call, before, operand.operand, gathered, band, copy);
                 },
                 [&](const Wrapped& wrapped) {
                   return stage_wrapped(call, before[static_cast<size_t>(operand.operand)],
                                        operand.operand, wrapped, band, copy);
                 },
                 [&](const Computed& computed) {
                   set_dense(copy, computed.program.statements[0].out, band);
                   return run_kernel(*table++, {call.inputs,
                                                {&copy, 1},
                                                band,
                                                false,
                                                call.workspace + plan_.kernel_offset,
                                                call.fault});
                 }},
        operand.as);
    if (status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

/// Returns the band of an output, which is dense: it belongs to the outermost label of several
/// positions.
TileView StagedKernel::band_of(const KernelCall& call, size_t output,
                               std::span<const LabelRange> band) const noexcept {
  TileView view = call.outputs[output];
  const std::vector<LabelNumber>& out = plan_.program.statements[0].out;
  for (size_t mode = 0; mode < out.size(); ++mode) {
    const LabelRange& range = band[static_cast<size_t>(out[mode])];
    view.data += (range.begin - view.origin[mode]) * view.strides[mode] * size_of(view.dtype);
    view.origin[mode] = range.begin;
    view.shape[mode] = range.length;
  }
  return view;
}

Status StagedKernel::run_band(const KernelCall& call,
                              std::span<const LabelRange> band) const noexcept {
  std::array<TileView, kMaxStreams> views;
  std::copy(call.inputs.begin(), call.inputs.end(), views.begin());
  if (const Status status = stage_all(call, band, views); status != Status::ok) {
    return status;
  }
  const size_t num_operands = call.inputs.size() + plan_.staged.size();
  for (size_t output = 0; output < call.outputs.size(); ++output) {
    views[num_operands + output] = band_of(call, output, band);
  }
  const std::span<const TileView> all(views);
  return run_kernel(kernel_,
                    {all.first(num_operands), all.subspan(num_operands, call.outputs.size()), band,
                     call.accumulate, call.workspace + plan_.kernel_offset});
}

Status StagedKernel::run(const KernelCall& call) const noexcept {
  std::array<LabelRange, kMaxLabels> ranges;
  std::copy(call.ranges.begin(), call.ranges.end(), ranges.begin());
  const std::span<const LabelRange> band(ranges.data(), call.ranges.size());
  if (!plan_.band_label) {
    return run_band(call, band);
  }
  LabelRange& part = ranges[static_cast<size_t>(*plan_.band_label)];
  const int64_t end = part.begin + part.length;
  for (; part.begin < end; part.begin += part.length) {
    part.length = std::min(plan_.band_length, end - part.begin);
    if (const Status status = run_band(call, band); status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  OrRefusal<StagedPlan> plan = plan_staged(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  return KernelPlan{plan->cost, plan->workspace_bytes, [plan = std::move(*plan)] {
                      return std::make_shared<const StagedKernel>(plan);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"staged", {.leaves = true, .every_index = true, .other_kernels = true}, &read});
}

}  // namespace tessera::kernels::kernel_staged
