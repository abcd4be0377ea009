#include "kernels/cpu/scan/known_logic.h"

#include <optional>
#include <utility>

#include "expr/function_ids.h"

namespace tessera::kernels {

namespace {

class Simplifier {
 public:
  explicit Simplifier(const expr::Scalar& scalar) : scalar_(scalar) {}

  expr::Scalar run() && {
    for (const expr::Node& node : scalar_.nodes) {
      expr::Node own = expr::with_arguments(node, now_);
      const std::optional<int32_t> known = known_of(own);
      now_.push_back(known ? *known : builder_.add(std::move(own)));
    }
    return builder_.finish(now_.back());
  }

 private:
  /// Returns the value of a boolean constant; nothing for any other node.
  std::optional<bool> truth(int32_t number) const {
    const expr::Node& node = builder_.node(number);
    const auto* constant = std::get_if<expr::Constant>(&node.op);
    return constant == nullptr || !is_bool(node.dtype)
               ? std::nullopt
               : std::optional(literal_as<bool>(constant->value));
  }

  /// Returns the node that a node is known to be equal to.
  std::optional<int32_t> known_of(const expr::Node& node) {
    const auto* call = std::get_if<expr::Call>(&node.op);
    if (call == nullptr || call->arguments.empty()) {
      return std::nullopt;
    }
    const std::vector<int32_t>& of = call->arguments;
    if (call->function == expr::id::kWhere) {
      const std::optional<bool> condition = truth(of[0]);
      const bool is_same = of[1] == of[2];
      return condition || is_same ? std::optional(of[condition.value_or(true) ? 1 : 2])
                                  : std::nullopt;
    }
    if (call->function == expr::id::kLogicalNot) {
      const std::optional<bool> argument = truth(of[0]);
      return argument ? std::optional(builder_.constant(!*argument, DType::b1)) : std::nullopt;
    }
    if (call->function == expr::id::kLogicalAnd || call->function == expr::id::kLogicalOr) {
      return joined(of, call->function == expr::id::kLogicalAnd);
    }
    return std::nullopt;
  }

  /// Simplifies `and` and `or` of booleans: `neutral` leaves the other side, its opposite decides.
  std::optional<int32_t> joined(const std::vector<int32_t>& of, bool neutral) const {
    for (const size_t side : {size_t{0}, size_t{1}}) {
      const std::optional<bool> known = truth(of[side]);
      if (known && is_bool(builder_.dtype_of(of[1 - side]))) {
        return *known == neutral ? of[1 - side] : of[side];
      }
    }
    return std::nullopt;
  }

  const expr::Scalar& scalar_;
  std::vector<int32_t> now_;  // by node of the scalar
  expr::ScalarBuilder builder_;
};

}  // namespace

expr::Scalar with_known_logic(const expr::Scalar& scalar) {
  return Simplifier(scalar).run();
}

}  // namespace tessera::kernels
