#include "kernels/cpu/semiring/labels.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "expr/function_ids.h"
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

/// The functions of a body, and the two accesses that they join.
struct Body {
  std::string join;
  std::string of_join;
  const expr::Access* a = nullptr;
  const expr::Access* b = nullptr;
};

/// The argument of an abs or a square at the root, however the square is written; nothing
/// where there is something else.
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

std::optional<Body> body_of(const expr::Scalar& scalar) {
  Body body;
  int32_t root = static_cast<int32_t>(scalar.nodes.size()) - 1;
  const std::optional<int32_t> inner = argument_of_root(scalar, root, body.of_join);
  if (inner) {
    root = *inner;
  } else {
    body.of_join.clear();
  }
  const expr::Call* join = call_at(scalar, root, 2);
  if (join == nullptr) {
    return std::nullopt;
  }
  body.join = join->function;
  body.a = std::get_if<expr::Access>(&node_at(scalar, join->arguments[0]).op);
  body.b = std::get_if<expr::Access>(&node_at(scalar, join->arguments[1]).op);
  if (body.a == nullptr || body.b == nullptr) {
    return std::nullopt;
  }
  return body;
}

/// Truth values are bytes of 0 and 1.
void use_bytes(Body& body, std::string& merge) {
  if (body.join == expr::id::kLogicalAnd || body.join == expr::id::kMultiply ||
      body.join == expr::id::kMinimum) {
    body.join = expr::id::kBitwiseAnd;
  }
  if (merge == expr::id::kLogicalOr || merge == expr::id::kAdd || merge == expr::id::kMaximum) {
    merge = expr::id::kBitwiseOr;
  }
}

const SemiringEntry* find_entry(const Body& body, const std::string& merge, DType type, Isa isa) {
  for (const SemiringEntry& entry : semiring_entries(isa)) {
    const std::string of_join = entry.of_join == nullptr ? "" : entry.of_join;
    if (entry.type == type && body.join == entry.join && body.of_join == of_join &&
        merge == entry.merge) {
      return &entry;
    }
  }
  return nullptr;
}

bool has_all_of_one_type(const expr::Scalar& scalar, const Body& body) {
  return std::all_of(scalar.nodes.begin(), scalar.nodes.end(), [&](const expr::Node& node) {
    const auto* access = std::get_if<expr::Access>(&node.op);
    return access == nullptr || node.dtype == scalar.dtype() ||
           !(*access == *body.a || *access == *body.b);
  });
}

/// Makes the output's innermost label one of n, so that results are stored side by side.
void turn(const expr::TileStatement& statement, const CallShape& shape, GemmLabels& labels) {
  for (auto label = statement.out.rbegin(); label != statement.out.rend(); ++label) {
    if (shape.ranges[static_cast<size_t>(*label)].length == 1) {
      continue;
    }
    if (std::find(labels.m.begin(), labels.m.end(), *label) != labels.m.end()) {
      std::swap(labels.a, labels.b);
      std::swap(labels.m, labels.n);
    }
    return;
  }
}

}  // namespace

OrRefusal<SemiringProduct> read_as_semiring(const expr::TileProgram& program,
                                            const CallShape& shape, Isa isa) {
  const expr::TileStatement& statement = program.statements[0];
  const expr::Reduce* reduce = expr::reduction_of(statement);
  if (reduce == nullptr) {
    return Refusal{"it is not one reduction"};
  }
  std::optional<std::string> merge = expr::merging_function(reduce->monoid);
  if (!merge) {
    return Refusal{"its aggregate is not one function of one state"};
  }
  std::optional<Body> body = body_of(statement.bodies[0]);
  if (!body) {
    return Refusal{"what is reduced is not a function of two accesses"};
  }
  const DType type = statement.bodies[0].dtype();
  if (!has_all_of_one_type(statement.bodies[0], *body)) {
    return Refusal{fmt::format("its operands are not both {}", name_of(type))};
  }
  if (type == DType::b1) {
    use_bytes(*body, *merge);
  }
  const SemiringEntry* const entry =
      find_entry(*body, *merge, type == DType::b1 ? DType::u8 : type, isa);
  if (entry == nullptr) {
    return Refusal{fmt::format("there is no tile that merges {}{}{} of {} by {}", body->of_join,
                               body->of_join.empty() ? "" : " of ", body->join, name_of(type),
                               *merge)};
  }
  OrRefusal<GemmLabels> labels = sort_labels(program, *body->a, *body->b, type);
  if (!labels) {
    return labels.refusal();
  }
  turn(statement, shape, *labels);
  return SemiringProduct{std::move(*labels), entry};
}

}  // namespace tessera::kernels
