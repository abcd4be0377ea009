#include "ir/tra/stated_order.h"

#include <algorithm>
#include <bit>

#include <fmt/format.h>

#include "base/overload.h"
#include "base/problems.h"
#include "expr/reduction_order.h"

namespace tessera::tra {

namespace {

/// True if a key dimension cuts a label only where a tree over its leaves can be cut.
bool is_between_subtrees(const KeyDim& dim, int64_t leaf_length) {
  const ModeGrid* grid = grid_of(dim);
  if (grid == nullptr || grid->num_pieces() == 1) {
    return grid != nullptr;
  }
  const int64_t length = grid->begin(1);
  return length % leaf_length == 0 &&
         std::has_single_bit(static_cast<uint64_t>(length / leaf_length)) &&
         *grid == cut_every(grid->extent(), length);
}

Problems problems_of_cuts(const expr::TileProgram& kernel, const expr::Reduce& reduce,
                          const std::vector<KeyDim>& key) {
  const expr::Leaf leaf = expr::leaf_of(kernel.labels, reduce.over);
  for (const expr::LabelNumber label : reduce.over) {
    const std::string& name = kernel.labels[static_cast<size_t>(label)].name;
    const int dim = find_key_dim(key, name);
    if (dim < 0 || num_keys(key[static_cast<size_t>(dim)]) == 1) {
      continue;
    }
    if (expr::is_stored_narrow(reduce.monoid)) {
      return {fmt::format("label {} is cut, but {} is rounded to {} for every piece", name,
                          reduce.monoid.name, name_of(reduce.monoid.state.front()))};
    }
    if (label != leaf.label || !is_between_subtrees(key[static_cast<size_t>(dim)], leaf.length)) {
      return {
          fmt::format("label {} is cut inside subtrees of its reduction; {} may "
                      "be cut every {} positions, or that times a power of two",
                      name, kernel.labels[static_cast<size_t>(leaf.label)].name, leaf.length)};
    }
  }
  return {};
}

Problems problems_of_kernel(const expr::TileProgram& kernel, const std::vector<KeyDim>& key,
                            const expr::AggregateRegistry& aggregates) {
  Problems problems = expr::problems_of_leaves(kernel, aggregates);
  for (const expr::TileStatement& statement : kernel.statements) {
    const expr::Reduce* reduce = expr::reduction_of(statement);
    if (reduce != nullptr && expr::needs_leaf(*reduce, aggregates)) {
      const Problems cuts = problems_of_cuts(kernel, *reduce, key);
      problems.insert(problems.end(), cuts.begin(), cuts.end());
    }
  }
  return problems;
}

Problems problems_of_merge(const Aggregate& aggregate, const expr::AggregateRegistry& aggregates) {
  if (expr::merges_exactly(aggregate.monoid, aggregates)) {
    return {};
  }
  if (!aggregate.coarser.empty()) {
    return {fmt::format("{} rounds, so partial results change its bits", aggregate.monoid.name)};
  }
  if (aggregate.order == MergeOrder::tree) {
    return {};
  }
  return {fmt::format("{} rounds, so it has to say order=tree", aggregate.monoid.name)};
}

/// Returns the problems of a scan. Its merges depend on the cuts of its label, so there is one
/// right way to cut it.
Problems problems_of_scan(const Scan& scan, const RelationType& type,
                          const expr::AggregateRegistry& aggregates) {
  if (expr::merges_exactly(scan.monoid, aggregates)) {
    return {};
  }
  const ModeGrid* grid = grid_of(type.key[static_cast<size_t>(find_key_dim(type.key, scan.along))]);
  int64_t lines = 1;
  for (const Mode& mode : type.columns.front().modes) {
    lines *= std::max<int64_t>(mode.extent, 1);
  }
  if (expr::is_stored_narrow(scan.monoid) || grid == nullptr) {
    return {fmt::format("{} rounds, so a scan over pieces of {} changes its bits", scan.monoid.name,
                        scan.along)};
  }
  const int64_t length = expr::scan_piece(grid->extent(), lines);
  if (*grid == cut_every(grid->extent(), length)) {
    return {};
  }
  return {fmt::format("{} rounds, so the label {} of its scan has to be cut every {} positions",
                      scan.monoid.name, scan.along, length)};
}

}  // namespace

std::vector<std::string> problems_of_order(const Op& op, const RelationType& type,
                                           const expr::AggregateRegistry& aggregates) {
  const auto none = [] { return Problems{}; };
  return std::visit(
      Overload{
          [&](const Input&) { return none(); },
          [&](const Join& join) { return problems_of_kernel(join.kernel, type.key, aggregates); },
          [&](const Aggregate& aggregate) { return problems_of_merge(aggregate, aggregates); },
          [&](const Rekey&) { return none(); }, [&](const Filter&) { return none(); },
          [&](const Transform& transform) {
            return problems_of_kernel(transform.kernel, type.key, aggregates);
          },
          [&](const Tile&) { return none(); }, [&](const Concat&) { return none(); },
          [&](const Repartition&) { return none(); },
          [&](const Scan& scan) { return problems_of_scan(scan, type, aggregates); }},
      op);
}

}  // namespace tessera::tra
