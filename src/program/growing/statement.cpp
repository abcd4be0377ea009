#include "program/growing/statement.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "base/overload.h"
#include "expr/hash.h"
#include "frontend/einsum/program/language_calls.h"

namespace tessera::program {

namespace {

/// Calls `visit` with every part of a statement, the left side's first.
void for_each_part(const Assignment& assignment,
                   const std::function<void(const Expression& part)>& visit) {
  for (const LeftIndex& index : assignment.left) {
    std::visit(Overload{[&](const Label& label) { visit(Expression(label)); },
                        [&](const GroupIndex& group) { for_each_part(group.number, visit); }},
               index);
  }
  for_each_part(assignment.value, visit);
}

bool reads_a_tensor(const Expressions& indices) {
  bool reads = false;
  for (const Expression& index : indices) {
    for_each_part(index, [&](const Expression& part) {
      reads = reads || std::holds_alternative<ReadNode>(part.node().of);
    });
  }
  return reads;
}

template <class HashOfPart>
size_t hash_of(const Assignment& assignment, const HashOfPart& of_part) {
  size_t hash = of_part(assignment.value);
  for (const LeftIndex& index : assignment.left) {
    hash = std::visit(
        Overload{[&](const Label& label) { return expr::mixed(hash, of_part(Expression(label))); },
                 [&](const GroupIndex& group) {
                   return expr::mixed(expr::mixed(hash, of_part(group.number)),
                                      static_cast<size_t>(group.num_groups));
                 }},
        index);
  }
  return hash;
}

/// Compares two statements whose tensors are those of two lists, place by place.
class ShapeComparison {
 public:
  ShapeComparison(const std::vector<std::string>& one, const std::vector<std::string>& other)
      : one_(one), other_(other) {}

  bool same(const LeftIndex& a, const LeftIndex& b) const {
    const auto* const group = std::get_if<GroupIndex>(&a);
    const auto* const other = std::get_if<GroupIndex>(&b);
    return group == nullptr || other == nullptr
               ? a == b
               : group->num_groups == other->num_groups && same(group->number, other->number);
  }

  bool same(const Expression& a, const Expression& b) const {
    return a.shape_hash() == b.shape_hash() && a.node().of.index() == b.node().of.index() &&
           std::visit([&](const auto& node) { return same_node(node, b.node()); }, a.node().of);
  }

 private:
  template <class Node>
  bool same_node(const Node& node, const ExpressionNode& b) const {
    return same(node, std::get<Node>(b.of));
  }

  bool same(const NumberNode& a, const NumberNode& b) const { return a == b; }
  bool same(const PositionNode& a, const PositionNode& b) const { return a == b; }
  bool same(const ReadNode& a, const ReadNode& b) const {
    return place(one_, a.tensor) == place(other_, b.tensor) && same(a.indices, b.indices);
  }
  bool same(const CallNode& a, const CallNode& b) const {
    return a.function == b.function && same(a.arguments, b.arguments);
  }
  bool same(const ApplicationNode& a, const ApplicationNode& b) const {
    const bool have_same_order = a.order && b.order ? a.order->is_reverse == b.order->is_reverse &&
                                                          same(a.order->segments, b.order->segments)
                                                    : a.order.has_value() == b.order.has_value();
    return a.name == b.name && a.labels == b.labels && have_same_order &&
           same(a.arguments, b.arguments);
  }
  bool same(const Expressions& a, const Expressions& b) const {
    return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                      [&](const Expression& x, const Expression& y) { return same(x, y); });
  }

  static size_t place(const std::vector<std::string>& tensors, const std::string& tensor) {
    return static_cast<size_t>(std::find(tensors.begin(), tensors.end(), tensor) - tensors.begin());
  }

  const std::vector<std::string>& one_;
  const std::vector<std::string>& other_;
};

}  // namespace

LeftIndices left_of(const Labels& labels) {
  return {labels.begin(), labels.end()};
}

size_t hash_of(const Assignment& assignment) {
  return hash_of(assignment, [](const Expression& part) { return part.hash(); });
}

size_t shape_hash_of(const Assignment& assignment) {
  return hash_of(assignment, [](const Expression& part) { return part.shape_hash(); });
}

bool have_same_shape(const ReadingStatement& one, const ReadingStatement& other) {
  const LeftIndices& left = one.assignment.left;
  const LeftIndices& right = other.assignment.left;
  const ShapeComparison comparison(one.reads, other.reads);
  return std::equal(
             left.begin(), left.end(), right.begin(), right.end(),
             [&](const LeftIndex& a, const LeftIndex& b) { return comparison.same(a, b); }) &&
         comparison.same(one.assignment.value, other.assignment.value);
}

std::vector<std::string> tensors_read(const Assignment& assignment) {
  std::vector<std::string> tensors;
  std::unordered_set<std::string> known;
  for_each_part(assignment, [&](const Expression& part) {
    const auto* const read = std::get_if<ReadNode>(&part.node().of);
    if (read != nullptr && known.insert(read->tensor).second) {
      tensors.push_back(read->tensor);
    }
  });
  return tensors;
}

std::vector<Label> labels_of(const Assignment& assignment) {
  std::map<std::string, Label> labels;
  for_each_part(assignment, [&](const Expression& part) {
    if (const std::optional<Label> label = label_of(part)) {
      labels.emplace(name_of(*label), *label);
    }
    if (const auto* const application = std::get_if<ApplicationNode>(&part.node().of)) {
      for (const Label& label : application->labels) {
        labels.emplace(name_of(label), label);
      }
    }
  });
  std::vector<Label> in_order;
  for (const auto& [name, label] : labels) {
    in_order.push_back(label);
  }
  return in_order;
}

frames::OperatorKind kind_of(const Assignment& assignment) {
  bool is_joined = false;
  bool is_aggregate = false;
  bool reads_by_number =
      std::any_of(assignment.left.begin(), assignment.left.end(),
                  [](const LeftIndex& index) { return std::holds_alternative<GroupIndex>(index); });
  for_each_part(assignment.value, [&](const Expression& part) {
    if (const auto* const application = std::get_if<ApplicationNode>(&part.node().of)) {
      (application->name == frontend::kConcat ? is_joined : is_aggregate) = true;
    }
    if (const auto* const read = std::get_if<ReadNode>(&part.node().of)) {
      reads_by_number = reads_by_number || reads_a_tensor(read->indices);
    }
  });
  return is_joined         ? frames::OperatorKind::unite
         : is_aggregate    ? frames::OperatorKind::aggregate
         : reads_by_number ? frames::OperatorKind::select
                           : frames::OperatorKind::map;
}

}  // namespace tessera::program
