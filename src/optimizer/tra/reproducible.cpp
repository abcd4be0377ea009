#include "optimizer/tra/reproducible.h"

#include <algorithm>

#include "base/error.h"
#include "base/overload.h"
#include "expr/reduction_order.h"
#include "ir/tra/stated_order.h"

namespace tessera::optimizer {

namespace {

/// Returns `unit` times the smallest power of two that gives at least `length`, or `whole` if that
/// is less.
int64_t rounded_up(int64_t length, int64_t unit, int64_t whole) {
  int64_t rounded = unit;
  while (rounded < length && rounded < whole) {
    rounded *= 2;
  }
  return std::max<int64_t>(std::min(rounded, whole), 1);
}

void round_lengths(const einsum::EinSum& einsum, std::vector<int64_t>& lengths) {
  const expr::Leaf leaf = expr::leaf_of(einsum.labels, einsum.over);
  const bool may_cut = !expr::is_stored_narrow(einsum.reduction->monoid);
  for (const expr::LabelNumber label : einsum.over) {
    const auto number = static_cast<size_t>(label);
    const int64_t extent = std::max<int64_t>(einsum.labels[number].extent, 1);
    lengths[number] =
        may_cut && label == leaf.label ? rounded_up(lengths[number], leaf.length, extent) : extent;
  }
}

/// Fixes the pieces of a scan, because its grouping is the list of its label's pieces: they follow
/// from extents alone.
void fix_pieces(const einsum::Scan& scan, std::vector<int64_t>& lengths) {
  const auto extent = [&](expr::LabelNumber label) {
    return std::max<int64_t>(scan.labels[static_cast<size_t>(label)].extent, 1);
  };
  int64_t lines = 1;
  for (const expr::LabelNumber label : scan.out) {
    lines *= label == scan.what.along ? 1 : extent(label);
  }
  const int64_t positions = extent(scan.what.along);
  lengths[static_cast<size_t>(scan.what.along)] =
      expr::is_stored_narrow(scan.what.monoid) ? positions : expr::scan_piece(positions, lines);
}

/// States the order of an operator's merge.
void state_order(tra::Op& op, const expr::AggregateRegistry& aggregates) {
  std::visit(
      Overload{[](tra::Input&) {},
               [&](tra::Join& join) { join.kernel = expr::with_leaves(join.kernel, aggregates); },
               [&](tra::Aggregate& aggregate) {
                 if (!expr::merges_exactly(aggregate.monoid, aggregates)) {
                   aggregate.order = tra::MergeOrder::tree;
                 }
               },
               [](tra::Rekey&) {}, [](tra::Filter&) {},
               [&](tra::Transform& transform) {
                 transform.kernel = expr::with_leaves(transform.kernel, aggregates);
               },
               [](tra::Tile&) {}, [](tra::Concat&) {}, [](tra::Repartition&) {}, [](tra::Scan&) {}},
      op);
}

}  // namespace

partition::Partitioning reproducible_partitioning(const einsum::Graph& graph,
                                                  partition::Partitioning partitioning,
                                                  const expr::AggregateRegistry& aggregates) {
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    std::visit(Overload{[](const Among<einsum::Input, einsum::Whole> auto&) {},
                        [&](const einsum::EinSum& einsum) {
                          if (einsum.reduction && !einsum.over.empty() &&
                              !expr::merges_exactly(einsum.reduction->monoid, aggregates)) {
                            round_lengths(einsum, partitioning.piece_lengths[number]);
                          }
                        },
                        [&](const einsum::Scan& scan) {
                          if (!expr::merges_exactly(scan.what.monoid, aggregates)) {
                            fix_pieces(scan, partitioning.piece_lengths[number]);
                          }
                        }},
               graph.vertices[number].op);
  }
  return partitioning;
}

tra::Graph with_stated_order(tra::Graph graph, const expr::AggregateRegistry& aggregates) {
  graph.is_reproducible = true;
  for (tra::Node& node : graph.nodes) {
    state_order(node.op, aggregates);
    const std::vector<std::string> problems =
        tra::problems_of_order(node.op, node.type, aggregates);
    TESSERA_USER_CHECK(problems.empty(), "no reproducible sums: {}", problems.front());
  }
  return graph;
}

}  // namespace tessera::optimizer
