#include "kernels/reference/scalar_code.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "base/error.h"
#include "expr/function_ids.h"
#include "kernels/half_casts.h"
#include "types/half_rounding.h"
#include "types/native.h"

namespace tessera::kernels {

namespace {

constexpr size_t kMaxArguments = 8;

BlockFunction code_of(const expr::Scalar& scalar, const expr::Cast& cast, DType dtype, Isa isa) {
  const DType from = scalar.nodes[static_cast<size_t>(cast.argument)].dtype;
  return rounds_to_half(from, dtype) ? find_half_cast(from, dtype)
                                     : find_block_cast(from, dtype, isa);
}

/// Returns the code of a power without a logarithm in the kernels of an instruction set; null if it
/// needs one.
BlockFunction half_power_of(const expr::Scalar& scalar, const expr::Call& call, DType dtype,
                            Isa isa) {
  if (call.function != expr::id::kPower || isa == Isa::scalar) {
    return nullptr;
  }
  const expr::Node& exponent = scalar.nodes[static_cast<size_t>(call.arguments[1])];
  const auto* constant = std::get_if<expr::Constant>(&exponent.op);
  return constant == nullptr ? nullptr : find_half_power(compute_type(dtype), constant->value, isa);
}

BlockFunction code_of(const expr::Scalar& scalar, const expr::Call& call, DType dtype, Isa isa) {
  expr::FunctionTypes types{{}, dtype};
  for (const int32_t argument : call.arguments) {
    types.arguments.push_back(scalar.nodes[static_cast<size_t>(argument)].dtype);
  }
  TESSERA_CHECK(types.arguments.size() <= kMaxArguments, "{} has {} arguments", call.function,
                types.arguments.size());
  if (const BlockFunction power = half_power_of(scalar, call, dtype, isa)) {
    return power;
  }
  const BlockFunction code = find_block_function(call.function, types, isa);
  TESSERA_CHECK(code != nullptr, "{} has no code for {} arguments giving {}", call.function,
                types.arguments.size(), name_of(dtype));
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

/// Runs a block function on one element in buffers that have room for whole vectors.
Status call_in_vectors(BlockFunction function, std::span<const int32_t> arguments, size_t result,
                       std::span<Element> values) noexcept {
  constexpr size_t kVectorElements = 64;  // bytes of the longest vector
  using Buffer = std::array<Element, kVectorElements>;
  std::array<Buffer, kMaxArguments> inputs;
  Buffer output;
  std::array<const void*, kMaxArguments> addresses{};
  for (size_t position = 0; position < arguments.size(); ++position) {
    inputs[position].fill({});
    inputs[position][0] = values[static_cast<size_t>(arguments[position])];
    addresses[position] = inputs[position].data();
  }
  const Status status = function(addresses.data(), output.data(), 1);
  values[result] = output[0];
  return status;
}

/// Returns the value of a node that is an index. A value larger than any index becomes negative,
/// which is outside just as well.
int64_t position_in(const Element& value, DType dtype) {
  int64_t position = -1;
  visit_compute_type(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
      T number = 0;
      std::memcpy(&number, value.bytes, sizeof(T));
      position = static_cast<int64_t>(number);
    }
  });
  return position;
}

/// The element that an access reads: one of its operand or the value of a pad. Neither is a fault.
struct Place {
  std::byte* element = nullptr;
  const expr::Pad* pad = nullptr;
};

/// Returns the position in the tile that an index reads; nothing if it is outside. A mode with a
/// boundary is whole, so the tile begins and ends with it; one with its border begins before.
std::optional<int64_t> position_in_tile(const OperandView& view, size_t mode,
                                        const expr::Index& index, std::span<const int64_t> labels,
                                        int64_t gathered) {
  const std::optional<int64_t> position = expr::position_of(index, labels, gathered);
  const int64_t begin = view.origin[mode];
  if (position && *position >= begin && *position - begin < view.shape[mode]) {
    return *position - begin;
  }
  const std::optional<int64_t> inside =
      position ? expr::bounded(*position, begin + view.shape[mode], expr::boundary_of(index))
               : std::nullopt;
  return inside && *inside >= begin ? std::optional(*inside - begin) : std::nullopt;
}

/// Returns the place of a read. `gathered(node)` is the value of a node that an index reads.
template <class Gathered>
Place place_of(const OperandView& view, const std::vector<expr::Index>& index,
               std::span<const int64_t> labels, Gathered gathered) {
  int64_t offset = 0;
  for (size_t mode = 0; mode < index.size(); ++mode) {
    int64_t value = 0;
    expr::for_each_node(index[mode], [&](int32_t node) { value = gathered(node); });
    const std::optional<int64_t> position =
        position_in_tile(view, mode, index[mode], labels, value);
    if (!position) {
      return {nullptr, std::get_if<expr::Pad>(&expr::boundary_of(index[mode]))};
    }
    offset += *position * view.strides[mode];
  }
  return {view.data + offset * size_of(view.dtype), nullptr};
}

/// Notes which call has no value, if anyone asks.
void note_call(const expr::Scalar& scalar, size_t number, const ScalarContext& context) noexcept {
  DataFault* const noted = context.out_of_range;
  if (noted != nullptr && std::holds_alternative<expr::Call>(scalar.nodes[number].op)) {
    std::copy(context.labels.begin(), context.labels.end(), noted->labels.begin());
    noted->body = &scalar;
    noted->node = static_cast<int32_t>(number);
  }
}

/// Loads a pad like an element of the operand.
void load_pad(const expr::Pad& pad, DType dtype, Element& to) {
  Element stored{};
  store_element(dtype, element_of(pad.value, dtype), stored.bytes);
  load_element(dtype, stored.bytes, to);
}

}  // namespace

