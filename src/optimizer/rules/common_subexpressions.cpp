#include <functional>
#include <unordered_map>

#include "expr/hash.h"
#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// Two vertices with the same statement over the same operands are computed once: the readers of
/// the later one read the earlier one.
///
/// Condition: equal operands, statement and type, but for the names of labels. `A * B` and `B * A`
/// count as different: NaN payloads and user functions tell them apart. sum[i,j] and sum[j,i]
/// differ in the order of summation, and argmax over them gives other positions.
namespace tessera::optimizer::rule_common_subexpressions {

namespace {

using einsum::EinSum;
using expr::LabelNumber;

/// A numbering of labels in the order they are met.
class LabelOrder {
 public:
  explicit LabelOrder(size_t num_labels) : new_number_(num_labels, -1) {}

  void meet(LabelNumber label) {
    LabelNumber& number = new_number_[static_cast<size_t>(label)];
    if (number < 0) {
      number = next_++;
    }
  }
  const std::vector<LabelNumber>& numbers() const { return new_number_; }

 private:
  std::vector<LabelNumber> new_number_;
  LabelNumber next_ = 0;
};

/// Returns the statement with labels numbered by their place in it and without names, so that
/// `sum[j] A[i,j]` and `sum[k] A[r,k]` are equal. The order of `over` stays: argmax counts in it.
EinSum canonical(const EinSum& einsum) {
  LabelOrder order(einsum.labels.size());
  for (const std::vector<LabelNumber>* labels : {&einsum.out, &einsum.over}) {
    for (const LabelNumber label : *labels) {
      order.meet(label);
    }
  }
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    order.meet(static_cast<LabelNumber>(label));
  }
  EinSum same = einsum;
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    same.labels[static_cast<size_t>(order.numbers()[label])] = {"", einsum.labels[label].extent};
  }
  for (std::vector<LabelNumber>* labels : {&same.out, &same.over}) {
    for (LabelNumber& label : *labels) {
      label = order.numbers()[static_cast<size_t>(label)];
    }
  }
  for (expr::Node& node : same.body.nodes) {
    expr::for_each_label(
        node, [&](LabelNumber& label) { label = order.numbers()[static_cast<size_t>(label)]; });
  }
  return same;
}

/// Renumbers a scan: its labels are those of its result, in their order.
einsum::Scan canonical(einsum::Scan scan) {
  for (expr::LabelDecl& label : scan.labels) {
    label.name.clear();
  }
  return scan;
}

/// Renumbers a call: labels of the arguments alone stand after those of the result.
einsum::Whole canonical(einsum::Whole whole) {
  for (expr::LabelDecl& label : whole.labels) {
    label.name.clear();
  }
  return whole;
}

/// True if two statements over the same operands are equal.
bool are_equal(const einsum::Op& a, const einsum::Op& b) {
  return std::visit(Overload{[](const einsum::Input&) { return false; },
                             [&](const Among<EinSum, einsum::Scan, einsum::Whole> auto& one) {
                               using Statement = std::remove_cvref_t<decltype(one)>;
                               const auto* other = std::get_if<Statement>(&b);
                               return other != nullptr && canonical(one) == canonical(*other);
                             }},
                    a);
}

/// Hashes a statement. Statements that are equal but for names and numbers of labels have equal
/// hashes.
size_t hash_of(const einsum::Vertex& vertex) {
  const expr::Monoid* monoid = einsum::monoid_of(vertex.op);
  size_t hash = std::hash<std::string>{}(monoid == nullptr ? "" : monoid->name);
  for (const einsum::VertexId operand : vertex.operands) {
    hash = expr::mixed(hash, operand.index());
  }
  hash = expr::mixed(hash, vertex.type.shape.size());
  for (const expr::Scalar* expression : einsum::expressions_of(vertex.op)) {
    hash = expr::mixed(hash, expr::hash_of(*expression));
  }
  return hash;
}

class CommonSubexpressions {
 public:
  Outcome operator()(const einsum::Vertex& vertex, const RuleContext& around) {
    if (std::holds_alternative<einsum::Input>(vertex.op)) {
      return NotApplied{};
    }
    const size_t hash = hash_of(vertex);
    const auto [first, last] = seen_.equal_range(hash);
    for (auto place = first; place != last; ++place) {
      const einsum::Vertex& earlier = around.graph().at(place->second);
      if (earlier.operands == vertex.operands && earlier.type == vertex.type &&
          are_equal(earlier.op, vertex.op)) {
        return Replaced{place->second};
      }
    }
    const einsum::VertexId id(
        static_cast<int64_t>(around.graph().vertices.size()));  // it stays, so this is its place
    seen_.emplace(hash, id);
    return NotApplied{};
  }

 private:
  std::unordered_multimap<size_t, einsum::VertexId> seen_;  // by the hash of its statement
};

}  // namespace

void register_rule(RuleRegistry& registry) {
  registry.add({"common_subexpressions", "compute equal vertices once", Phase::normalize,
                [] { return VertexRewrite(CommonSubexpressions()); }});
}

}  // namespace tessera::optimizer::rule_common_subexpressions
