#include "frontend/einsum/program/aggregate_definition.h"

#include <utility>

#include "base/error.h"
#include "frontend/einsum/program/number.h"
#include "frontend/einsum/program/resolver.h"

namespace tessera::frontend {

namespace {

class Definition {
 public:
  Definition(const AggregateStatement& statement, const ProgramSyntax& syntax,
             const ProgramScope& scope, const Vocabulary& vocabulary, Diagnostics& findings)
      : statement_(statement),
        syntax_(syntax),
        scope_(scope),
        vocabulary_(vocabulary),
        findings_(findings) {}

  std::optional<UserAggregate> run() {
    const size_t num_entries = statement_.left.size();
    if (statement_.right.size() != num_entries || statement_.combine.size() != num_entries ||
        statement_.identity.size() != num_entries) {
      findings_.add(
          {ErrorKind::user,
           statement_.name.span,
           fmt::format("the states of {} have {} and {} numbers, but it combines to {} and "
                       "has an identity of {}",
                       statement_.name.text, num_entries, statement_.right.size(),
                       statement_.combine.size(), statement_.identity.size()),
           "aggregate name((a, b), (c, d)) = (a * c, b * c + d) identity (1, 0)",
           {}});
      return std::nullopt;
    }
    UserAggregate made;
    bool is_sound = true;
    for (const ExpressionId entry : statement_.combine) {
      is_sound = add(resolved(entry, true), made.combine) && is_sound;
    }
    for (const ExpressionId entry : statement_.identity) {
      is_sound =
          add(number_of(entry, syntax_, scope_, vocabulary_, findings_), made.identity) && is_sound;
    }
    if (statement_.result) {
      made.result = resolved(*statement_.result, false);
      is_sound = is_sound && made.result.has_value();
    }
    return is_sound ? std::optional(std::move(made)) : std::nullopt;
  }

 private:
  template <class Value>
  static bool add(std::optional<Value> value, std::vector<Value>& values) {
    if (value) {
      values.push_back(std::move(*value));
    }
    return value.has_value();
  }

  /// Resolves an expression over the names of the left state, and of the right one if there is one.
  std::optional<ResolvedExpression> resolved(ExpressionId expression, bool has_right) {
    Environment environment(syntax_);
    int32_t position = 0;
    for (const NameSyntax& name : statement_.left) {
      environment.add_parameter(name.text, position++);
    }
    for (const NameSyntax& name : has_right ? statement_.right : std::vector<NameSyntax>()) {
      environment.add_parameter(name.text, position++);
    }
    return Resolver(scope_, vocabulary_, findings_).resolve(expression, environment);
  }

  const AggregateStatement& statement_;
  const ProgramSyntax& syntax_;
  const ProgramScope& scope_;
  const Vocabulary& vocabulary_;
  Diagnostics& findings_;
};

}  // namespace

std::optional<UserAggregate> define_aggregate(const AggregateStatement& statement,
                                              const ProgramSyntax& syntax,
                                              const ProgramScope& scope,
                                              const Vocabulary& vocabulary, Diagnostics& findings) {
  return Definition(statement, syntax, scope, vocabulary, findings).run();
}

}  // namespace tessera::frontend
