#include "expr/reduction_order.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "expr/text/text.h"

namespace tessera::expr {

namespace {

bool rounds(DType dtype) {
  return is_float(dtype) || is_complex(dtype);
}

template <class Predicate>
bool some_node(const Monoid& monoid, const Predicate& predicate) {
  return std::any_of(monoid.combine.begin(), monoid.combine.end(), [&](const Scalar& combine) {
    return std::any_of(combine.nodes.begin(), combine.nodes.end(), predicate);
  });
}

}  // namespace

bool merges_exactly(const Monoid& monoid, const AggregateRegistry& aggregates) {
  if (!some_node(monoid, [](const Node& node) { return rounds(node.dtype); })) {
    return true;
  }
  const Aggregate* const aggregate = aggregates.find(monoid.name);
  return aggregate != nullptr && aggregate->picks_argument && is_registered(monoid, aggregates);
}

Leaf leaf_of(const std::vector<LabelDecl>& labels, const std::vector<LabelNumber>& over) {
  TESSERA_CHECK(!over.empty(), "a leaf of no label");
  const auto extent_of = [&](LabelNumber label) {
    return labels[static_cast<size_t>(label)].extent;
  };
  Leaf leaf{over.front(), 1};
  for (const LabelNumber label : over) {
    leaf.label = extent_of(label) > extent_of(leaf.label) ? label : leaf.label;
  }
  int64_t others = 1;  // positions of one position of the leaf's label, or kLeafPositions if more
  for (const LabelNumber label : over) {
    const int64_t extent = label == leaf.label ? 1 : std::max<int64_t>(extent_of(label), 1);
    others = std::min(kLeafPositions, others * std::min(extent, kLeafPositions));
  }
  leaf.length =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kLeafPositions / others)));
  return leaf;
}

}  // namespace tessera::expr
