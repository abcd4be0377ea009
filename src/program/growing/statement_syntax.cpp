#include "program/growing/statement_syntax.h"

#include <algorithm>
#include <utility>

#include "base/diagnostic.h"
#include "base/error.h"
#include "base/overload.h"
#include "frontend/einsum/program/language_calls.h"
#include "frontend/einsum/program/syntax_builder.h"

namespace tessera::program {

namespace {

using frontend::ExpressionId;
using frontend::IndexSyntax;
using frontend::NameSyntax;

/// Makes the syntax of one statement's expressions. None of it has a place in a text.
class SyntaxMaker {
 public:
  SyntaxMaker(std::map<std::string, Shape> shapes, const expr::FunctionRegistry& functions)
      : shapes_(std::move(shapes)),
        functions_(functions),
        findings_(SourceText{}),
        build_(findings_) {}

  ExpressionId value_of(const Expression& expression) {
    return std::visit(
        Overload{[&](const NumberNode& number) { return build_.number(number.value, {}); },
                 [&](const PositionNode& position) {
                   const ExpressionId label = name_of(position.label);
                   return is_in_index_
                              ? label
                              : build_.call(named(std::string(frontend::kIndex)), {label}, {});
                 },
                 [&](const ReadNode& read) { return value_of(read); },
                 [&](const CallNode& call) { return value_of(call); },
                 [&](const ApplicationNode& application) { return value_of(application); }},
        expression.node().of);
  }

  IndexSyntax index_of(const LeftIndex& index) {
    return std::visit(Overload{[&](const Label& label) {
                                 IndexSyntax left;
                                 left.value = name_of(label);
                                 return left;
                               },
                               [&](const GroupIndex& group) {
                                 IndexSyntax left;
                                 left.value = value_of(group.number);
                                 left.num_groups = build_.number(group.num_groups, {});
                                 return left;
                               }},
                      index);
  }

  frontend::ProgramSyntax take() {
    if (!findings_.empty()) {
      throw Error(findings_);
    }
    return build_.take();
  }

 private:
  static NameSyntax named(std::string name) { return {std::move(name), {}}; }

  ExpressionId name_of(const Label& label) {
    return build_.access(named(program::name_of(label)), {}, false, {});
  }

  std::vector<ExpressionId> values_of(const Expressions& expressions) {
    std::vector<ExpressionId> values;
    for (const Expression& expression : expressions) {
      values.push_back(value_of(expression));
    }
    return values;
  }

  ExpressionId value_of(const CallNode& call) {
    const expr::Function* const function = functions_.find(call.function);
    const bool is_operator = function != nullptr && !function->sign.empty();
    return is_operator ? build_.operate(call.function, {}, values_of(call.arguments), {})
                       : build_.call(named(call.function), values_of(call.arguments), {});
  }

  ExpressionId value_of(const ReadNode& read) {
    const Shape& shape = shapes_.at(read.tensor);
    std::vector<IndexSyntax> indices;
    const bool was_in_index = std::exchange(is_in_index_, true);
    for (size_t mode = 0; mode < read.indices.size(); ++mode) {
      indices.push_back(index_of_mode(read.indices[mode], shape[mode]));
    }
    is_in_index_ = was_in_index;
    const bool has_brackets = !indices.empty();
    return build_.access(named(read.tensor), std::move(indices), has_brackets, {});
  }

  /// A label that is shorter than the mode reads the mode's first positions, which a label alone
  /// does not.
  IndexSyntax index_of_mode(const Expression& index, int64_t extent) {
    IndexSyntax made;
    const std::optional<Label> label = label_of(index);
    const bool is_of_part = label && std::find(joined_.begin(), joined_.end(), *label) !=
                                         joined_.end();  // as long as each part is
    if (!label || label->extent == extent || is_of_part) {
      made.value = value_of(index);
      return made;
    }
    made.is_slice = true;
    made.label = named(program::name_of(*label));
    made.value = build_.number(int64_t{0}, {});
    made.end = build_.number(label->extent, {});
    return made;
  }

  ExpressionId value_of(const ApplicationNode& application) {
    const bool was_in_index = std::exchange(is_in_index_, false);
    const bool is_joined = application.name == frontend::kConcat;
    frontend::ApplicationSyntax made{named(application.name), {}, {}, {}};
    for (const Label& label : application.labels) {
      made.labels.push_back(index_of(label));
    }
    if (application.order) {
      frontend::ScanOrderSyntax order;
      if (application.order->is_reverse) {
        order.words.push_back(named("reverse"));
      }
      order.segments = value_of(application.order->segments);
      made.labels = {build_.scanned(named(program::name_of(application.labels.front())),
                                    std::move(order), {})};
    }
    if (is_joined) {
      joined_.push_back(application.labels.front());
    }
    made.arguments = values_of(application.arguments);
    if (is_joined) {
      joined_.pop_back();
    }
    is_in_index_ = was_in_index;
    return build_.apply(std::move(made), {});
  }

  std::map<std::string, Shape> shapes_;  // of tensors
  const expr::FunctionRegistry& functions_;
  Diagnostics findings_;
  frontend::SyntaxBuilder build_;
  bool is_in_index_ = false;
  Labels joined_;  // of the parts around that are joined
};

}  // namespace

frontend::KnownStatement syntax_of(const Assignment& assignment,
                                   const std::vector<ArrayType>& types,
                                   const expr::FunctionRegistry& functions) {
  frontend::KnownStatement statement;
  const std::vector<std::string> reads = tensors_read(assignment);
  std::map<std::string, Shape> shapes;
  for (size_t number = 0; number < reads.size(); ++number) {
    shapes[reads[number]] = types[number].shape;
    statement.tensors.emplace_back(reads[number], types[number]);
  }
  for (const Label& label : labels_of(assignment)) {
    statement.label_extents[name_of(label)] = label.extent;
  }
  SyntaxMaker maker(std::move(shapes), functions);
  for (const LeftIndex& index : assignment.left) {
    statement.assignment.labels.push_back(maker.index_of(index));
  }
  statement.assignment.value = maker.value_of(assignment.value);
  statement.syntax = maker.take();
  return statement;
}

}  // namespace tessera::program
