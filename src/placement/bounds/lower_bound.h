#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::placement {

/// The sites for which a bound is asked.
struct SiteShare {
  double work = 1;                      // what part of every statement a site does at most
  std::optional<int64_t> memory_bytes;  // that each has; none: as much as is wanted
};

/// What no placement moves less than, in bytes over all sites.
struct CommunicationBound {
  double moved_bytes = 0;  // from one site to another
  /// Moved, or paged where memory is short: spilled, loaded, read from a file once more. At least
  /// `moved_bytes`.
  double moved_or_paged_bytes = 0;
};

/// The bound of every vertex alone, and of all together.
struct CommunicationBounds {
  std::vector<CommunicationBound> statements;  // by vertex; nothing of inputs
  CommunicationBound program;
};

/// Lower bounds of what a program moves between sites, with its statements as they are: whatever
/// computes every point of a statement's labels once, on a site that has the elements it reads, and
/// merges the partial results of sites. No site does more of any statement than its share of the
/// points, without which one site could do all and nothing would move.
///
/// Every tensor begins in one copy, where it moves least: an input is read from its file by one of
/// the sites that need it, an intermediate is merged on one. So an element moves once less than
/// there are sites that need it or have a part of it. That is
///   sum over tensors of bytes * (sum over sites of |projection of its points| - elements),
/// which is at least `1/work` times the least projections of a share (least_projections.h), less
/// all tensors: of a product on P sites 3 (mnk)^(2/3) P^(1/3) - mn - mk - nk numbers where no label
/// is short, the memory-independent bound of Ballard, Demmel, Holtz, Lipshitz, Schwartz (SPAA 2012)
/// over all sites, with what COSMA (Kwasniewski et al., SC 2019) has them own at first.
///
/// Of memory S on a site: its points are done in turns; a turn reads what memory held at its begin
/// or what comes in, and what it makes stays or leaves, so that of T equal turns each pages or
/// moves its least projections less S, and all together S more (the X-partitions of COSMA and of
/// Deinsum, Ziogas et al., SC 2022): about 2 mnk / sqrt(S) for a product.
///
/// A program moves at least as much as all statements together: its partial results are a
/// statement's own, and an operand of several counts for each in proportion to their points. It
/// moves at least as much as any one. Operands that are read in windows or by tables count nothing.
///
/// REQUIRES share.work > 0, at most 1.
CommunicationBounds communication_bounds(const einsum::Graph& graph, const SiteShare& share);

}  // namespace tessera::placement
