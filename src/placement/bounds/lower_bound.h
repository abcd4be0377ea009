#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::placement {

/// The sites that a bound is asked for.
struct SiteShare {
  double work = 1;                      // largest part of every statement that a site does
  std::optional<int64_t> memory_bytes;  // of each; none: unlimited
};

/// A lower bound on the bytes that any placement moves, over all sites.
struct CommunicationBound {
  double moved_bytes = 0;  // from one site to another
  /// Bytes moved, or paged if memory is short: spilled, loaded, read from a file once more. At
  /// least `moved_bytes`.
  double moved_or_paged_bytes = 0;
};

/// The bound of every vertex alone, and of all together.
struct CommunicationBounds {
  std::vector<CommunicationBound> statements;  // by vertex; nothing for inputs
  CommunicationBound program;
};

/// Computes lower bounds of the bytes that a program moves between sites, with its statements
/// unchanged: for every execution that computes every point of a statement's labels once, on a site
/// that has the elements it reads, and merges the partial results of sites. No site does more of
/// any statement than its share of the points; without that one site could do all and nothing would
/// move.
///
/// Every tensor begins in one copy, where it moves least: an input is read from its file by one of
/// the sites that need it, an intermediate is merged on one. So an element moves at least the
/// number of sites that need it or have a part of it, less one. That is
///   sum over tensors of bytes * (sum over sites of |projection of its points| - elements),
/// which is at least `1/work` times the least projections of a share (least_projections.h), less
/// all tensors. For a product on P sites with no short label this is 3 (mnk)^(2/3) P^(1/3) - mn -
/// mk - nk numbers, the memory-independent bound of Ballard, Demmel, Holtz, Lipshitz, Schwartz
/// (SPAA 2012) over all sites, with the initial ownership of COSMA (Kwasniewski et al., SC 2019).
///
/// With memory S on a site, its points are done in turns. A turn reads elements that were in memory
/// at its start or come in, and its results stay or leave. So each of T equal turns pages or moves
/// its least projections less S, and all together S more (the X-partitions of COSMA and of Deinsum,
/// Ziogas et al., SC 2022): about 2 mnk / sqrt(S) for a product.
///
/// A program moves at least the sum over its statements, if partial results count for their own
/// statement and an operand of several statements counts for each in proportion to their points. It
/// moves at least as much as any one. Operands that are read in windows or by tables count nothing.
///
/// REQUIRES share.work > 0, at most 1.
CommunicationBounds communication_bounds(const einsum::Graph& graph, const SiteShare& share);

}  // namespace tessera::placement
