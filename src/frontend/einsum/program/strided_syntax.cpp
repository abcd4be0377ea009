#include "frontend/einsum/program/strided_syntax.h"

#include <algorithm>

#include "base/overload.h"
#include "expr/function_ids.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::frontend {

StridedSyntax::StridedSyntax(const ProgramSyntax& syntax, const Vocabulary& vocabulary)
    : syntax_(syntax), vocabulary_(vocabulary) {
  for (const Statement& statement : syntax.statements) {
    std::visit(
        Overload{
            [&](const ParameterStatement& parameter) { parameters_.insert(parameter.name.text); },
            [&](const AggregateStatement& aggregate) { aggregates_.insert(aggregate.name.text); },
            [](const Among<InputStatement, LabelStatement, MacroStatement, Assignment,
                           OutputStatement, CountStatement> auto&) {}},
        statement.of);
  }
}

/// True if an expression is made of whole numbers, parameters, extents and labels by linear
/// operators; adds the labels.
bool StridedSyntax::is_linear(ExpressionId id, std::vector<NameSyntax>& labels) const {
  return std::visit(
      Overload{
          [](const NumberSyntax& number) { return std::holds_alternative<int64_t>(number.value); },
          [&](const AccessSyntax& access) {
            if (!access.has_brackets && !parameters_.contains(access.name.text)) {
              labels.push_back(access.name);
            }
            return !access.has_brackets;
          },
          [&](const CallSyntax& call) {
            const std::string& name = call.function.text;
            const bool is_sum = name == expr::id::kNegative || name == expr::id::kAdd ||
                                name == expr::id::kSubtract || name == expr::id::kMultiply;
            const bool is_known = call.is_operator ? is_sum : name == kSize;
            return is_known &&
                   std::all_of(call.arguments.begin(), call.arguments.end(),
                               [&](ExpressionId argument) { return is_linear(argument, labels); });
          },
          [](const Among<ApplicationSyntax, UnsupportedSyntax, VersionSyntax> auto&) {
            return false;
          }},
      syntax_.at(id).of);
}

/// True if an aggregate in an expression binds a label.
bool StridedSyntax::binds(ExpressionId id, const std::string& label) const {
  const auto any_binds = [&](const std::vector<ExpressionId>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(),
                       [&](ExpressionId argument) { return binds(argument, label); });
  };
  const auto is_it = [&](const IndexSyntax& index) {
    const auto* access =
        index.value ? std::get_if<AccessSyntax>(&syntax_.at(*index.value).of) : nullptr;
    return access != nullptr && access->name.text == label;
  };
  return std::visit(
      Overload{[](const Among<NumberSyntax, AccessSyntax, UnsupportedSyntax, VersionSyntax> auto&) {
                 return false;
               },
               [&](const CallSyntax& call) { return any_binds(call.arguments); },
               [&](const ApplicationSyntax& application) {
                 const std::string& name = application.name.text;
                 const bool is_aggregate =
                     aggregates_.contains(name) || vocabulary_.aggregates.find(name) != nullptr;
                 return any_binds(application.arguments) ||
                        (is_aggregate &&
                         std::any_of(application.labels.begin(), application.labels.end(), is_it));
               }},
      syntax_.at(id).of);
}

std::optional<NameSyntax> StridedSyntax::label_of(const IndexSyntax& index,
                                                  const Assignment& assignment) const {
  std::vector<NameSyntax> labels;
  const bool is_alone = index.value && !index.is_slice && !index.label && !index.pad &&
                        !index.order &&
                        !std::holds_alternative<AccessSyntax>(syntax_.at(*index.value).of);
  if (!is_alone || !is_linear(*index.value, labels) || labels.empty()) {
    return std::nullopt;
  }
  const NameSyntax& label = labels.front();
  const bool is_one = std::all_of(labels.begin(), labels.end(), [&](const NameSyntax& other) {
    return other.text == label.text;
  });
  return is_one && !binds(assignment.value, label.text) ? std::optional(label) : std::nullopt;
}

std::map<std::string, size_t> StridedSyntax::num_statements() const {
  std::map<std::string, size_t> all;
  std::set<std::string> strided;
  for (const Statement& statement : syntax_.statements) {
    if (const auto* assignment = std::get_if<Assignment>(&statement.of)) {
      ++all[assignment->name.text];
      if (std::any_of(assignment->labels.begin(), assignment->labels.end(),
                      [&](const IndexSyntax& index) { return label_of(index, *assignment); })) {
        strided.insert(assignment->name.text);
      }
    }
  }
  std::erase_if(all, [&](const auto& entry) { return !strided.contains(entry.first); });
  return all;
}

}  // namespace tessera::frontend
