#include <functional>
#include <unordered_map>

#include "optimizer/einsum/rule.h"
#include "optimizer/einsum/scalar_rewrite.h"

/// Two vertices that compute the same from the same are made once: the later one's readers read the
/// earlier one.
///
/// Condition: equal operands, statement and type, but for the names of labels. `A * B` and `B * A`
/// are not seen as equal: NaN payloads and user functions tell them apart. Of sum[i,j] and sum[j,i]
/// the orders of summation differ, and argmax over them gives other positions.
namespace tessera::optimizer {

namespace {

using einsum::EinSum;
using expr::LabelNumber;

/// Numbers labels in the order in which they are met.
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

/// The same statement with labels numbered by their place in it and without names, so that `sum[j]
/// A[i,j]` and `sum[k] A[r,k]` are equal. The order of `over` stays: it is the order that argmax
/// counts in.
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

/// Equal constants have equal hashes; those of equal text are few.
size_t hash_of(const expr::Constant& constant) {
  return std::hash<std::string>{}(to_string(constant.value));
}
size_t hash_of(const expr::Call& call) {
  return std::hash<std::string>{}(call.function);
}
size_t hash_of(const expr::Access& access) {
  return static_cast<size_t>(access.operand);
}
template <class Other>
size_t hash_of(const Other&) {
  return 0;
}

/// Equal statements have equal hashes; only parts that differ often are looked at.
size_t hash_of(const EinSum& einsum, const std::vector<einsum::VertexId>& operands) {
  size_t hash = std::hash<std::string>{}(einsum.aggregate);
  const auto mix = [&](size_t value) { hash = hash * 1000003 + value; };
  for (const einsum::VertexId operand : operands) {
    mix(operand.index());
  }
  mix(einsum.out.size());
  for (const expr::Node& node : einsum.body.nodes) {
    mix(node.op.index());
    mix(std::visit([](const auto& op) { return hash_of(op); }, node.op));
  }
  return hash;
}

class CommonSubexpressions {
 public:
  Outcome operator()(const einsum::Vertex& vertex, const RuleContext& around) {
    const auto* einsum = std::get_if<EinSum>(&vertex.op);
    if (einsum == nullptr) {
      return NotApplied{};
    }
    EinSum statement = canonical(*einsum);
    const size_t hash = hash_of(statement, vertex.operands);
    const auto [first, last] = seen_.equal_range(hash);
    for (auto place = first; place != last; ++place) {
      const einsum::Vertex& earlier = around.graph().at(place->second.id);
      if (earlier.operands == vertex.operands && earlier.type == vertex.type &&
          place->second.statement == statement) {
        return Replaced{place->second.id};
      }
    }
    const einsum::VertexId id(
        static_cast<int64_t>(around.graph().vertices.size()));  // it stays, so this is its place
    seen_.emplace(hash, Seen{id, std::move(statement)});
    return NotApplied{};
  }

 private:
  struct Seen {
    einsum::VertexId id;
    EinSum statement;
  };
  std::unordered_multimap<size_t, Seen> seen_;
};

}  // namespace

void register_rule_common_subexpressions(RuleRegistry& registry) {
  registry.add({"common_subexpressions", "compute equal vertices once", Phase::normalize,
                [] { return VertexRewrite(CommonSubexpressions()); }});
}

}  // namespace tessera::optimizer
