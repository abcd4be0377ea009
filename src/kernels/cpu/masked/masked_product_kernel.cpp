#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>

#include "kernels/cpu/masked/masked_plan.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// masked_product: a sum of products with a condition on labels of one factor, such as where(k <=
/// i, a[i, k] * b[k, j], 0) in causal and triangular products. That factor is copied, block by
/// block, with 0 where the condition fails, and the kernel that is best for products multiplies the
/// copy; blocks that the condition leaves out whole are not multiplied.
///
/// An excluded product counts 0, but 0 times NaN or an infinity is NaN. So every part of the other
/// factor is checked first, and if it is not finite the statement itself is evaluated. Excluded
/// elements of the masked factor do not enter the copy.
namespace tessera::kernels::kernel_masked_product {

namespace {

using expr::LabelNumber;

constexpr int64_t kNumberBytes = 64;  // room for a number of any type, aligned

bool are_zero_bytes(const std::byte* bytes, int64_t count) noexcept {
  unsigned seen = 0;  // no early end, so that the compiler vectorises the loop
  for (int64_t byte = 0; byte < count; ++byte) {
    seen |= static_cast<unsigned>(bytes[byte]);
  }
  return seen == 0;
}

class MaskedProductKernel : public PreparedKernel {
 public:
  explicit MaskedProductKernel(const MaskedPlan& plan)
      : rows_(plan.rows),
        depth_(plan.depth),
        copied_(plan.parts.masked.statements[0].out),
        out_(plan.parts.product.statements[0].out),
        copied_type_(plan.parts.masked.statements[0].bodies[0].dtype()),
        copy_bytes_(plan.copy_bytes) {
    for (size_t row = 0; row < 2; ++row) {
      for (size_t depth = 0; depth < 2; ++depth) {
        if (const std::optional<BlockPlan>& block = plan.blocks[row][depth]) {
          blocks_[row][depth] = {block->masked.prepare(), block->product.prepare(),
                                 block->evaluated.prepare()};
        }
      }
    }
    for (size_t depth = 0; depth < 2; ++depth) {
      finiteness_[depth] = plan.finiteness[depth] ? plan.finiteness[depth]->prepare() : nullptr;
    }
  }

