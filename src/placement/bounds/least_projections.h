#pragma once

#include <cstdint>
#include <vector>

namespace tessera::placement {

/// A projection of a point of a label space onto one array: the element at some of its labels.
struct Projection {
  std::vector<int32_t> labels;  // each once
  double weight = 1;            // of an element; not negative
};

/// Returns a lower bound on the weight of all elements that any `points` points of a label space
/// project onto: sum over arrays of weight * |projection of the points|. It is never above that,
/// and below by rounding only.
///
/// Lengths of labels are 1 to their extents; `points` is 1 to the product of these. The bound grows
/// with `points`, and its quotient by `points` does not.
///
/// Source: the inequality of Loomis and Whitney (Bull. AMS 55, 1949) for any projections onto
/// labels (Bollobas and Thomason 1995; Christ, Demmel, Knight, Scanlon, Yelick 2013): a set F has
/// |F| <= prod |F_j|^s_j if, for every label, the s_j of the arrays with that label add up to 1 or
/// more. The labels themselves are arrays too, of weight 0 and at most their extents. By the
/// duality of linear programs in the logarithms, the sizes |F_j| that all these inequalities allow
/// are no smaller than those of some box with real edges, 1 to the extents, of as many points
/// (Atserias, Grohe, Marx 2008), so the best box is the bound. For a matrix product it has the
/// three cases of Al Daas, Ballard, Grigori, Kumar, Rouse (SPAA 2022).
double least_projections(const std::vector<int64_t>& extents,
                         const std::vector<Projection>& projections, double points);

}  // namespace tessera::placement
