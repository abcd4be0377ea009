#include "frontend/einsum/program/number.h"

#include "base/error.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

std::optional<Literal> number_of(ExpressionId expression, const ProgramSyntax& syntax,
                                 const ProgramScope& scope, const Vocabulary& vocabulary,
                                 Diagnostics& findings) {
  Environment environment(syntax);
  const std::optional<ResolvedExpression> resolved =
      Resolver(scope, vocabulary, findings).resolve(expression, environment);
  if (!resolved) {
    return std::nullopt;
  }
  SourceSpan at;
  try {
    ExpressionBuilder builder(vocabulary);
    GuardValues guards;
    const Value value =
        Typing(resolved->nodes, builder, guards, &no_leaf, at).value_of(resolved->root);
    if (value.is_number()) {
      return value.number();
    }
    findings.add({ErrorKind::user,
                  syntax.at(expression).span,
                  "this must be a number without a dtype",
                  "",
                  {}});
  } catch (const Error& error) {
    if (error.kind() == ErrorKind::internal) {
      throw;
    }
    findings.add({error.kind(), at, error.message(), "", {}});
  }
  return std::nullopt;
}

}  // namespace tessera::frontend
