#include "frontend/einsum/program/expression_text.h"

#include "base/error.h"
#include "frontend/einsum/program/parser.h"
#include "frontend/einsum/program/prelude.h"
#include "frontend/einsum/program/resolver.h"
#include "frontend/einsum/program/typing.h"

namespace tessera::frontend {

namespace {

expr::Scalar type_expression(const ResolvedExpression& resolved, const std::vector<DType>& dtypes,
                             const Vocabulary& vocabulary, SourceSpan& at) {
  ExpressionBuilder builder(vocabulary);
  const auto leaf = [&](const ResolvedNode& node) -> Value {
    const ResolvedParameter* parameter = parameter_at(node);
    return parameter == nullptr
               ? no_leaf(node)
               : builder.parameter(parameter->position,
                                   dtypes[static_cast<size_t>(parameter->position)]);
  };
  GuardValues guards;
  return builder.finish(Typing(resolved.nodes, builder, guards, leaf, at).value_of(resolved.root));
}

}  // namespace

Result<expr::Scalar> bind_expression(const SourceText& source,
                                     const std::vector<std::string>& parameter_names,
                                     const std::vector<DType>& parameter_dtypes,
                                     const Vocabulary& vocabulary) {
  Diagnostics findings(source);
  const ProgramSyntax syntax = parse_expression(findings);
  if (!findings.empty()) {
    return findings;
  }
  const ProgramSyntax prelude = parsed_prelude();
  ProgramScope scope;
  for (const Statement& statement : prelude.statements) {
    if (const auto* macro = std::get_if<MacroStatement>(&statement.of)) {
      scope.prelude[macro->name.text] = {&prelude, macro};
    }
  }
  Environment environment(syntax);
  for (size_t position = 0; position < parameter_names.size(); ++position) {
    environment.add_parameter(parameter_names[position], static_cast<int32_t>(position));
  }
  Resolver resolver(scope, vocabulary, findings);
  const std::optional<ResolvedExpression> resolved =
      resolver.resolve(*syntax.expression, environment);
  if (!resolved) {
    return findings;
  }
  SourceSpan at;
  try {
    return type_expression(*resolved, parameter_dtypes, vocabulary, at);
  } catch (const Error& error) {
    findings.add({error.kind(), at, error.message(), "", {}});
    return findings;
  }
}

}  // namespace tessera::frontend
