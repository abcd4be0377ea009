#include "frontend/einsum/program/grouping_warnings.h"

#include <algorithm>
#include <set>

#include "base/overload.h"
#include "expr/function_ids.h"

namespace tessera::frontend {

namespace {

using Names = std::set<std::string>;

bool is_comparison(const CallSyntax& call) {
  namespace id = expr::id;
  const std::string& name = call.function.text;
  return call.is_operator &&
         (name == id::kEqual || name == id::kNotEqual || name == id::kLess ||
          name == id::kLessEqual || name == id::kGreater || name == id::kGreaterEqual);
}

bool is_division(const CallSyntax& call) {
  namespace id = expr::id;
  const std::string& name = call.function.text;
  return call.is_operator &&
         (name == id::kDivide || name == id::kFloorDivide || name == id::kRemainder);
}

bool is_product(const CallSyntax& call) {
  return is_division(call) || (call.is_operator && call.function.text == expr::id::kMultiply);
}

/// A walk over the statements of a program with the labels known around each expression.
class Groupings {
 public:
  Groupings(const ProgramSyntax& syntax, const expr::AggregateRegistry& aggregates,
            Diagnostics& warnings)
      : syntax_(syntax), aggregates_(aggregates), warnings_(warnings) {}

  void walk(ExpressionId id, const Names& labels) {
    const ExpressionSyntax& expression = syntax_.at(id);
    std::visit(
        Overload{
            [](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax, AccessSyntax> auto&) {},
            [&](const CallSyntax& call) {
              check_comparison(expression, call);
              check_division(expression, call, labels);
              check_running(expression, call);
              walk_all(call.arguments, labels);
            },
            [&](const ApplicationSyntax& application) {
              Names inner = labels;
              inner.merge(labels_of(application.labels));
              walk_all(application.arguments, inner);
            }},
        expression.of);
  }

  /// Returns the names that stand alone in brackets.
  Names labels_of(const std::vector<IndexSyntax>& indices) const {
    Names names;
    for (const IndexSyntax& index : indices) {
      if (index.value && !index.is_slice) {
        names.merge(names_in(*index.value));
      }
    }
    return names;
  }

 private:
  void walk_all(const std::vector<ExpressionId>& all, const Names& labels) {
    for (const ExpressionId id : all) {
      walk(id, labels);
    }
  }

