#include "program/growing/expression.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/overload.h"
#include "expr/function_ids.h"
#include "expr/hash.h"

namespace tessera::program {

namespace {

using expr::mixed;

size_t hash_of(const std::string& text) {
  return std::hash<std::string>()(text);
}

size_t hash_of(const Label& label) {
  return mixed(static_cast<size_t>(label.extent), static_cast<size_t>(label.number));
}

size_t mixed_with(size_t hash, const Labels& labels) {
  for (const Label& label : labels) {
    hash = mixed(hash, hash_of(label));
  }
  return hash;
}

/// Hashes a node by a hash of its parts and one of tensors.
template <class HashOfPart, class HashOfTensor>
size_t hash_of(const ExpressionNode& node, const HashOfPart& of_part,
               const HashOfTensor& of_tensor) {
  const auto mixed_parts = [&](size_t hash, const Expressions& parts) {
    for (const Expression& part : parts) {
      hash = mixed(hash, of_part(part));
    }
    return hash;
  };
  const size_t hash = std::visit(
      Overload{
          [](const NumberNode& number) { return hash_of(to_string(number.value)); },
          [](const PositionNode& position) { return hash_of(position.label); },
          [&](const ReadNode& read) { return mixed_parts(of_tensor(read.tensor), read.indices); },
          [&](const CallNode& call) { return mixed_parts(hash_of(call.function), call.arguments); },
          [&](const ApplicationNode& application) {
            return mixed_parts(mixed_with(hash_of(application.name), application.labels),
                               application.arguments);
          }},
      node.of);
  return mixed(hash, node.of.index());
}

void visit_all(const Expressions& parts, const std::function<void(const Expression& part)>& visit) {
  for (const Expression& part : parts) {
    for_each_part(part, visit);
  }
}

}  // namespace

Expression::Expression(ExpressionNode node)
    : node_(std::make_shared<const ExpressionNode>(std::move(node))),
      hash_(hash_of(
          *node_, [](const Expression& part) { return part.hash(); },
          [](const std::string& tensor) { return hash_of(tensor); })),
      shape_hash_(hash_of(
          *node_, [](const Expression& part) { return part.shape_hash(); },
          [](const std::string&) { return size_t{0}; })) {}

Expression::Expression(const Label& label) : Expression(ExpressionNode{PositionNode{label}}) {}

bool operator==(const Expression& one, const Expression& other) {
  return one.node_ == other.node_ || (one.hash_ == other.hash_ && *one.node_ == *other.node_);
}

Expression number(Literal value) {
  return Expression(ExpressionNode{NumberNode{value}});
}

Expression read(const std::string& tensor, Expressions indices) {
  return Expression(ExpressionNode{ReadNode{tensor, std::move(indices)}});
}

Expression call(const std::string& function, Expressions arguments) {
  return Expression(ExpressionNode{CallNode{function, std::move(arguments)}});
}

Expression apply(const std::string& name, Labels labels, Expressions arguments) {
  return Expression(ExpressionNode{ApplicationNode{name, std::move(labels), std::move(arguments)}});
}

Expression scan(const std::string& name, Label label, ScanOrder order, Expression argument) {
  return Expression(
      ExpressionNode{ApplicationNode{name, {label}, {std::move(argument)}, std::move(order)}});
}

Expression converted(DType dtype, Expression value) {
  return call(std::string(name_of(dtype)), {std::move(value)});
}

Expression operator+(Expression one, Expression other) {
  return call(expr::id::kAdd, {std::move(one), std::move(other)});
}

Expression operator-(Expression one, Expression other) {
  return call(expr::id::kSubtract, {std::move(one), std::move(other)});
}

Expression operator*(Expression one, Expression other) {
  return call(expr::id::kMultiply, {std::move(one), std::move(other)});
}

Expression operator/(Expression one, Expression other) {
  return call(expr::id::kDivide, {std::move(one), std::move(other)});
}

Expression negative(Expression value) {
  return call(expr::id::kNegative, {std::move(value)});
}

Expressions indices_of(const Labels& labels) {
  return {labels.begin(), labels.end()};
}

Expressions joined(const Expressions& first, const Expressions& second) {
  Expressions all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

Labels joined(const Labels& first, const Labels& second) {
  Labels all = first;
  all.insert(all.end(), second.begin(), second.end());
  return all;
}

std::optional<Label> label_of(const Expression& index) {
  const auto* const position = std::get_if<PositionNode>(&index.node().of);
  return position == nullptr ? std::nullopt : std::optional(position->label);
}

Labels labels_of(const Expressions& indices) {
  Labels labels;
  for (const Expression& index : indices) {
    const std::optional<Label> label = label_of(index);
    TESSERA_CHECK(label.has_value(), "an index that is computed, where labels are");
    labels.push_back(*label);
  }
  return labels;
}

const Literal* literal_of(const Expression& expression) {
  const auto* const number = std::get_if<NumberNode>(&expression.node().of);
  return number == nullptr ? nullptr : &number->value;
}

void for_each_part(const Expression& expression,
                   const std::function<void(const Expression& part)>& visit) {
  visit(expression);
  std::visit(Overload{[](const Among<NumberNode, PositionNode> auto&) {},
                      [&](const ReadNode& read) { visit_all(read.indices, visit); },
                      [&](const CallNode& call) { visit_all(call.arguments, visit); },
                      [&](const ApplicationNode& application) {
                        visit_all(application.arguments, visit);
                        if (application.order) {
                          for_each_part(application.order->segments, visit);
                        }
                      }},
             expression.node().of);
}

bool mentions(const Expression& expression, const Label& label) {
  bool found = false;
  for_each_part(expression,
                [&](const Expression& part) { found = found || label_of(part) == label; });
  return found;
}

}  // namespace tessera::program
