#pragma once

#include <cstdint>
#include <vector>

namespace tessera::placement {

/// What a point of a label space has to do with of one array: the element at some of its labels.
struct Projection {
  std::vector<int32_t> labels;  // each once
  double weight = 1;            // of an element; not negative
};

/// The least weight of all elements together that any `points` points of a label space have to do
/// with: sum over arrays of weight * |projection of the points|. Never more than that, and less by
/// rounding only.
///
/// Lengths of labels are 1 to their extents; `points` is 1 to the product of these. The function of
/// `points` that it is grows, and its quotient by `points` does not.
///
/// Source: the inequality of Loomis and Whitney (Bull. AMS 55, 1949) for any projections onto
/// labels (Bollobas and Thomason 1995; Christ, Demmel, Knight, Scanlon, Yelick 2013): a set F has
/// |F| <= prod |F_j|^s_j wherever the s_j of the arrays with a label add up to 1 or more, for every
/// label. The labels themselves are arrays too, of weight 0 and at most their extents. By the
/// duality of linear programs in the logarithms, the sizes |F_j| that all these inequalities allow
/// are no smaller than those of some box with real edges, 1 to the extents, of as many points
/// (Atserias, Grohe, Marx 2008), so that the best box is the bound. For a matrix product it has the
/// three cases of Al Daas, Ballard, Grigori, Kumar, Rouse (SPAA 2022).
double least_projections(const std::vector<int64_t>& extents,
                         const std::vector<Projection>& projections, double points);

}  // namespace tessera::placement
