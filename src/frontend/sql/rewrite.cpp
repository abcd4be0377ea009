#include "frontend/sql/rewrite.h"

#include <utility>

#include "base/overload.h"

namespace tessera::frontend::sql {

namespace {

/// A rewriter of the parts of a node, in a copy of it.
class Parts {
 public:
  explicit Parts(const Rewrites& rewrites) : rewrites_(rewrites) {}

  void operator()(NullLiteral&) const {}
  void operator()(BooleanLiteral&) const {}
  void operator()(NumberLiteral&) const {}
  void operator()(StringLiteral&) const {}
  void operator()(ColumnReference&) const {}
  void operator()(Star&) const {}
  void operator()(Operation& node) const { all(node.operands); }
  void operator()(Logical& node) const { all(node.operands); }
  void operator()(Test& node) const {
    one(node.operand);
    one(node.other);
  }
  void operator()(Between& node) const {
    one(node.operand);
    one(node.low);
    one(node.high);
  }
  void operator()(Like& node) const {
    one(node.operand);
    one(node.pattern);
    one(node.escape);
  }
  void operator()(In& node) const {
    one(node.operand);
    all(node.elements);
    query(node.query);
  }
  void operator()(Exists& node) const { query(node.query); }
  void operator()(ScalarQuery& node) const { query(node.query); }
  void operator()(Case& node) const {
    one(node.operand);
    for (Case::Branch& branch : node.branches) {
      one(branch.condition);
      one(branch.result);
    }
    one(node.otherwise);
  }
  void operator()(Cast& node) const { one(node.operand); }
  void operator()(Call& node) const {
    all(node.arguments);
    keys(node.order);
    one(node.filter);
    if (node.over) {
      Window window = *node.over;
      all(window.partition);
      keys(window.order);
      node.over = std::make_shared<const Window>(std::move(window));
    }
  }
  void operator()(ArrayLiteral& node) const { all(node.elements); }
  void operator()(Element& node) const {
    one(node.operand);
    for (Element::Subscript& subscript : node.subscripts) {
      one(subscript.low);
      one(subscript.high);
    }
  }
  void operator()(Row& node) const { all(node.elements); }

  void operator()(TableReference& node) const {
    for (VersionIndex& index : node.version) {
      one(index.low);
      one(index.high);
    }
  }
  void operator()(QueryReference& node) const { query(node.query); }
  void operator()(FunctionReference& node) const { one(node.call); }
  void operator()(JoinReference& node) const {
    node.left = rewrite(node.left, rewrites_);
    node.right = rewrite(node.right, rewrites_);
    one(node.condition);
  }

  void one(ExpressionPtr& expression) const {
    if (expression) {
      expression = rewrite(expression, rewrites_);
    }
  }
  void all(std::vector<ExpressionPtr>& expressions) const {
    for (ExpressionPtr& expression : expressions) {
      one(expression);
    }
  }
  void keys(std::vector<OrderKey>& keys) const {
    for (OrderKey& key : keys) {
      one(key.expression);
    }
  }
  void query(SelectPtr& query) const {
    if (query && rewrites_.select) {
      query = rewrites_.select(query);
    }
  }

 private:
  const Rewrites& rewrites_;
};

}  // namespace

ExpressionPtr rewrite(const ExpressionPtr& expression, const Rewrites& rewrites) {
  if (rewrites.expression) {
    if (ExpressionPtr other = rewrites.expression(expression)) {
      return other;
    }
  }
  auto copy = std::make_shared<Expression>(*expression);
  std::visit(Parts(rewrites), copy->of);
  return copy;
}

FromItemPtr rewrite(const FromItemPtr& item, const Rewrites& rewrites) {
  if (rewrites.from) {
    if (FromItemPtr other = rewrites.from(item)) {
      return other;
    }
  }
  auto copy = std::make_shared<FromItem>(*item);
  std::visit(Parts(rewrites), copy->of);
  return copy;
}

SelectPtr rewrite(const SelectPtr& query, const Rewrites& rewrites) {
  const Parts parts(rewrites);
  auto copy = std::make_shared<Select>(*query);
  for (CommonTable& table : copy->with) {
    parts.query(table.query);
  }
  for (Target& target : copy->targets) {
    parts.one(target.expression);
  }
  for (FromItemPtr& item : copy->from) {
    item = rewrite(item, rewrites);
  }
  parts.one(copy->where);
  parts.all(copy->group_by);
  parts.one(copy->having);
  for (NamedWindow& window : copy->windows) {
    parts.all(window.window.partition);
    parts.keys(window.window.order);
  }
  for (std::vector<ExpressionPtr>& row : copy->values) {
    parts.all(row);
  }
  parts.query(copy->left);
  parts.query(copy->right);
  parts.keys(copy->order);
  parts.one(copy->limit);
  parts.one(copy->offset);
  return copy;
}

void for_each(const ExpressionPtr& expression,
              const std::function<bool(const ExpressionPtr&)>& visit) {
  if (!expression) {
    return;
  }
  rewrite(
      expression,
      {[&](const ExpressionPtr& part) { return visit(part) ? ExpressionPtr() : part; }, {}, {}});
}

bool has_queries(const ExpressionPtr& expression) {
  bool found = false;
  for_each(expression, [&](const ExpressionPtr& part) {
    const auto* const in = std::get_if<In>(&part->of);
    found = found || std::holds_alternative<ScalarQuery>(part->of) ||
            std::holds_alternative<Exists>(part->of) || (in != nullptr && in->query);
    return !found;
  });
  return found;
}

void for_each_table(const SelectPtr& query,
                    const std::function<void(const TableReference&, SourceSpan)>& visit) {
  Rewrites rewrites;
  rewrites.select = [&](const SelectPtr& inner) {
    for_each_table(inner, visit);
    return inner;
  };
  rewrites.from = [&](const FromItemPtr& item) {
    if (const auto* table = std::get_if<TableReference>(&item->of)) {
      visit(*table, item->span);
    }
    return FromItemPtr();
  };
  rewrite(query, rewrites);
}

}  // namespace tessera::frontend::sql
