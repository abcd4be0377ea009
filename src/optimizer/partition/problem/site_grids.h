#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// The grids of sites along a statement's labels (for a product, those of the 3D algorithm), and
/// the bytes that move between sites on each: for every operand, a copy for every site but one that
/// needs it; for a sum, the partial results of all sites but one, each merged on its site first.
class SiteGrids {
 public:
  /// Lists all grids of `num_sites` sites, or of as many as the extents allow.
  SiteGrids(const StatementModel& statement, int64_t num_sites);

  /// Returns the bytes that move on the best grid that divides the calls of these cuts (piece
  /// lengths by label) evenly, or on the worst of all grids if none does. If the result has fewer
  /// tiles than there are sites, those few receive all partial results; this counts as if all sites
  /// received as much.
  double least_bytes(const std::vector<int64_t>& lengths) const;

 private:
  struct Grid {
    std::vector<int64_t> parts;  // by label
    double operand_bytes = 0;
    double partial_bytes = 0;
  };
  bool divides(const Grid& grid, const std::vector<int64_t>& lengths) const;

  std::vector<int64_t> extents_;
  std::vector<int32_t> out_;
  double num_sites_;
  std::vector<Grid> grids_;  // not empty
};

}  // namespace tessera::optimizer::partition
