#include "frontend/einsum/program/typing.h"

#include "base/error.h"

namespace tessera::frontend {

Value Typing::value_of(int32_t number) {
  const ResolvedNode& node = nodes_[static_cast<size_t>(number)];
  if (const auto* literal = std::get_if<Literal>(&node.of)) {
    return builder_.number(*literal);
  }
  if (const auto* call = std::get_if<ResolvedCall>(&node.of)) {
    std::vector<Value> arguments;
    for (const int32_t argument : call->arguments) {
      arguments.push_back(value_of(argument));
    }
    at_ = node.span;
    return builder_.call(call->function, arguments);
  }
  if (const auto* cast = std::get_if<ResolvedCast>(&node.of)) {
    const Value argument = value_of(cast->argument);
    at_ = node.span;
    return builder_.cast(argument, cast->dtype);
  }
  at_ = node.span;
  return leaf_(node);
}

Value no_leaf(const ResolvedNode&) {
  throw_error(ErrorKind::user, "this must be a number: no tensor, label or aggregate");
}

}  // namespace tessera::frontend
