#pragma once

#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// Whether the kernel of a join that an aggregate alone reads adds every result to a tile of the
/// aggregate, C += A * B, so that partial results never are tiles of their own: where the aggregate
/// merges tuples one after the other, with the monoid that the kernel's last statement reduces
/// with.
bool accumulates(const tra::Join& join, const tra::Aggregate& aggregate);

/// Into how many tiles the calls of a group accumulate, in turn, before these are merged.
///
/// Calls that add to one tile run one after the other, on one core. More tiles than one are made
/// where there are few groups of many calls, and where that costs little: every tile takes several
/// calls, and together they are much smaller than what a call reads. The number of workers counts
/// for nothing, so that sums of equal cuts have equal bits.
///
/// `result` is the type of the aggregate, bytes_read what one call reads, num_calls those of all
/// groups.
int64_t num_chains(const tra::Aggregate& aggregate, const tra::RelationType& result,
                   double bytes_read, int64_t num_calls);

/// The bytes that a call of the join reads; type_of(node) is the type of an input.
template <class TypeOf>
double bytes_read(const tra::Join& join, TypeOf type_of) {
  double bytes = 0;
  for (const tra::NodeId input : join.inputs) {
    bytes += tra::tuple_bytes(type_of(input));
  }
  return bytes;
}

/// The same for an aggregate of a placed graph whose input has so many keys on a site.
size_t num_chains(const ia::Graph& graph, ia::NodeId aggregate, size_t num_calls);

/// By node: whether it is a join that accumulates into the tiles of its only reader.
std::vector<bool> accumulating_joins(const ia::Graph& graph);

}  // namespace tessera::plan
