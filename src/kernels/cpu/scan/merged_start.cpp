#include "kernels/cpu/scan/merged_start.h"

#include <algorithm>

namespace tessera::kernels {

namespace {

using expr::LabelNumber;

/// Accesses of operands that follow each other, one for each entry of the state.
std::vector<int32_t> states_at(expr::ScalarBuilder& builder, const expr::Monoid& monoid,
                               int32_t first_operand, const std::vector<LabelNumber>& labels) {
  std::vector<int32_t> states;
  for (const DType dtype : monoid.state) {
    const int32_t operand = first_operand + static_cast<int32_t>(states.size());
    states.push_back(builder.access({operand, plain_indices(labels)}, dtype));
  }
  return states;
}

/// An expression with some of its nodes replaced by states.
class Replacement {
 public:
  /// The expression is the node `root` of `from`, in which `merged` are what is replaced, by entry.
  Replacement(const expr::ScalarBuilder& from, int32_t root, const std::vector<int32_t>& merged,
              const std::vector<int32_t>& states)
      : from_(from), root_(root), merged_(merged), states_(states) {}

  /// None where it reads operands from `first_start` on but in what is replaced.
  std::optional<expr::Scalar> run(int32_t first_start) && {
    const std::vector<bool> needed = needed_nodes();
    std::vector<int32_t> where(needed.size(), -1);
    expr::ScalarBuilder to;
    for (int32_t number = 0; number <= root_; ++number) {
      if (!needed[static_cast<size_t>(number)]) {
        continue;
      }
      const std::optional<int32_t> state = state_of(number);
      const expr::Node& node = from_.node(state.value_or(number));
      const auto* access = std::get_if<expr::Access>(&node.op);
      if (!state && access != nullptr && access->operand >= first_start) {
        return std::nullopt;
      }
      where[static_cast<size_t>(number)] = to.add(expr::with_arguments(node, where));
    }
    return to.finish(where.back());
  }

 private:
  /// The state that a node is replaced by.
  std::optional<int32_t> state_of(int32_t number) const {
    const auto entry = std::find(merged_.begin(), merged_.end(), number);
    return entry == merged_.end()
               ? std::nullopt
               : std::optional(states_[static_cast<size_t>(entry - merged_.begin())]);
  }

  /// By node up to the root; those below what is replaced are not. Arguments stand before.
  std::vector<bool> needed_nodes() const {
    std::vector<bool> needed(static_cast<size_t>(root_) + 1);
    needed.back() = true;
    for (int32_t number = root_; number >= 0; --number) {
      if (needed[static_cast<size_t>(number)] && !state_of(number)) {
        expr::for_each_argument(from_.node(number), [&](int32_t argument) {
          needed[static_cast<size_t>(argument)] = true;
        });
      }
    }
    return needed;
  }

  const expr::ScalarBuilder& from_;
  const int32_t root_;
  const std::vector<int32_t>& merged_;
  const std::vector<int32_t>& states_;
};

}  // namespace

std::vector<expr::Index> plain_indices(const std::vector<LabelNumber>& labels) {
  std::vector<expr::Index> index;
  for (const LabelNumber label : labels) {
    index.push_back(expr::plain(label));
  }
  return index;
}

std::optional<expr::Scalar> without_start(const expr::Scalar& body, const expr::Scan& scan,
                                          const std::vector<LabelNumber>& out, int32_t num_inputs) {
  const auto num_states = static_cast<int32_t>(scan.monoid.state.size());
  const int32_t first_start = num_inputs - num_states;
  std::vector<LabelNumber> others = out;
  std::erase(others, scan.along);
  expr::ScalarBuilder builder;
  std::vector<int32_t> both = states_at(builder, scan.monoid, first_start, others);
  const std::vector<int32_t> states = states_at(builder, scan.monoid, num_inputs, out);
  both.insert(both.end(), states.begin(), states.end());
  std::vector<int32_t> merged;
  for (const expr::Scalar& combine : scan.monoid.combine) {
    merged.push_back(builder.inline_scalar(combine, both));
  }
  const int32_t root = builder.inline_scalar(body, {});
  return Replacement(builder, root, merged, states).run(first_start);
}

}  // namespace tessera::kernels
