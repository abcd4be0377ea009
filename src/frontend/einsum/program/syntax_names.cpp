#include "frontend/einsum/program/syntax_names.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <vector>

#include "base/overload.h"

namespace tessera::frontend {

namespace {

/// A collector of the names in expressions, without recursion, because these may be deep.
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
    std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) {},
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

/// A collector of the labels in statements: alone in an index or after an aggregate, or in a
/// computed index, which may hold parameters and scalars too.
class Labels {
 public:
  explicit Labels(const ProgramSyntax& syntax) : syntax_(syntax) {}

  void add(const Statement& statement) {
    std::visit(
        Overload{[](const Among<MacroStatement, AggregateStatement, OutputStatement> auto&) {},
                 [&](const ParameterStatement& parameter) { values_.insert(parameter.name.text); },
                 [&](const LabelStatement& label) { labels_.insert(label.name.text); },
                 [&](const InputStatement& headers) {
                   for (const InputSyntax& input : headers.inputs) {
                     add(input);
                   }
                 },
                 [&](const Assignment& assignment) { add(assignment); },
                 [&](const CountStatement& counted) { add(counted.count); }},
        statement.of);
    while (!open_.empty()) {
      const ExpressionId next = open_.back();
      open_.pop_back();
      look_at(next);
    }
  }

  std::set<std::string> take() && {
    std::set_difference(computed_.begin(), computed_.end(), values_.begin(), values_.end(),
                        std::inserter(labels_, labels_.end()));
    return std::move(labels_);
  }

 private:
  void add(const InputSyntax& input) {
    values_.insert(input.name.text);
    for (const HeaderLabelSyntax& label : input.labels) {
      if (!label.is_one) {
        labels_.insert(label.name.text);
      }
    }
  }

  void add(const Assignment& assignment) {
    values_.insert(assignment.name.text);
    add(assignment.labels);
    open_.push_back(assignment.value);
  }

  void add(const std::vector<IndexSyntax>& indices) {
    for (const IndexSyntax& index : indices) {
      if (index.label) {
        labels_.insert(index.label->text);
      }
      if (index.value) {
        add_index(*index.value, labels_);
      }
      if (index.order && index.order->segments) {
        open_.push_back(*index.order->segments);
      }
    }
  }

  /// Adds the names of an index; a name alone is added to `alone`.
  void add_index(ExpressionId id, std::set<std::string>& alone) {
    const auto& of = syntax_.at(id).of;
    const auto* access = std::get_if<AccessSyntax>(&of);
    const auto* call = std::get_if<CallSyntax>(&of);
    if (access != nullptr && !access->has_brackets) {
      alone.insert(access->name.text);
    } else if (call != nullptr) {
      for (const ExpressionId argument : call->arguments) {
        add_index(argument, computed_);
      }
    } else {
      open_.push_back(id);
    }
  }

  void look_at(ExpressionId id) {
    std::visit(Overload{[](const Among<NumberSyntax, UnsupportedSyntax, VersionSyntax> auto&) {},
                        [&](const AccessSyntax& access) { add(access.indices); },
                        [&](const CallSyntax& call) {
                          open_.insert(open_.end(), call.arguments.begin(), call.arguments.end());
                        },
                        [&](const ApplicationSyntax& application) {
                          add(application.labels);
                          open_.insert(open_.end(), application.arguments.begin(),
                                       application.arguments.end());
                          if (application.condition) {
                            open_.push_back(*application.condition);
                          }
                        }},
               syntax_.at(id).of);
  }

  const ProgramSyntax& syntax_;
  std::vector<ExpressionId> open_;
  std::set<std::string> labels_;
  std::set<std::string> computed_;  // names in indices that are computed
  std::set<std::string> values_;    // tensors and parameters
};

/// True if a statement holds for all statements, wherever it stands.
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

std::set<std::string> labels_in(const ProgramSyntax& syntax) {
  Labels labels(syntax);
  for (const Statement& statement : syntax.statements) {
    labels.add(statement);
  }
  return std::move(labels).take();
}

std::set<std::string> names_in(const ProgramSyntax& syntax, ExpressionId expression) {
  Names names(syntax);
  names.add(expression);
  return std::move(names).take();
}

}  // namespace tessera::frontend
