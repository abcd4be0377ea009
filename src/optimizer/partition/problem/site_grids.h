#pragma once

#include <cstdint>
#include <vector>

#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// The grids of sites along a statement's labels, as the 3D algorithm has them for a product, and
/// what moves between sites on each, in bytes: of every operand, a copy for every site that needs
/// it but one; of a sum, the partial results of all sites but one, each merged on its site before.
class SiteGrids {
 public:
  /// Of all grids of so many sites, or of as many as the extents allow.
  SiteGrids(const StatementModel& statement, int64_t num_sites);

  /// What moves on the best grid that divides the calls of these cuts (piece lengths by label)
  /// evenly, or on the worst of all grids where none does. Where the result has fewer tiles than
  /// there are sites, these receive all partial results: it counts as if all received as much.
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
