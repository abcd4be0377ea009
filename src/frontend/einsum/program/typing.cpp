#include "frontend/einsum/program/typing.h"

#include "base/error.h"
#include "base/overload.h"
#include "expr/function_ids.h"
#include "frontend/einsum/expression/position_arithmetic.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::frontend {

Value Typing::guard_value(int32_t guard) {
  const auto known = guards_.find(guard);
  if (known != guards_.end()) {
    return known->second;
  }
  const SourceSpan at = at_;
  const Value value = value_of(guard);
  at_ = at;
  guards_.emplace(guard, value);
  return value;
}

Value Typing::value_of(const ResolvedNode& node, const ResolvedCall& call) {
  std::vector<Value> arguments;
  for (const int32_t argument : call.arguments) {
    arguments.push_back(value_of(argument));
  }
  at_ = node.span;
  if (call.function == expr::id::kInGroup && builder_.dtype_of(arguments[0]) == DType::u64) {
    // Numbers of 2^63 and more become negative, which are no groups.
    arguments[0] = builder_.cast(arguments[0], DType::i64);
  }
  const std::optional<NumberPlace> number = number_place(call, arguments);
  const Value made = naming_macro(node, [&] {
    if (call.function == kMasked) {
      return builder_.masked(arguments[0], arguments[1]);
    }
    if (call.function == kWidened) {
      return builder_.widened(arguments[0]);
    }
    if (call.function == kNarrowed) {
      return builder_.narrowed(arguments[0], arguments[1]);
    }
    if (call.function == kIsUnmasked) {
      return builder_.is_unmasked(arguments[0]);
    }
    if (call.function == kPosition) {
      return builder_.convert(arguments[0], DType::i64);
    }
    if (node.is_position) {
      arguments = position_arguments(builder_, call.function, std::move(arguments));
    }
    return node.guard ? builder_.guarded_call(call.function, std::move(arguments),
                                              [&] { return guard_value(*node.guard); })
                      : builder_.call(call.function, arguments);
  });
  warn_of_lost_numbers(node, number);
  return made;
}

Value Typing::value_of(const ResolvedNode& node, const ResolvedCast& cast) {
  const Value argument = value_of(cast.argument);
  at_ = node.span;
  const Value made =
      cast.dtype ? builder_.convert(argument, *cast.dtype) : builder_.floating(argument);
  warn_of_lost_numbers(node, std::nullopt);
  return made;
}

/// Returns where the number of two arguments stands; nothing if both are numbers, or neither.
std::optional<NumberPlace> Typing::number_place(const ResolvedCall& call,
                                                const std::vector<Value>& arguments) const {
  if (arguments.size() != 2 || arguments[0].is_number() == arguments[1].is_number()) {
    return std::nullopt;
  }
  const size_t number = arguments[0].is_number() ? 0 : 1;
  const auto span_of = [&](size_t argument) {
    return nodes_[static_cast<size_t>(call.arguments[argument])].span;
  };
  return NumberPlace{span_of(number), span_of(1 - number)};
}

void Typing::warn_of_lost_numbers(const ResolvedNode& node,
                                  const std::optional<NumberPlace>& place) {
  for (const LostNumber& lost : builder_.take_lost_numbers()) {
    if (warnings_ != nullptr) {
      warnings_->add(lost, node, place);
    }
  }
}

Value Typing::value_of(int32_t number) {
  const ResolvedNode& node = nodes_[static_cast<size_t>(number)];
  if (const auto known = guards_.find(number); known != guards_.end()) {
    return known->second;
  }
  return std::visit(
      Overload{
          [&](const Literal& literal) { return builder_.number(literal); },
          [&](const ResolvedCall& call) { return value_of(node, call); },
          [&](const ResolvedCast& cast) { return value_of(node, cast); },
          [&](const Among<ResolvedRead, ResolvedIndex, ResolvedSize, ResolvedParameter,
                          ResolvedReduction, ResolvedScan, ResolvedWhole, ResolvedConcat> auto&) {
            at_ = node.span;
            return leaf_(node);
          }},
      node.of);
}

Value no_leaf(const ResolvedNode&) {
  throw_error(ErrorKind::user, "this must be a number: no tensor, label or aggregate");
}

}  // namespace tessera::frontend
