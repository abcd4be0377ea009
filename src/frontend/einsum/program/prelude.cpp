#include "frontend/einsum/program/prelude.h"

#include <optional>
#include <utility>
#include <variant>

#include "base/error.h"
#include "frontend/einsum/program/aggregate_definition.h"
#include "frontend/einsum/program/parser.h"

namespace tessera::frontend {

namespace {

Diagnostics prelude_findings() {
  return Diagnostics({"prelude.ein", prelude_text()});
}

/// An aggregate of the prelude: one of a scan.
UserAggregate scanned_aggregate(const AggregateStatement& statement, const ProgramSyntax& prelude,
                                const Vocabulary& vocabulary, const ProgramScope& scope) {
  Diagnostics findings = prelude_findings();
  std::optional<UserAggregate> made =
      define_aggregate(statement, prelude, scope, vocabulary, findings);
  TESSERA_CHECK(made.has_value(), "aggregate {} of the prelude", statement.name.text);
  made->order_matters = "its order matters";
  made->is_of_prelude = true;
  return std::move(*made);
}

}  // namespace

ProgramSyntax parsed_prelude() {
  Diagnostics findings = prelude_findings();
  ProgramSyntax prelude = parse_program(findings);
  TESSERA_CHECK(findings.empty(), "{}", findings.render());
  return prelude;
}

void add_prelude(const ProgramSyntax& prelude, const Vocabulary& vocabulary, ProgramScope& scope) {
  for (const Statement& statement : prelude.statements) {
    if (const auto* aggregate = std::get_if<AggregateStatement>(&statement.of)) {
      scope.aggregates[aggregate->name.text] =
          scanned_aggregate(*aggregate, prelude, vocabulary, scope);
    } else {
      const auto& macro = std::get<MacroStatement>(statement.of);
      scope.prelude[macro.name.text] = {&prelude, &macro};
    }
  }
}

}  // namespace tessera::frontend