OperandView operand_view_of(const TileView& view) noexcept {
  return {view.data, view.dtype, view.shape.data(), view.strides.data(), view.origin.data()};
}

std::byte* locate(const OperandView& view, const std::vector<expr::Index>& index,
                  std::span<const int64_t> labels) noexcept {
  return place_of(view, index, labels, [](int32_t) { return int64_t{-1}; }).element;
}

ScalarCode::ScalarCode(const expr::Scalar& scalar, Isa isa) : scalar_(scalar), isa_(isa) {
  for (const expr::Node& node : scalar_.nodes) {
    BlockFunction& function = functions_.emplace_back(nullptr);
    Element& value = constants_.emplace_back();
    std::visit(Overload{[&](const Among<expr::Call, expr::Cast> auto& computed) {
                          function = code_of(scalar_, computed, node.dtype, isa_);
                        },
                        [&](const expr::Constant& constant) {
                          value = element_of(constant.value, node.dtype);
                        },
                        [](const Among<expr::Access, expr::IndexOf, expr::Parameter> auto&) {}},
               node.op);
  }
}

Status ScalarCode::evaluate(const ScalarContext& context,
                            std::span<Element> values) const noexcept {
  for (size_t number = 0; number < scalar_.nodes.size(); ++number) {
    const Status status = evaluate_node(number, context, values);
    if (status != Status::ok) {
      note_call(scalar_, number, context);
      return status;
    }
  }
  return Status::ok;
}

Status ScalarCode::call(size_t number, std::span<const int32_t> arguments,
                        std::span<Element> values) const noexcept {
  return isa_ == Isa::scalar ? call_once(functions_[number], arguments, number, values)
                             : call_in_vectors(functions_[number], arguments, number, values);
}

Status ScalarCode::evaluate_node(size_t number, const ScalarContext& context,
                                 std::span<Element> values) const noexcept {
  const expr::Node& node = scalar_.nodes[number];
  return std::visit(
      Overload{
          [&](const expr::Constant&) {
            values[number] = constants_[number];
            return Status::ok;
          },
          [&](const expr::Access& access) { return read(access, context, values, values[number]); },
          [&](const expr::IndexOf& index) {
            const int64_t value = context.labels[static_cast<size_t>(index.label)];
            std::memcpy(values[number].bytes, &value, sizeof(value));
            return Status::ok;
          },
          [&](const expr::Parameter& parameter) {
            values[number] = context.parameters[parameter.position];
            return Status::ok;
          },
          [&](const expr::Call& call) { return this->call(number, call.arguments, values); },
          [&](const expr::Cast& cast) {
            return this->call(number, {&cast.argument, 1}, values);
          }},
      node.op);
}

Status ScalarCode::read(const expr::Access& access, const ScalarContext& context,
                        std::span<const Element> values, Element& to) const noexcept {
  const OperandView& view = context.operands[static_cast<size_t>(access.operand)];
  const Place place = place_of(view, access.index, context.labels, [&](int32_t node) {
    const auto number = static_cast<size_t>(node);
    return position_in(values[number], scalar_.nodes[number].dtype);
  });
  if (place.element == nullptr && place.pad == nullptr) {
    note_out_of_range(access, context, values);
    return Status::out_of_range;
  }
  if (place.pad != nullptr) {
    load_pad(*place.pad, view.dtype, to);
  } else {
    load_element(view.dtype, place.element, to);
  }
  return Status::ok;
}

void ScalarCode::note_out_of_range(const expr::Access& access, const ScalarContext& context,
                                   std::span<const Element> values) const noexcept {
  const OperandView& view = context.operands[static_cast<size_t>(access.operand)];
  DataFault* const noted = context.out_of_range;
  for (size_t mode = 0; noted != nullptr && mode < access.index.size(); ++mode) {
    int32_t node = -1;
    expr::for_each_node(access.index[mode], [&](int32_t gathered) { node = gathered; });
    const int64_t gathered = node < 0 ? 0
                                      : position_in(values[static_cast<size_t>(node)],
                                                    scalar_.nodes[static_cast<size_t>(node)].dtype);
    if (!position_in_tile(view, mode, access.index[mode], context.labels, gathered)) {
      std::copy(context.labels.begin(), context.labels.end(), noted->labels.begin());
      noted->body = &scalar_;
      noted->node = node;
      noted->operand = access.operand;
      noted->mode = mode;
      noted->position =
          expr::position_of(access.index[mode], context.labels, gathered).value_or(-1);
      noted->extent = view.origin[mode] + view.shape[mode];
      return;
    }
  }
}

}  // namespace tessera::kernels
