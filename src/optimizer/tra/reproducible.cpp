#include "optimizer/tra/reproducible.h"

#include <algorithm>
#include <bit>

#include "base/error.h"
#include "expr/reduction_order.h"

namespace tessera::optimizer {

namespace {

bool is_stored_narrow(const expr::Monoid& monoid) {
  return std::any_of(monoid.state.begin(), monoid.state.end(),
                     [](DType dtype) { return compute_type(dtype) != dtype; });
}

/// `unit` times the smallest power of two that gives at least `length`, or `whole` where it is
/// less.
int64_t rounded_up(int64_t length, int64_t unit, int64_t whole) {
  int64_t rounded = unit;
  while (rounded < length && rounded < whole) {
    rounded *= 2;
  }
  return std::max<int64_t>(std::min(rounded, whole), 1);
}

void round_lengths(const einsum::EinSum& einsum, std::vector<int64_t>& lengths) {
  const expr::Leaf leaf = expr::leaf_of(einsum.labels, einsum.over);
  const bool may_cut = !is_stored_narrow(einsum.reduction->monoid);
  for (const expr::LabelNumber label : einsum.over) {
    const auto number = static_cast<size_t>(label);
    const int64_t extent = std::max<int64_t>(einsum.labels[number].extent, 1);
    lengths[number] =
        may_cut && label == leaf.label ? rounded_up(lengths[number], leaf.length, extent) : extent;
  }
}

/// Whether a key dimension cuts a label where a tree over its leaves can be cut.
bool is_between_subtrees(const tra::KeyDim& dim, int64_t leaf_length) {
  const ModeGrid* grid = tra::grid_of(dim);
  if (grid == nullptr || grid->num_pieces() == 1) {
    return grid != nullptr;
  }
  const int64_t length = grid->begin(1);
  return length % leaf_length == 0 &&
         std::has_single_bit(static_cast<uint64_t>(length / leaf_length)) &&
         *grid == cut_every(grid->extent(), length);
}

/// States the order of one reduction of a join's kernel, where it rounds.
void state_order(const tra::Join& join, expr::Reduce& reduce,
                 const expr::AggregateRegistry& aggregates) {
  if (reduce.over.empty() || expr::merges_exactly(reduce.monoid, aggregates)) {
    return;
  }
  const expr::Leaf leaf = expr::leaf_of(join.kernel->labels, reduce.over);
  for (const expr::LabelNumber label : reduce.over) {
    const std::string& name = join.kernel->labels[static_cast<size_t>(label)].name;
    const int dim = tra::find_key_dim(join.key, name);
    const bool fits = dim < 0 || tra::num_keys(join.key[static_cast<size_t>(dim)]) == 1 ||
                      (label == leaf.label &&
                       is_between_subtrees(join.key[static_cast<size_t>(dim)], leaf.length));
    TESSERA_USER_CHECK(
        fits,
        "no reproducible sums: label {} is cut inside subtrees of its reduction; {} may "
        "be cut every {} positions, or that times a power of two",
        name, join.kernel->labels[static_cast<size_t>(leaf.label)].name, leaf.length);
  }
  reduce.leaf = leaf;
}

void state_order(tra::Join& join, const expr::AggregateRegistry& aggregates) {
  expr::TileProgram stated = join.kernel;
  for (expr::TileStatement& statement : stated.statements) {
    std::visit(Overload{[](expr::Map&) {},
                        [&](expr::Reduce& reduce) { state_order(join, reduce, aggregates); },
                        [](expr::Scan&) {}},  // in the order of its label, which lies whole
               statement.what);
  }
  join.kernel = std::move(stated);
}

}  // namespace

partition::Partitioning reproducible_partitioning(const einsum::Graph& graph,
                                                  partition::Partitioning partitioning,
                                                  const expr::AggregateRegistry& aggregates) {
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    std::visit(Overload{[](const einsum::Input&) {},
                        [&](const einsum::EinSum& einsum) {
                          if (einsum.reduction && !einsum.over.empty() &&
                              !expr::merges_exactly(einsum.reduction->monoid, aggregates)) {
                            round_lengths(einsum, partitioning.piece_lengths[number]);
                          }
                        }},
               graph.vertices[number].op);
  }
  return partitioning;
}

tra::Graph with_stated_order(tra::Graph graph, const expr::AggregateRegistry& aggregates) {
  graph.is_reproducible = true;
  for (tra::Node& node : graph.nodes) {
    if (auto* join = std::get_if<tra::Join>(&node.op)) {
      state_order(*join, aggregates);
    } else if (auto* aggregate = std::get_if<tra::Aggregate>(&node.op)) {
      if (!expr::merges_exactly(aggregate->monoid, aggregates)) {
        aggregate->order = tra::MergeOrder::tree;
      }
    }
  }
  return graph;
}

}  // namespace tessera::optimizer
