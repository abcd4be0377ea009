#include "kernels/cpu/walk/joined.h"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"
#include "types/half_rounding.h"
#include "types/literal.h"

namespace tessera::kernels {

namespace {

const expr::Node& node_at(const expr::Scalar& scalar, int32_t number) {
  return scalar.nodes[static_cast<size_t>(number)];
}

const expr::Call* call_at(const expr::Scalar& scalar, int32_t number, size_t num_arguments) {
  const auto* call = std::get_if<expr::Call>(&node_at(scalar, number).op);
  return call != nullptr && call->arguments.size() == num_arguments ? call : nullptr;
}

/// Returns the argument of an abs or a square at the root, for every form of a square; nothing for
/// anything else.
std::optional<int32_t> argument_of_root(const expr::Scalar& scalar, int32_t root,
                                        std::string& function) {
  if (const expr::Call* call = call_at(scalar, root, 1)) {
    function = call->function;
    return call->arguments[0];
  }
  const expr::Call* call = call_at(scalar, root, 2);
  if (call == nullptr) {
    return std::nullopt;
  }
  const bool is_product_with_itself =
      call->function == expr::id::kMultiply && call->arguments[0] == call->arguments[1];
  const bool is_second_power = call->function == expr::id::kPower &&
                               expr::is_constant(node_at(scalar, call->arguments[1]), 2);
  function = expr::id::kSquare;
  return is_product_with_itself || is_second_power ? std::optional(call->arguments[0])
                                                   : std::nullopt;
}

/// Reads an access with its stored dtype. Nothing if a cast rounds it: operands are only converted
/// to the computed type.
std::optional<std::pair<expr::Access, DType>> access_at(const expr::Scalar& scalar,
                                                        int32_t number) {
  const auto* cast = std::get_if<expr::Cast>(&node_at(scalar, number).op);
  const expr::Node& node = node_at(scalar, cast == nullptr ? number : cast->argument);
  const auto* access = std::get_if<expr::Access>(&node.op);
  const bool rounds = cast != nullptr && rounds_to_half(node.dtype, node_at(scalar, number).dtype);
  return access == nullptr || rounds ? std::nullopt : std::optional(std::pair(*access, node.dtype));
}

/// Uses bytes of 0 and 1 for truth values.
void use_bytes(Joined& joined) {
  if (joined.join == expr::id::kLogicalAnd || joined.join == expr::id::kMultiply ||
      joined.join == expr::id::kMinimum) {
    joined.join = expr::id::kBitwiseAnd;
  }
  if (joined.merge == expr::id::kLogicalOr || joined.merge == expr::id::kAdd ||
      joined.merge == expr::id::kMaximum) {
    joined.merge = expr::id::kBitwiseOr;
  }
  for (DType* const type : {&joined.type, &joined.a_type, &joined.b_type}) {
    *type = *type == DType::b1 ? DType::u8 : *type;
  }
}

/// Reads the merged value from node `root` of the first body on.
OrRefusal<Joined> read_from(const expr::TileStatement& statement, int32_t root,
                            const std::string& merge) {
  const expr::Scalar& body = statement.bodies[0];
  Joined joined;
  joined.merge = merge;
  joined.type = body.dtype();
  const std::optional<int32_t> inner = argument_of_root(body, root, joined.of_join);
  if (!inner) {
    joined.of_join.clear();
  }
  const expr::Call* join = call_at(body, inner.value_or(root), 2);
  const auto a = join == nullptr ? std::nullopt : access_at(body, join->arguments[0]);
  const auto b = join == nullptr ? std::nullopt : access_at(body, join->arguments[1]);
  const bool is_of_type =
      join != nullptr && node_at(body, join->arguments[0]).dtype == joined.type &&
      node_at(body, join->arguments[1]).dtype == joined.type &&
      (joined.type != DType::b1 || (a && b && a->second == DType::b1 && b->second == DType::b1));
  if (!a || !b || !is_of_type) {
    return Refusal{"what is reduced is not a function of two accesses in the type of the result"};
  }
  joined.join = join->function;
  std::tie(joined.a, joined.a_type) = *a;
  std::tie(joined.b, joined.b_type) = *b;
  if (joined.type == DType::b1) {
    use_bytes(joined);
  }
  return joined;
}

int32_t root_of(const expr::TileStatement& statement) {
  return static_cast<int32_t>(statement.bodies[0].nodes.size()) - 1;
}

/// Returns the function that merges the only state of a statement.
OrRefusal<std::string> merge_of(const expr::TileStatement& statement) {
  const expr::Reduce* reduce = expr::reduction_of(statement);
  if (reduce == nullptr) {
    return Refusal{"it is not one reduction"};
  }
  const std::optional<std::string> merge = expr::merging_function(reduce->monoid);
  if (!merge) {
    return Refusal{"its aggregate is not one function of one state"};
  }
  return *merge;
}

}  // namespace

OrRefusal<Joined> read_joined_by(const expr::TileStatement& statement, const std::string& merge) {
  return read_from(statement, root_of(statement), merge);
}

OrRefusal<Joined> read_joined(const expr::TileStatement& statement) {
  const OrRefusal<std::string> merge = merge_of(statement);
  return merge ? read_joined_by(statement, *merge) : merge.refusal();
}

OrRefusal<WeightedJoined> read_weighted_joined(const expr::TileStatement& statement) {
  const OrRefusal<std::string> merge = merge_of(statement);
  if (!merge) {
    return merge.refusal();
  }
  const expr::Scalar& body = statement.bodies[0];
  const expr::Call* product = call_at(body, root_of(statement), 2);
  if (product != nullptr && product->function == expr::id::kMultiply) {
    for (const size_t side : {0, 1}) {
      const auto weights = access_at(body, product->arguments[side]);
      if (!weights || node_at(body, product->arguments[side]).dtype != body.dtype()) {
        continue;
      }
      if (OrRefusal<Joined> joined = read_from(statement, product->arguments[1 - side], *merge)) {
        return WeightedJoined{std::move(*joined), weights->first, weights->second};
      }
    }
  }
  OrRefusal<Joined> joined = read_joined_by(statement, *merge);
  if (!joined) {
    return joined.refusal();
  }
  return WeightedJoined{std::move(*joined), std::nullopt, joined->type};
}

std::string describe(const Joined& joined) {
  return fmt::format("{}{}{} of {} by {}", joined.of_join, joined.of_join.empty() ? "" : " of ",
                     joined.join, name_of(joined.type), joined.merge);
}

}  // namespace tessera::kernels
