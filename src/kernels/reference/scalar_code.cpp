#include "kernels/reference/scalar_code.h"

#include <array>
#include <cstring>

#include "base/error.h"

namespace tessera::kernels {

namespace {

constexpr size_t kMaxArguments = 8;

BlockFunction find_code(const expr::Scalar& scalar, const expr::Node& node) {
  if (const auto* cast = std::get_if<expr::Cast>(&node.op)) {
    return find_block_cast(scalar.nodes[static_cast<size_t>(cast->argument)].dtype, node.dtype,
                           Isa::scalar);
  }
  const auto& call = std::get<expr::Call>(node.op);
  expr::FunctionTypes types{{}, node.dtype};
  for (const int32_t argument : call.arguments) {
    types.arguments.push_back(scalar.nodes[static_cast<size_t>(argument)].dtype);
  }
  TESSERA_CHECK(types.arguments.size() <= kMaxArguments, "{} has {} arguments", call.function,
                types.arguments.size());
  const BlockFunction code = find_block_function(call.function, types, Isa::scalar);
  TESSERA_CHECK(code != nullptr, "{} has no code for {} arguments giving {}", call.function,
                types.arguments.size(), name_of(node.dtype));
  return code;
}

/// Runs a block function on one element.
Status call_once(BlockFunction function, std::span<const int32_t> arguments, size_t result,
                 std::span<Element> values) noexcept {
  std::array<const void*, kMaxArguments> addresses{};
  for (size_t position = 0; position < arguments.size(); ++position) {
    addresses[position] = &values[static_cast<size_t>(arguments[position])];
  }
  return function(addresses.data(), &values[result], 1);
}

}  // namespace

OperandView operand_view_of(const TileView& view) noexcept {
  return {view.data, view.dtype, view.shape.data(), view.strides.data(), view.origin.data()};
}

std::byte* locate(const OperandView& view, const std::vector<expr::AffineIndex>& index,
                  std::span<const int64_t> labels) noexcept {
  int64_t offset = 0;
  for (size_t mode = 0; mode < index.size(); ++mode) {
    int64_t position = index[mode].offset - view.origin[mode];
    for (const expr::AffineIndex::Term& term : index[mode].terms) {
      position += term.coefficient * labels[static_cast<size_t>(term.label)];
    }
    if (position < 0 || position >= view.shape[mode]) {
      return nullptr;
    }
    offset += position * view.strides[mode];
  }
  return view.data + offset * size_of(view.dtype);
}

ScalarCode::ScalarCode(const expr::Scalar& scalar) : scalar_(scalar) {
  for (const expr::Node& node : scalar_.nodes) {
    const bool runs =
        std::holds_alternative<expr::Call>(node.op) || std::holds_alternative<expr::Cast>(node.op);
    functions_.push_back(runs ? find_code(scalar_, node) : nullptr);
    const auto* constant = std::get_if<expr::Constant>(&node.op);
    constants_.push_back(constant != nullptr ? element_of(constant->value, node.dtype) : Element{});
  }
}

Status ScalarCode::evaluate(const ScalarContext& context,
                            std::span<Element> values) const noexcept {
  for (size_t number = 0; number < scalar_.nodes.size(); ++number) {
    const Status status = evaluate_node(number, context, values);
    if (status != Status::ok) {
      return status;
    }
  }
  return Status::ok;
}

Status ScalarCode::evaluate_node(size_t number, const ScalarContext& context,
                                 std::span<Element> values) const noexcept {
  const expr::Node& node = scalar_.nodes[number];
  if (const auto* access = std::get_if<expr::Access>(&node.op)) {
    const OperandView& view = context.operands[static_cast<size_t>(access->operand)];
    const std::byte* source = locate(view, access->index, context.labels);
    if (source == nullptr) {
      return Status::out_of_range;
    }
    load_element(view.dtype, source, values[number]);
  } else if (const auto* index = std::get_if<expr::IndexOf>(&node.op)) {
    const int64_t value = context.labels[static_cast<size_t>(index->label)];
    std::memcpy(values[number].bytes, &value, sizeof(value));
  } else if (const auto* parameter = std::get_if<expr::Parameter>(&node.op)) {
    values[number] = context.parameters[parameter->position];
  } else if (const auto* call = std::get_if<expr::Call>(&node.op)) {
    return call_once(functions_[number], call->arguments, number, values);
  } else if (const auto* cast = std::get_if<expr::Cast>(&node.op)) {
    return call_once(functions_[number], {&cast->argument, 1}, number, values);
  } else {
    values[number] = constants_[number];
  }
  return Status::ok;
}

}  // namespace tessera::kernels
