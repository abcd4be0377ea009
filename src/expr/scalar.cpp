#include "expr/scalar.h"

#include <algorithm>
#include <complex>
#include <iterator>
#include <set>

namespace tessera::expr {

Node renumbered(Node node, std::span<const LabelNumber> labels, std::span<const int32_t> operands) {
  for_each_label(node, [&](LabelNumber& label) { label = labels[static_cast<size_t>(label)]; });
  if (auto* access = std::get_if<Access>(&node.op)) {
    access->operand = operands[static_cast<size_t>(access->operand)];
  }
  return node;
}

Node with_arguments(Node node, std::span<const int32_t> where) {
  for_each_argument(node,
                    [&](int32_t& argument) { argument = where[static_cast<size_t>(argument)]; });
  return node;
}

int32_t ScalarBuilder::add(Node node) {
  const auto same = std::find(nodes_.begin(), nodes_.end(), node);
  if (same != nodes_.end()) {
    return static_cast<int32_t>(same - nodes_.begin());
  }
  nodes_.push_back(std::move(node));
  return static_cast<int32_t>(nodes_.size()) - 1;
}

int32_t ScalarBuilder::cast(int32_t node, DType dtype) {
  return dtype_of(node) == dtype ? node : add({Cast{node}, dtype});
}

int32_t ScalarBuilder::inline_scalar(const Scalar& scalar, const std::vector<int32_t>& arguments) {
  std::vector<int32_t> where;
  for (const Node& node : scalar.nodes) {
    const auto* parameter = std::get_if<Parameter>(&node.op);
    where.push_back(parameter != nullptr ? arguments[static_cast<size_t>(parameter->position)]
                                         : add(with_arguments(node, where)));
  }
  return where.back();
}

Scalar ScalarBuilder::finish(int32_t root) const {
  std::vector<int32_t> where(nodes_.size(), -1);
  Scalar scalar;
  std::vector<int32_t> pending = {
      root};  // an explicit stack: an expression may be deeper than the machine's
  while (!pending.empty()) {
    const size_t number = static_cast<size_t>(pending.back());
    std::vector<int32_t> arguments;
    for_each_argument(nodes_[number], [&](int32_t argument) { arguments.push_back(argument); });
    const size_t before = pending.size();
    std::copy_if(arguments.rbegin(), arguments.rend(), std::back_inserter(pending),
                 [&](int32_t argument) { return where[static_cast<size_t>(argument)] < 0; });
    if (pending.size() > before) {
      continue;
    }
    pending.pop_back();
    if (where[number] < 0) {
      where[number] = static_cast<int32_t>(scalar.nodes.size());
      scalar.nodes.push_back(with_arguments(nodes_[number], where));
    }
  }
  return scalar;
}

Scalar scalar_of(Access access, DType dtype) {
  return {{Node{std::move(access), dtype}}};
}

std::vector<const Access*> accesses_of(const Scalar& scalar) {
  std::vector<const Access*> accesses;
  for_each_access(scalar, [&](const Access& access, DType) { accesses.push_back(&access); });
  return accesses;
}

bool mentions_label(const Scalar& scalar, LabelNumber label) {
  bool found = false;
  for (const Node& node : scalar.nodes) {
    for_each_label(node, [&](LabelNumber own) { found = found || own == label; });
  }
  return found;
}

std::vector<LabelNumber> labels_below(const Scalar& scalar, int32_t node) {
  std::set<int32_t> pending = {node};
  std::set<LabelNumber> labels;
  while (!pending.empty()) {
    const Node& next =
        scalar.nodes[static_cast<size_t>(pending.extract(*pending.rbegin()).value())];
    for_each_argument(next, [&](int32_t argument) { pending.insert(argument); });
    for_each_label(next, [&](LabelNumber label) { labels.insert(label); });
  }
  return {labels.begin(), labels.end()};
}

bool is_computed(const Node& node) {
  return std::visit(
      Overload{[](const Among<Call, Cast> auto&) { return true; },
               [](const Among<Constant, Access, IndexOf, Parameter> auto&) { return false; }},
      node.op);
}

bool is_constant(const Node& node, double value) {
  const auto* constant = std::get_if<Constant>(&node.op);
  return constant != nullptr &&
         literal_as<std::complex<double>>(constant->value) == std::complex<double>(value);
}

}  // namespace tessera::expr
