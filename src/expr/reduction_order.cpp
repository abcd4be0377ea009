#include "expr/reduction_order.h"

#include <algorithm>
#include <bit>
#include <string_view>

#include <fmt/format.h>

#include "base/error.h"
#include "expr/function_ids.h"
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

bool may_lose_range(const Monoid& monoid) {
  static constexpr std::string_view kInRange[] = {id::kAdd, id::kWhere, id::kMaximum, id::kMinimum};
  return some_node(monoid, [](const Node& node) {
    const auto* call = std::get_if<Call>(&node.op);
    return call != nullptr && rounds(node.dtype) &&
           std::ranges::find(kInRange, call->function) == std::end(kInRange);
  });
}

bool is_stored_narrow(const Monoid& monoid) {
  return std::any_of(monoid.state.begin(), monoid.state.end(),
                     [](DType dtype) { return compute_type(dtype) != dtype; });
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
  int64_t others = 1;  // positions per position of the leaf's label, or kLeafPositions if more
  for (const LabelNumber label : over) {
    const int64_t extent = label == leaf.label ? 1 : std::max<int64_t>(extent_of(label), 1);
    others = std::min(kLeafPositions, others * std::min(extent, kLeafPositions));
  }
  leaf.length =
      static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(kLeafPositions / others)));
  return leaf;
}

bool needs_leaf(const Reduce& reduce, const AggregateRegistry& aggregates) {
  return !reduce.over.empty() && reduce.monoid.is_commutative &&
         !merges_exactly(reduce.monoid, aggregates);
}

int64_t scan_piece(int64_t positions, int64_t lines) {
  constexpr int64_t kMostPositions = 1 << 16;
  constexpr int64_t kLeastPositions = 1 << 12;
  constexpr int64_t kElements = 1 << 18;
  const auto fitting = static_cast<uint64_t>(kElements / std::clamp<int64_t>(lines, 1, kElements));
  const auto length = static_cast<int64_t>(std::bit_floor(fitting));
  return std::min(std::clamp(length, kLeastPositions, kMostPositions),
                  std::max<int64_t>(positions, 1));
}

TileProgram with_leaves(TileProgram program, const AggregateRegistry& aggregates) {
  for (TileStatement& statement : program.statements) {
    std::visit(Overload{[](Map&) {},
                        [&](Reduce& reduce) {
                          if (needs_leaf(reduce, aggregates)) {
                            reduce.leaf = leaf_of(program.labels, reduce.over);
                          }
                        },
                        [](Among<Scan, Whole> auto&) {}},  // in the order of labels that lie whole
               statement.what);
  }
  return program;
}

std::vector<std::string> problems_of_leaves(const TileProgram& program,
                                            const AggregateRegistry& aggregates) {
  std::vector<std::string> problems;
  const auto text_of = [&](const Leaf& leaf) {
    return fmt::format("leaf {}={}", program.labels[static_cast<size_t>(leaf.label)].name,
                       leaf.length);
  };
  const auto check = [&](const Reduce& reduce) {
    const Leaf leaf = leaf_of(program.labels, reduce.over);
    if (reduce.leaf != leaf) {
      problems.push_back(fmt::format("{} rounds, so it has to say {}, but says {}",
                                     reduce.monoid.name, text_of(leaf),
                                     reduce.leaf ? text_of(*reduce.leaf) : "no leaf"));
    }
  };
  for (const TileStatement& statement : program.statements) {
    std::visit(Overload{[](const Map&) {},
                        [&](const Reduce& reduce) {
                          if (needs_leaf(reduce, aggregates)) {
                            check(reduce);
                          }
                        },
                        [](const Among<Scan, Whole> auto&) {}},
               statement.what);
  }
  return problems;
}

}  // namespace tessera::expr
