#include "frontend/einsum/program/syntax_names.h"

#include <optional>
#include <vector>

#include "base/overload.h"

namespace tessera::frontend {

namespace {

/// Goes through expressions without recursion, as they may be deep.
class Names {
 public:
  explicit Names(const ProgramSyntax& syntax) : syntax_(syntax) {}

  void add(const Statement& statement) {
    std::visit(Overload{[](const Among<InputStatement, LabelStatement, ParameterStatement,
                                       AggregateStatement> auto&) {},
                        [&](const MacroStatement& macro) { open_.push_back(macro.body); },
                        [&](const Assignment& assignment) { add(assignment); },
                        [&](const CountStatement& counted) { add(counted.count); },
                        [&](const OutputStatement& output) {
                          for (const NameSyntax& name : output.names) {
                            names_.insert(name.text);
                          }
                        }},
               statement.of);
    look_at_open();
  }

  void add(ExpressionId expression) {
    open_.push_back(expression);
    look_at_open();
  }

  std::set<std::string> take() && { return std::move(names_); }

 private:
  void look_at_open() {
    while (!open_.empty()) {
      const ExpressionId next = open_.back();
      open_.pop_back();
      look_at(syntax_.at(next));
    }
  }

  void add(const Assignment& assignment) {
    add(assignment.labels);
    open_.push_back(assignment.value);
  }

  void add(const std::vector<IndexSyntax>& indices) {
    for (const IndexSyntax& index : indices) {
      if (index.label) {
        names_.insert(index.label->text);
      }
      add(index.value);
      add(index.end);
      add(index.pad);
      add(index.num_groups);
      add(index.order ? index.order->segments : std::nullopt);
    }
  }
  void add(const std::optional<ExpressionId>& expression) {
    if (expression) {
      open_.push_back(*expression);
    }
  }

  void look_at(const ExpressionSyntax& expression) {
    std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax> auto&) {},
                        [&](const AccessSyntax& access) {
                          names_.insert(access.name.text);
                          add(access.indices);
                        },
                        [&](const CallSyntax& call) {
                          open_.insert(open_.end(), call.arguments.begin(), call.arguments.end());
                        },
                        [&](const ApplicationSyntax& application) {
                          add(application.labels);
                          add(application.condition);
                          open_.insert(open_.end(), application.arguments.begin(),
                                       application.arguments.end());
                        }},
               expression.of);
  }

  const ProgramSyntax& syntax_;
  std::vector<ExpressionId> open_;
  std::set<std::string> names_;
};

/// Whether a statement is about those behind it, wherever it stands.
bool stands_for_all(const Statement& statement) {
  return std::visit(
      Overload{
          [](const Among<MacroStatement, OutputStatement> auto&) { return true; },
          [](const Among<InputStatement, LabelStatement, ParameterStatement, AggregateStatement,
                         Assignment, CountStatement> auto&) { return false; }},
      statement.of);
}

}  // namespace

std::set<std::string> names_from(const ProgramSyntax& syntax, size_t statement) {
  Names names(syntax);
  for (size_t number = 0; number < syntax.statements.size(); ++number) {
    if (number >= statement || stands_for_all(syntax.statements[number])) {
      names.add(syntax.statements[number]);
    }
  }
  return std::move(names).take();
}

std::set<std::string> names_in(const ProgramSyntax& syntax, ExpressionId expression) {
  Names names(syntax);
  names.add(expression);
  return std::move(names).take();
}

}  // namespace tessera::frontend
