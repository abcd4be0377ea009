#include "kernels/cpu/fused/part_kernels.h"

#include <utility>

#include <fmt/format.h>

#include "expr/text/text.h"

namespace tessera::kernels {

PartKernels::PartKernels(const std::vector<StatementPart>& parts, const CallShape& shape,
                         const Context& context)
    : parts_(&parts), shape_(&shape), context_(&context) {
  for (size_t number = 0; number < parts.size(); ++number) {
    size_t first = 0;
    while (first_equal_.size() > first &&
           (first_equal_[first] != first || parts[first].program != parts[number].program)) {
      ++first;
    }
    first_equal_.push_back(first);
  }
}

OrRefusal<PartKernels> PartKernels::choose(const std::vector<StatementPart>& parts,
                                           const CallShape& shape, const Context& context) {
  PartKernels chosen(parts, shape, context);
  for (size_t number = 0; number < parts.size(); ++number) {
    const CallShape whole = chosen.shape_of(number, shape.ranges);
    std::vector<int64_t> identity = chosen.identity_of(number, whole);
    if (chosen.plans_.count(identity) != 0) {
      chosen.kernels_.push_back(chosen.kernels_[chosen.first_equal_[number]]);
      continue;
    }
    OrRefusal<Choice> choice = cheapest(parts[number].program, whole, context);
    if (!choice) {
      return Refusal{fmt::format("no kernel runs its statement {{{}}} ({})",
                                 expr::to_text(parts[number].program), choice.refusal().reason)};
    }
    chosen.kernels_.push_back(choice->kernel);
    chosen.plans_.emplace(std::move(identity), std::move(choice->plan));
  }
  return chosen;
}

CallShape PartKernels::shape_of(size_t statement, const std::vector<LabelRange>& ranges) const {
  const bool is_last = statement + 1 == parts_->size();
  return shape_of_part((*parts_)[statement], ranges, shape_->accumulate && is_last);
}

/// Returns the key of a plan: the first of equal statements, and the call.
std::vector<int64_t> PartKernels::identity_of(size_t statement, const CallShape& shape) const {
  std::vector<int64_t> identity = {static_cast<int64_t>(first_equal_[statement]),
                                   static_cast<int64_t>(shape.accumulate)};
  for (const LabelRange& range : shape.ranges) {
    identity.push_back(range.length);
  }
  return identity;
}

const OrRefusal<KernelPlan>& PartKernels::plan(int statement,
                                               const std::vector<LabelRange>& ranges) {
  const auto number = static_cast<size_t>(statement);
  const CallShape shape = shape_of(number, ranges);
  std::vector<int64_t> identity = identity_of(number, shape);
  const auto known = plans_.find(identity);
  if (known != plans_.end()) {
    return known->second;
  }
  const expr::TileProgram& program = (*parts_)[number].program;
  OrRefusal<KernelPlan> plan = kernels_[number]->read(program, shape, *context_);
  if (!plan) {
    OrRefusal<Choice> other = cheapest(program, shape, *context_);
    plan = other ? OrRefusal<KernelPlan>(std::move(other->plan)) : other.refusal();
  }
  return plans_.emplace(std::move(identity), std::move(plan)).first->second;
}

}  // namespace tessera::kernels
