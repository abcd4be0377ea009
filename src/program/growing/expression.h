#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "program/growing/label.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::program {

struct ExpressionNode;

/// An expression over tensors of a program, as a statement has it on its right side. A value:
/// copies share their nodes, and equal expressions compare equal.
class Expression {
 public:
  explicit Expression(ExpressionNode node);
  /// The position of a label. As an index it is the label alone.
  Expression(const Label& label);  // NOLINT(google-explicit-constructor): a label is an index

  const ExpressionNode& node() const { return *node_; }
  size_t hash() const { return hash_; }
  /// Returns a hash that is equal for expressions that differ only in their tensors.
  size_t shape_hash() const { return shape_hash_; }
  friend bool operator==(const Expression& one, const Expression& other);

 private:
  std::shared_ptr<const ExpressionNode> node_;
  size_t hash_;
  size_t shape_hash_;
};

using Expressions = std::vector<Expression>;

/// A number without a dtype of its own: it takes that of what it meets.
struct NumberNode {
  Literal value;
  friend bool operator==(const NumberNode& one, const NumberNode& other) {
    return same_bits(one.value, other.value);
  }
};

struct PositionNode {
  Label label;
  friend bool operator==(const PositionNode&, const PositionNode&) = default;
};

/// The elements of a tensor at these indices, one for each mode.
struct ReadNode {
  std::string tensor;
  Expressions indices;
  friend bool operator==(const ReadNode&, const ReadNode&) = default;
};

/// A scalar function or a conversion, by its name in the language of `.ein`.
struct CallNode {
  std::string function;
  Expressions arguments;
  friend bool operator==(const CallNode&, const CallNode&) = default;
};

/// The order in which a scan runs.
struct ScanOrder {
  bool is_reverse = false;
  Expression segments;  // it begins anew where this changes
  friend bool operator==(const ScanOrder&, const ScanOrder&) = default;
};

/// An aggregate, a macro or a function of arrays, which binds labels: `sum[k] x`,
/// `inverse[i,j](x)`.
struct ApplicationNode {
  std::string name;
  Labels labels;
  Expressions arguments;
  std::optional<ScanOrder> order = {};  // of a scan, which has one label
  friend bool operator==(const ApplicationNode&, const ApplicationNode&) = default;
};

struct ExpressionNode {
  std::variant<NumberNode, PositionNode, ReadNode, CallNode, ApplicationNode> of;
  friend bool operator==(const ExpressionNode&, const ExpressionNode&) = default;
};

Expression number(Literal value);
Expression read(const std::string& tensor, Expressions indices);
Expression call(const std::string& function, Expressions arguments);
Expression apply(const std::string& name, Labels labels, Expressions arguments);
Expression scan(const std::string& name, Label label, ScanOrder order, Expression argument);
Expression converted(DType dtype, Expression value);

Expression operator+(Expression one, Expression other);
Expression operator-(Expression one, Expression other);
Expression operator*(Expression one, Expression other);
Expression operator/(Expression one, Expression other);
Expression negative(Expression value);

/// The labels as indices.
Expressions indices_of(const Labels& labels);
/// Indices one after the other.
Expressions joined(const Expressions& first, const Expressions& second);
Labels joined(const Labels& first, const Labels& second);

/// The label that an index is; nothing for a computed one.
std::optional<Label> label_of(const Expression& index);
/// The labels that indices are. REQUIRES that none is computed.
Labels labels_of(const Expressions& indices);
/// The number that an expression is; null for all else.
const Literal* literal_of(const Expression& expression);

/// Calls `visit` with an expression and all its parts, indices too, outermost first.
void for_each_part(const Expression& expression,
                   const std::function<void(const Expression& part)>& visit);

/// True if a part of the expression is this label.
bool mentions(const Expression& expression, const Label& label);

}  // namespace tessera::program
