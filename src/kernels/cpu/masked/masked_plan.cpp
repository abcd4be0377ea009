#include "kernels/cpu/masked/masked_plan.h"

#include <algorithm>
#include <utility>

#include "kernels/choice.h"
#include "kernels/cpu/walk/iteration_space.h"
#include "kernels/cpu/walk/plain_access.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// The most rows and depth of a block: a copy in f32 is then a quarter of a core's cache, and
/// nearly half of a triangle of a thousand is left out in whole blocks.
constexpr int64_t kLongestPart = 256;

class MaskedPlanner {
 public:
  MaskedPlanner(const expr::TileProgram& program, const CallShape& shape, const Context& context)
      : program_(program), shape_(shape), context_(context) {}

  OrRefusal<MaskedPlan> run(MaskedProduct parts) && {
    plan_.parts = std::move(parts);
    cut();
    for (const bool is_rest_of_depth : {false, true}) {
      const int64_t depths = count_of(plan_.depth, is_rest_of_depth);
      if (depths == 0) {
        continue;
      }
      if (std::optional<Refusal> refusal = plan_finiteness(is_rest_of_depth, depths)) {
        return std::move(*refusal);
      }
      for (const bool is_rest_of_rows : {false, true}) {
        const int64_t count = depths * count_of(plan_.rows, is_rest_of_rows);
        if (count == 0) {
          continue;
        }
        if (std::optional<Refusal> refusal = plan_block(is_rest_of_rows, is_rest_of_depth, count)) {
          return std::move(*refusal);
        }
      }
    }
    plan_.copy_bytes = copy_bytes();
    return std::move(plan_);
  }

 private:
  static int64_t count_of(const Cut& cut, bool is_rest) {
    return is_rest ? std::min<int64_t>(cut.rest, 1) : cut.parts;
  }

  int64_t length_of(LabelNumber label) const {
    return shape_.ranges[static_cast<size_t>(label)].length;
  }

  /// Returns the first label of several positions, if there is one.
  std::optional<LabelNumber> first_long(const std::vector<LabelNumber>& labels) const {
    const auto found = std::find_if(labels.begin(), labels.end(),
                                    [this](LabelNumber label) { return length_of(label) > 1; });
    return found == labels.end() ? std::nullopt : std::optional(*found);
  }

  Cut cut_along(std::optional<LabelNumber> label) const {
    if (!label) {
      return {};
    }
    const int64_t positions = length_of(*label);
    const int64_t parts = (positions + kLongestPart - 1) / kLongestPart;
    const int64_t length = (positions + parts - 1) / parts;
    return {label, length, positions / length, positions % length};
  }

  /// Chooses the cuts. Rows are cut if that leaves dense parts of the result.
  void cut() {
    const std::optional<LabelNumber> outermost = first_long(program_.statements[0].out);
    const std::vector<LabelNumber>& rows = plan_.parts.rows;
    if (outermost && std::find(rows.begin(), rows.end(), *outermost) != rows.end()) {
      plan_.rows = cut_along(outermost);
    }
    plan_.depth = cut_along(first_long(plan_.parts.depth));
  }

  CallShape shape_of(bool is_rest_of_rows, bool is_rest_of_depth, bool accumulate) const {
    CallShape shape{shape_.ranges, accumulate};
    const auto shorten = [&](const Cut& cut, bool is_rest) {
      if (cut.label) {
        shape.ranges[static_cast<size_t>(*cut.label)].length = is_rest ? cut.rest : cut.length;
      }
    };
    shorten(plan_.rows, is_rest_of_rows);
    shorten(plan_.depth, is_rest_of_depth);
    return shape;
  }

  void add(const KernelPlan& kernel, int64_t count) {
    const auto times = static_cast<double>(count);
    plan_.cost.flops += times * kernel.cost.flops;
    plan_.cost.bytes += times * kernel.cost.bytes;
    plan_.cost.seconds += times * kernel.cost.seconds;
    plan_.kernel_bytes = std::max(plan_.kernel_bytes, kernel.workspace_bytes);
  }

  std::optional<Refusal> plan_finiteness(bool is_rest_of_depth, int64_t count) {
    OrRefusal<Choice> choice =
        cheapest(plan_.parts.finiteness, shape_of(false, is_rest_of_depth, false), context_);
    if (!choice) {
      return choice.refusal();
    }
    add(choice->plan, count);
    plan_.finiteness[is_rest_of_depth ? 1 : 0] = std::move(choice->plan);
    return std::nullopt;
  }

  std::optional<Refusal> plan_block(bool is_rest_of_rows, bool is_rest_of_depth, int64_t count) {
    const Kernel* const evaluator = context_.kernels.find("blocked_evaluator");
    if (evaluator == nullptr) {
      return Refusal{"there is no evaluator for a factor that is not finite"};
    }
    const CallShape shape = shape_of(is_rest_of_rows, is_rest_of_depth, true);
    OrRefusal<KernelPlan> evaluated = evaluator->read(program_, shape, context_);
    if (!evaluated) {
      return evaluated.refusal();
    }
    OrRefusal<Choice> masked =
        cheapest(plan_.parts.masked, shape_of(is_rest_of_rows, is_rest_of_depth, false), context_);
    if (!masked) {
      return masked.refusal();
    }
    OrRefusal<Choice> product = cheapest(plan_.parts.product, shape, context_);
    if (!product) {
      return product.refusal();
    }
    add(masked->plan, count);
    add(product->plan, count);
    plan_.kernel_bytes = std::max(plan_.kernel_bytes, evaluated->workspace_bytes);
    plan_.blocks[is_rest_of_rows ? 1 : 0][is_rest_of_depth ? 1 : 0] =
        BlockPlan{std::move(masked->plan), std::move(product->plan), std::move(*evaluated)};
    return std::nullopt;
  }

  /// Returns the bytes of a copy; a rest is shorter than the others.
  int64_t copy_bytes() const {
    const expr::TileStatement& masked = plan_.parts.masked.statements[0];
    return aligned_bytes(num_elements(extents_of(masked.out, shape_of(false, false, false))) *
                         size_of(masked.bodies[0].dtype()));
  }

  const expr::TileProgram& program_;
  const CallShape& shape_;
  const Context& context_;
  MaskedPlan plan_;
};

}  // namespace

OrRefusal<MaskedPlan> plan_masked(const expr::TileProgram& program, const CallShape& shape,
                                  const Context& context) {
  for (const LabelRange& range : shape.ranges) {
    if (range.length == 0) {
      return Refusal{"a label is empty"};
    }
  }
  OrRefusal<MaskedProduct> parts = read_masked_product(program, shape);
  if (!parts) {
    return parts.refusal();
  }
  return MaskedPlanner(program, shape, context).run(std::move(*parts));
}

}  // namespace tessera::kernels