  static int64_t workspace_bytes(const MaskedPlan& plan) {
    return kNumberBytes + plan.copy_bytes + plan.kernel_bytes;
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Block {
    std::shared_ptr<const PreparedKernel> masked;
    std::shared_ptr<const PreparedKernel> product;
    std::shared_ptr<const PreparedKernel> evaluated;
  };
  using Ranges = std::span<const LabelRange>;

  Status look_through(const KernelCall& call, Ranges ranges, bool& is_finite) const noexcept;
  Status add_block(const KernelCall& call, Ranges ranges, bool is_finite) const noexcept;
  TileView block_of_output(const KernelCall& call, Ranges ranges) const noexcept;
  std::byte* kernel_memory(const KernelCall& call) const noexcept {
    return call.workspace + kNumberBytes + copy_bytes_;
  }

  Cut rows_;
  Cut depth_;
  std::vector<LabelNumber> copied_;
  std::vector<LabelNumber> out_;
  DType copied_type_;
  int64_t copy_bytes_;
  std::array<std::array<Block, 2>, 2> blocks_;  // like those of MaskedPlan
  std::array<std::shared_ptr<const PreparedKernel>, 2> finiteness_;
};

/// Returns the range of the cut's label, if there is one.
LabelRange* range_of(const Cut& cut, std::span<LabelRange> ranges) noexcept {
  return cut.label ? &ranges[static_cast<size_t>(*cut.label)] : nullptr;
}

/// Returns 1 if the ranges are the last part of a cut, which is shorter.
size_t is_rest_of(const Cut& cut, std::span<const LabelRange> ranges) noexcept {
  return cut.label && ranges[static_cast<size_t>(*cut.label)].length < cut.length ? 1 : 0;
}

/// Calls visit() with the range of the cut's label, if there is one, set to each part in turn,
/// until one returns another status than ok.
template <class Visit>
Status for_each_part(const Cut& cut, std::span<LabelRange> ranges, const Visit& visit) noexcept {
  LabelRange* const part = range_of(cut, ranges);
  if (part == nullptr) {
    return visit();
  }
  const LabelRange whole = *part;
  const int64_t end = whole.begin + whole.length;
  Status status = Status::ok;
  for (; part->begin < end && status == Status::ok; part->begin += part->length) {
    part->length = std::min(cut.length, end - part->begin);
    status = visit();
  }
  *part = whole;
  return status;
}

/// Checks that the other factor is finite there: the sum of its differences from itself is 0.
Status MaskedProductKernel::look_through(const KernelCall& call, Ranges ranges,
                                         bool& is_finite) const noexcept {
  TileView sum;
  sum.data = call.workspace;
  sum.dtype = call.outputs[0].dtype;
  const Status status = finiteness_[is_rest_of(depth_, ranges)]->run(
      {call.inputs, {&sum, 1}, ranges, false, kernel_memory(call), call.fault});
  is_finite = are_zero_bytes(sum.data, size_of(sum.dtype));
  return status;
}

/// Returns the rows of the output, which is dense: they belong to its outermost label of several
/// positions.
TileView MaskedProductKernel::block_of_output(const KernelCall& call,
                                              Ranges ranges) const noexcept {
  TileView view = call.outputs[0];
  for (size_t mode = 0; mode < out_.size(); ++mode) {
    const LabelRange& range = ranges[static_cast<size_t>(out_[mode])];
    view.data += (range.begin - view.origin[mode]) * view.strides[mode] * size_of(view.dtype);
    view.origin[mode] = range.begin;
    view.shape[mode] = range.length;
  }
  return view;
}

Status MaskedProductKernel::add_block(const KernelCall& call, Ranges ranges,
                                      bool is_finite) const noexcept {
  const Block& block = blocks_[is_rest_of(rows_, ranges)][is_rest_of(depth_, ranges)];
  const TileView out = block_of_output(call, ranges);
  std::byte* const memory = kernel_memory(call);
  if (!is_finite) {
    return block.evaluated->run({call.inputs, {&out, 1}, ranges, true, memory, call.fault});
  }
  std::array<TileView, kMaxStreams> views;
  std::copy(call.inputs.begin(), call.inputs.end(), views.begin());
  TileView& copy = views[call.inputs.size()];
  copy.data = call.workspace + kNumberBytes;
  copy.dtype = copied_type_;
  set_dense(copy, copied_, ranges);
  const Status status =
      block.masked->run({call.inputs, {&copy, 1}, ranges, false, memory, call.fault});
  const int64_t copied_bytes = num_elements(copy.shape) * size_of(copied_type_);
  if (status != Status::ok || are_zero_bytes(copy.data, copied_bytes)) {
    return status;
  }
  return block.product->run({std::span(views).first(call.inputs.size() + 1),
                             {&out, 1},
                             ranges,
                             true,
                             memory,
                             call.fault});
}

Status MaskedProductKernel::run(const KernelCall& call) const noexcept {
  std::array<LabelRange, kMaxLabels> parts;
  std::copy(call.ranges.begin(), call.ranges.end(), parts.begin());
  const std::span<LabelRange> ranges(parts.data(), call.ranges.size());
  const TileView& out = call.outputs[0];
  if (!call.accumulate) {
    std::fill_n(out.data, num_elements(out.shape) * size_of(out.dtype), std::byte{0});
  }
  return for_each_part(depth_, ranges, [&] {
    bool is_finite = false;
    if (const Status status = look_through(call, ranges, is_finite); status != Status::ok) {
      return status;
    }
    return for_each_part(rows_, ranges, [&] { return add_block(call, ranges, is_finite); });
  });
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  if (std::optional<Refusal> refusal = too_many_labels(program.labels.size())) {
    return std::move(*refusal);
  }
  if (std::optional<Refusal> refusal =
          too_many_streams(static_cast<size_t>(program.num_inputs) + 1)) {
    return std::move(*refusal);
  }
  OrRefusal<MaskedPlan> plan = plan_masked(program, shape, context);
  if (!plan) {
    return plan.refusal();
  }
  const Cost cost = plan->cost;
  const int64_t bytes = MaskedProductKernel::workspace_bytes(*plan);
  return KernelPlan{cost, bytes, [plan = std::move(*plan)] {
                      return std::make_shared<const MaskedProductKernel>(plan);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"masked_product", {.other_kernels = true}, &read});
}

}  // namespace tessera::kernels::kernel_masked_product
