#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/graph.h"

namespace tessera::placement {

/// A key dimension along a grid of sites: so many parts, each a block of keys that follow each
/// other, and how far apart the sites of neighbouring parts are.
struct GridDim {
  int64_t block = 1;
  int64_t parts = 1;
  int64_t stride = 0;
  friend bool operator==(const GridDim&, const GridDim&) = default;
  friend auto operator<=>(const GridDim&, const GridDim&) = default;
};

/// The sites of a join, laid out along the dimensions of its key: a tuple is made on the site
/// sum(stride * (key / block)). The grid of sites of the 3D algorithm (Agarwal et al., IBM J. Res.
/// Dev. 39(5), 1995), for any dimensions.
using SiteGrid = std::vector<GridDim>;

/// Every grid of `num_sites` sites, or of as many as can be reached (partition/problem/viable.h),
/// that divides the keys evenly, in every order of the sites along it; at most `most`, where more
/// orders are left out before more grids. Deterministic, not empty.
std::vector<SiteGrid> site_grids(const std::vector<tra::KeyDim>& key, int64_t num_sites,
                                 int64_t most);

/// Where tuples lie that are made on a grid.
ia::ByMap map_of(const SiteGrid& grid, const std::vector<tra::KeyDim>& key);

/// The most tuples that one site makes.
double most_tuples(const SiteGrid& grid);

/// Which sites of a grid a tuple has to do with whose key has some of the grid's dimensions: those
/// that agree with it on these, whatever their place along the rest.
struct Footprint {
  std::vector<GridDim> dims;  // by dimension of the tuple's key; stride 0 for one the grid lacks
  std::vector<GridDim> rest;  // of the grid, with several parts
  friend bool operator==(const Footprint&, const Footprint&) = default;
  friend auto operator<=>(const Footprint&, const Footprint&) = default;

  int64_t num_sites() const;  // of each tuple
};

/// Of an operand of a join, which needs a tuple on all of these sites. `dims` says which dimension
/// of the join each of the operand's is, or -1 (tra::matched_dims).
Footprint footprint_of(const SiteGrid& grid, const std::vector<int>& dims);

/// The same sites for the tuples of another key with the same dimensions, cut otherwise.
Footprint fitted(const Footprint& footprint, const std::vector<tra::KeyDim>& key);

/// A copy of every tuple on all sites of its footprint. REQUIRES at most tra::kMostTuples keys.
ia::Placement copies_on(const Footprint& footprint, const std::vector<tra::KeyDim>& key,
                        int64_t num_sites);

/// Every tuple on one site of its footprint, as many on each of these as on another where the keys
/// allow it.
ia::ByMap one_of(const Footprint& footprint, const std::vector<tra::KeyDim>& key);

/// What part of a tensor's elements, times the sites they go to, moves from where they are
/// (one_of) to where they are needed (copies_on). The two may be cut differently. In the mean where
/// a tuple may be on any site of its footprint.
///
/// REQUIRES keys of the same labels, extents and order.
double moved_share(const Footprint& from, const std::vector<tra::KeyDim>& from_key,
                   const Footprint& to, const std::vector<tra::KeyDim>& to_key);

}  // namespace tessera::placement
