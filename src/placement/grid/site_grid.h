#pragma once

#include <cstdint>
#include <vector>

#include "ir/ia/placement.h"
#include "ir/tra/graph.h"

namespace tessera::placement {

/// A key dimension along a grid of sites: the number of parts, each a block of consecutive keys,
/// and the distance of the sites of neighbouring parts.
struct GridDim {
  int64_t block = 1;
  int64_t parts = 1;
  int64_t stride = 0;
  friend bool operator==(const GridDim&, const GridDim&) = default;
  friend auto operator<=>(const GridDim&, const GridDim&) = default;
};

/// The sites of a join, laid out along the dimensions of its key: a tuple is made on site
/// sum(stride * (key / block)). This is the grid of sites of the 3D algorithm (Agarwal et al., IBM
/// J. Res. Dev. 39(5), 1995), for any dimensions.
using SiteGrid = std::vector<GridDim>;

/// Returns every grid of `num_sites` sites, or of as many as can be reached
/// (partition/problem/viable.h), that divides the keys evenly, in every order of the sites along
/// it. At most `most`: beyond that it leaves out orders before grids. Deterministic, not empty.
std::vector<SiteGrid> site_grids(const std::vector<tra::KeyDim>& key, int64_t num_sites,
                                 int64_t most);

/// Returns the placement of tuples that are made on a grid.
ia::ByMap map_of(const SiteGrid& grid, const std::vector<tra::KeyDim>& key);

/// Returns the most tuples that one site makes.
double most_tuples(const SiteGrid& grid);

/// The sites of a grid that a tuple concerns if its key has some of the grid's dimensions: those
/// that agree with it on these, at any place along the rest.
struct Footprint {
  std::vector<GridDim> dims;  // by dimension of the tuple's key; stride 0 for one the grid lacks
  std::vector<GridDim> rest;  // of the grid, with several parts
  friend bool operator==(const Footprint&, const Footprint&) = default;
  friend auto operator<=>(const Footprint&, const Footprint&) = default;

  int64_t num_sites() const;  // of each tuple
};

/// Returns the footprint of a join's operand, which needs a tuple on all of these sites. `dims`
/// gives the dimension of the join for each of the operand's, or -1 (tra::matched_dims).
Footprint footprint_of(const SiteGrid& grid, const std::vector<int>& dims);

/// Returns the same sites for the tuples of another key with the same dimensions and other cuts.
Footprint fitted(const Footprint& footprint, const std::vector<tra::KeyDim>& key);

/// Places a copy of every tuple on all sites of its footprint. REQUIRES at most tra::kMostTuples
/// keys.
ia::Placement copies_on(const Footprint& footprint, const std::vector<tra::KeyDim>& key,
                        int64_t num_sites);

/// Places every tuple on one site of its footprint, evenly over these sites as far as the keys
/// allow.
ia::ByMap one_of(const Footprint& footprint, const std::vector<tra::KeyDim>& key);

/// Returns the part of a tensor's elements, times the sites they go to, that moves from where they
/// are (one_of) to where they are needed (copies_on). The two may be cut differently. Takes the
/// mean over the sites of a footprint that a tuple may be on.
///
/// REQUIRES keys of the same labels, extents and order.
double moved_share(const Footprint& from, const std::vector<tra::KeyDim>& from_key,
                   const Footprint& to, const std::vector<tra::KeyDim>& to_key);

}  // namespace tessera::placement
