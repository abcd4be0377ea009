#pragma once

#include <vector>

#include "ir/ia/graph.h"

namespace tessera::plan {

/// True if the kernel of a join that only an aggregate reads can add every result to a tile of the
/// aggregate, C += A * B, so that partial results never are tiles of their own. That holds if the
/// aggregate merges tuples one after the other, with the monoid of the kernel's last statement.
bool accumulates(const tra::Join& join, const tra::Aggregate& aggregate);

/// Returns the number of tiles that the calls of a group accumulate into, in turn, before these are
/// merged.
///
/// Calls that add to one tile run one after the other, on one core. There is more than one tile if
/// there are few groups of many calls and it costs little: every tile takes several calls, and all
/// tiles are much smaller than a call's operands. The number of workers does not count, so that
/// sums of equal cuts have equal bits.
///
/// `result` is the type of the aggregate, `bytes_read` the size of one call's operands, `num_calls`
/// the calls of all groups.
int64_t num_chains(const tra::Aggregate& aggregate, const tra::RelationType& result,
                   double bytes_read, int64_t num_calls);

/// Returns the bytes that a call of the join reads; type_of(node) is the type of an input.
template <class TypeOf>
double bytes_read(const tra::Join& join, TypeOf type_of) {
  double bytes = 0;
  for (const tra::NodeId input : join.inputs) {
    bytes += tra::tuple_bytes(type_of(input));
  }
  return bytes;
}

/// Returns the number of chains of an aggregate of a placed graph whose input has `num_calls` keys
/// on a site.
size_t num_chains(const ia::Graph& graph, ia::NodeId aggregate, size_t num_calls);

/// Returns, by node, true if it is a join that accumulates into the tiles of its only reader.
std::vector<bool> accumulating_joins(const ia::Graph& graph);

}  // namespace tessera::plan