  /// Returns every name of an expression, including those in its indices.
  Names names_in(ExpressionId id) const {
    Names names;
    const auto add = [&](const std::vector<ExpressionId>& all) {
      for (const ExpressionId argument : all) {
        names.merge(names_in(argument));
      }
    };
    std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) {},
                        [&](const AccessSyntax& access) {
                          names = labels_of(access.indices);
                          names.insert(access.name.text);
                        },
                        [&](const CallSyntax& call) { add(call.arguments); },
                        [&](const ApplicationSyntax& application) {
                          names = labels_of(application.labels);
                          add(application.arguments);
                        }},
               syntax_.at(id).of);
    return names;
  }

  /// Returns a part of the text on one line.
  std::string text(int64_t begin, int64_t end) const {
    std::string part = warnings_.source().text.substr(static_cast<size_t>(begin),
                                                      static_cast<size_t>(end - begin));
    std::replace(part.begin(), part.end(), '\n', ' ');
    const size_t first = std::min(part.find_first_not_of(' '), part.size());
    return part.substr(first, part.find_last_not_of(' ') + 1 - first);
  }

  /// Returns the end of an application's brackets if it takes the operand after them; nothing for a
  /// call, whose parenthesis follows directly.
  std::optional<int64_t> end_of_brackets(const ApplicationSyntax& application) const {
    const std::string& source = warnings_.source().text;
    if (application.labels.empty() || application.arguments.size() != 1) {
      return std::nullopt;
    }
    const auto last = static_cast<size_t>(application.labels.back().span.end);
    const size_t end = source.find(']', last) + 1;
    return end >= source.size() || source[end] == '(' ? std::nullopt
                                                      : std::optional(static_cast<int64_t>(end));
  }

  /// True if an aggregate gives truth values for all operands.
  bool is_of_truth(const std::string& name) const {
    const expr::Aggregate* aggregate = aggregates_.find(name);
    return aggregate != nullptr && is_bool(aggregate->bind(DType::f64).result());
  }

  void check_comparison(const ExpressionSyntax& expression, const CallSyntax& call) {
    if (!is_comparison(call)) {
      return;
    }
    for (const ExpressionId side : call.arguments) {
      const ExpressionSyntax& operand = syntax_.at(side);
      const auto* application = std::get_if<ApplicationSyntax>(&operand.of);
      const bool is_left = operand.span.begin == expression.span.begin;
      const bool is_bare = is_left || operand.span.end == expression.span.end;
      if (application == nullptr || !is_bare || !is_of_truth(application->name.text)) {
        continue;
      }
      if (const std::optional<int64_t> end = end_of_brackets(*application)) {
        warn_of_comparison(expression, operand, application->name.text, *end, is_left);
      }
    }
  }

  void warn_of_comparison(const ExpressionSyntax& whole, const ExpressionSyntax& operand,
                          const std::string& name, int64_t end, bool is_left) {
    const std::string head = text(operand.span.begin, end);
    const std::string before = is_left ? "" : text(whole.span.begin, operand.span.begin) + " ";
    const std::string behind = is_left ? " " + text(operand.span.end, whole.span.end) : "";
    const std::string argument = text(end, operand.span.end);
    warn(whole.span,
         fmt::format("{} takes {} alone, and its truth value is compared", name, argument),
         fmt::format("write {} ({}{}{}) to compare each, or {}({} {}){} for what this computes",
                     head, before, argument, behind, before, head, argument, behind));
  }

  void check_division(const ExpressionSyntax& expression, const CallSyntax& call,
                      const Names& labels) {
    if (!is_division(call)) {
      return;
    }
    const ExpressionSyntax& divisor = syntax_.at(call.arguments[1]);
    const auto* application = std::get_if<ApplicationSyntax>(&divisor.of);
    if (application == nullptr || divisor.span.end != expression.span.end ||
        !end_of_brackets(*application)) {
      return;
    }
    const ExpressionSyntax& argument = syntax_.at(application->arguments[0]);
    const auto* product = std::get_if<CallSyntax>(&argument.of);
    if (product == nullptr || !is_product(*product) || argument.span.end != divisor.span.end ||
        is_of_aggregate(*application, product->arguments[1], labels)) {
      return;
    }
    warn_of_division(expression, divisor, *application, *product);
  }

  /// True if a factor has a label of the aggregate that nothing else around it has.
  bool is_of_aggregate(const ApplicationSyntax& application, ExpressionId factor,
                       const Names& labels) const {
    const Names bound = labels_of(application.labels);
    const Names named = names_in(factor);
    return std::any_of(bound.begin(), bound.end(), [&](const std::string& label) {
      return named.contains(label) && !labels.contains(label);
    });
  }

  void warn_of_division(const ExpressionSyntax& whole, const ExpressionSyntax& divisor,
                        const ApplicationSyntax& application, const CallSyntax& product) {
    const int64_t sign = product.function.span.begin;
    const std::string before = text(whole.span.begin, divisor.span.begin);
    const std::string divisor_text = text(divisor.span.begin, divisor.span.end);
    warn(whole.span,
         fmt::format("{} takes the product that follows it: this divides by all of {}",
                     application.name.text, divisor_text),
         fmt::format("write {} ({}) {} to divide by less, or {} ({}) for what this computes",
                     before, text(divisor.span.begin, sign), text(sign, divisor.span.end), before,
                     divisor_text));
  }

  /// True if a name is that of a scan, which takes the operand after it.
  bool is_running(const std::string& name) const {
    constexpr std::string_view kCumulative = "cum";
    return name.starts_with(kCumulative) &&
           aggregates_.find(name.substr(kCumulative.size())) != nullptr;
  }

  void check_running(const ExpressionSyntax& expression, const CallSyntax& call) {
    namespace id = expr::id;
    const bool is_sum = call.is_operator && call.arguments.size() == 2 &&
                        (call.function.text == id::kAdd || call.function.text == id::kSubtract);
    if (!is_sum) {
      return;
    }
    const ExpressionSyntax& scanned = syntax_.at(call.arguments[0]);
    const auto* scan = std::get_if<ApplicationSyntax>(&scanned.of);
    if (scan == nullptr || !is_running(scan->name.text) ||
        scanned.span.begin != expression.span.begin) {
      return;
    }
    const Names along = labels_of(scan->labels);
    const Names behind = names_in(call.arguments[1]);
    const bool is_along = std::any_of(along.begin(), along.end(), [&](const std::string& label) {
      return behind.contains(label);
    });
    const std::optional<int64_t> end = end_of_brackets(*scan);
    if (is_along && end) {
      warn_of_running(expression, scanned, scan->name.text, *end);
    }
  }

  void warn_of_running(const ExpressionSyntax& whole, const ExpressionSyntax& scanned,
                       const std::string& name, int64_t end) {
    const std::string head = text(scanned.span.begin, end);
    const std::string taken = text(end, scanned.span.end);
    const std::string behind = text(scanned.span.end, whole.span.end);
    warn(whole.span, fmt::format("{} takes {} alone, not what stands behind it", name, taken),
         fmt::format("write {} ({} {}) to take both, or ({} {}) {} for what this computes", head,
                     taken, behind, head, taken, behind));
  }

  void warn(SourceSpan span, std::string message, std::string help) {
    Diagnostic warning{ErrorKind::user, span, std::move(message), std::move(help), {}};
    warning.severity = Severity::warning;
    warnings_.add(std::move(warning));
  }

  const ProgramSyntax& syntax_;
  const expr::AggregateRegistry& aggregates_;
  Diagnostics& warnings_;
};

}  // namespace

void warn_of_groupings(const ProgramSyntax& syntax, const expr::AggregateRegistry& aggregates,
                       Diagnostics& warnings) {
  Groupings groupings(syntax, aggregates, warnings);
  for (const Statement& statement : syntax.statements) {
    std::visit(
        Overload{[](const Among<InputStatement, LabelStatement, ParameterStatement,
                                AggregateStatement, OutputStatement, CountStatement> auto&) {},
                 [&](const MacroStatement& macro) {
                   Names labels;
                   for (const NameSyntax& label : macro.labels) {
                     labels.insert(label.text);
                   }
                   groupings.walk(macro.body, labels);
                 },
                 [&](const Assignment& assignment) {
                   groupings.walk(assignment.value, groupings.labels_of(assignment.labels));
                 }},
        statement.of);
  }
}

}  // namespace tessera::frontend
