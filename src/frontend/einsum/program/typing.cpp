#include "frontend/einsum/program/typing.h"

#include "base/error.h"
#include "base/overload.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::frontend {

Value Typing::value_of(int32_t number) {
  const ResolvedNode& node = nodes_[static_cast<size_t>(number)];
  return std::visit(
      Overload{
          [&](const Literal& literal) { return builder_.number(literal); },
          [&](const ResolvedCall& call) {
            std::vector<Value> arguments;
            for (const int32_t argument : call.arguments) {
              arguments.push_back(value_of(argument));
            }
            at_ = node.span;
            return naming_macro(node, [&] {
              return call.function == kMasked ? builder_.masked(arguments[0], arguments[1])
                                              : builder_.call(call.function, arguments);
            });
          },
          [&](const ResolvedCast& cast) {
            const Value argument = value_of(cast.argument);
            at_ = node.span;
            return cast.dtype ? builder_.cast(argument, *cast.dtype) : builder_.floating(argument);
          },
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
