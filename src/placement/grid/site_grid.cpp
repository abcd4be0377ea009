#include "placement/grid/site_grid.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "ir/tra/keys.h"
#include "optimizer/partition/problem/viable.h"

namespace tessera::placement {

namespace {

using KeySpace = std::vector<tra::KeyDim>;
using Sites = std::vector<int64_t>;

/// Divides a dimension into `parts` blocks of equal length, except the last, or into fewer if there
/// are not so many such blocks.
GridDim in_parts(int64_t num_keys, int64_t parts) {
  const int64_t block = (num_keys + parts - 1) / std::max<int64_t>(1, parts);
  return {std::max<int64_t>(1, block), (num_keys + block - 1) / std::max<int64_t>(1, block), 0};
}

/// Returns the dimensions with several parts.
std::vector<size_t> divided_dims(const SiteGrid& grid) {
  std::vector<size_t> dims;
  for (size_t dim = 0; dim < grid.size(); ++dim) {
    if (grid[dim].parts > 1) {
      dims.push_back(dim);
    }
  }
  return dims;
}

/// Numbers the sites of a grid so that those along the last of these dimensions are neighbours.
SiteGrid numbered(SiteGrid grid, const std::vector<size_t>& order) {
  int64_t stride = 1;
  for (auto dim = order.rbegin(); dim != order.rend(); ++dim) {
    grid[*dim].stride = stride;
    stride *= grid[*dim].parts;
  }
  return grid;
}

/// Returns the beginnings of a dimension's blocks and the end of the last, as positions of the
/// tensor; for a user's integers, as integers.
std::vector<int64_t> cuts_of(const tra::KeyDim& dim, const GridDim& blocks) {
  const ModeGrid* grid = tra::grid_of(dim);
  const int64_t num_keys = tra::num_keys(dim);
  std::vector<int64_t> cuts;
  for (int64_t part = 0; part <= blocks.parts; ++part) {
    const int64_t key = part == blocks.parts ? num_keys : part * blocks.block;
    cuts.push_back(grid == nullptr ? key : grid->begin(key));
  }
  return cuts;
}

/// A stretch of one dimension without a cut at either end: its share of the extent, and its offset
/// in the number of a site at either end.
struct Stretch {
  double share = 0;
  int64_t from = 0;
  int64_t to = 0;
};

std::vector<Stretch> stretches_of(const GridDim& from, const tra::KeyDim& from_dim,
                                  const GridDim& to, const tra::KeyDim& to_dim) {
  const std::vector<int64_t> before = cuts_of(from_dim, from);
  const std::vector<int64_t> after = cuts_of(to_dim, to);
  const auto extent = static_cast<double>(std::max<int64_t>(1, before.back()));
  std::vector<Stretch> stretches;
  size_t one = 0;
  size_t other = 0;
  int64_t begin = 0;
  while (one + 1 < before.size() && other + 1 < after.size()) {
    const int64_t end = std::min(before[one + 1], after[other + 1]);
    stretches.push_back({static_cast<double>(end - begin) / extent,
                         static_cast<int64_t>(one) * from.stride,
                         static_cast<int64_t>(other) * to.stride});
    begin = end;
    one += before[one + 1] == end ? 1 : 0;
    other += after[other + 1] == end ? 1 : 0;
  }
  return stretches;
}

/// Returns the offsets in the number of a site along some dimensions, ascending.
Sites offsets_of(const std::vector<GridDim>& dims) {
  Sites offsets = {0};
  for (const GridDim& dim : dims) {
    Sites more;
    for (const int64_t offset : offsets) {
      for (int64_t part = 0; part < dim.parts; ++part) {
        more.push_back(offset + part * dim.stride);
      }
    }
    offsets = std::move(more);
  }
  std::sort(offsets.begin(), offsets.end());
  return offsets;
}

/// Counts the sites of `a` moved by one number that are among `b` moved by another. Both ascend.
double num_common(const Sites& a, int64_t shift_a, const Sites& b, int64_t shift_b) {
  double common = 0;
  for (auto one = a.begin(), other = b.begin(); one != a.end() && other != b.end();) {
    const int64_t difference = (*one + shift_a) - (*other + shift_b);
    common += difference == 0 ? 1 : 0;
    one += difference <= 0 ? 1 : 0;
    other += difference >= 0 ? 1 : 0;
  }
  return common;
}

/// A run of consecutive keys of one dimension: the keys to the next block, and in each block the
/// keys that no site number tells apart yet.
struct Run {
  std::string label;
  int64_t left = 1;
  int64_t counted = 1;
};

/// Returns the number of these parts that a run is divided into: all if it is long enough or has no
/// common divisor with them.
int64_t counted_off(const Run& run, int64_t parts) {
  const int64_t common = std::gcd(run.left, parts);
  return run.left >= parts || common == 1 ? parts : common;
}

/// Returns the run that these parts divide most evenly; among equals the longest.
Run& run_for(std::vector<Run>& runs, int64_t parts) {
  return *std::max_element(runs.begin(), runs.end(), [&](const Run& a, const Run& b) {
    const auto even = [&](const Run& run) {
      return run.left >= parts ? parts : std::gcd(run.left, parts);
    };
    return std::pair(even(a), a.left) < std::pair(even(b), b.left);
  });
}

}  // namespace

std::vector<SiteGrid> site_grids(const KeySpace& key, int64_t num_sites, int64_t most) {
  std::vector<optimizer::partition::Cuttable> labels;
  for (const tra::KeyDim& dim : key) {
    labels.push_back({tra::num_keys(dim), tra::num_keys(dim) <= 1});
  }
  std::vector<int32_t> order(key.size());
  std::iota(order.begin(), order.end(), 0);
  std::vector<SiteGrid> canonical;
  std::vector<SiteGrid> reordered;
  for (const std::vector<int64_t>& parts :
       optimizer::partition::viable_vectors(labels, num_sites, order, most)) {
    SiteGrid grid;
    for (size_t dim = 0; dim < key.size(); ++dim) {
      grid.push_back(in_parts(tra::num_keys(key[dim]), parts[dim]));
    }
    std::vector<size_t> dims = divided_dims(grid);
    canonical.push_back(numbered(grid, dims));
    while (std::next_permutation(dims.begin(), dims.end()) &&
           static_cast<int64_t>(reordered.size()) < most) {
      reordered.push_back(numbered(grid, dims));
    }
  }
  const size_t left =
      static_cast<size_t>(most) - std::min(static_cast<size_t>(most), canonical.size());
  canonical.insert(
      canonical.end(), reordered.begin(),
      reordered.begin() + static_cast<std::ptrdiff_t>(std::min(left, reordered.size())));
  return canonical;
}

ia::ByMap map_of(const SiteGrid& grid, const KeySpace& key) {
  ia::ByMap map;
  for (size_t dim = 0; dim < grid.size(); ++dim) {
    if (grid[dim].parts > 1) {
      map.terms.push_back({tra::label_of(key[dim]), grid[dim].stride, grid[dim].block, 0});
    }
  }
  return map;
}

double most_tuples(const SiteGrid& grid) {
  double tuples = 1;
  for (const GridDim& dim : grid) {
    tuples *= static_cast<double>(dim.block);
  }
  return tuples;
}

int64_t Footprint::num_sites() const {
  int64_t sites = 1;
  for (const GridDim& dim : rest) {
    sites *= dim.parts;
  }
  return sites;
}

Footprint footprint_of(const SiteGrid& grid, const std::vector<int>& dims) {
  Footprint footprint;
  std::vector<bool> is_met(grid.size(), false);
  for (const int dim : dims) {
    footprint.dims.emplace_back();
    if (dim >= 0 && !is_met[static_cast<size_t>(dim)]) {
      footprint.dims.back() = grid[static_cast<size_t>(dim)];
      is_met[static_cast<size_t>(dim)] = true;
    }
  }
  for (size_t dim = 0; dim < grid.size(); ++dim) {
    if (!is_met[dim] && grid[dim].parts > 1) {
      footprint.rest.push_back(grid[dim]);
    }
  }
  return footprint;
}

Footprint fitted(const Footprint& footprint, const KeySpace& key) {
  Footprint result{{}, footprint.rest};
  for (size_t dim = 0; dim < key.size(); ++dim) {
    const GridDim& own = footprint.dims[dim];
    result.dims.push_back(in_parts(tra::num_keys(key[dim]), own.parts));
    result.dims.back().stride = own.stride;
  }
  return result;
}

ia::Placement copies_on(const Footprint& footprint, const KeySpace& key, int64_t num_sites) {
  if (footprint.rest.empty()) {
    return one_of(footprint, key);
  }
  const Sites offsets = offsets_of(footprint.rest);
  ia::SiteSets sets;
  std::vector<int32_t> sites(offsets.size());
  for (const tra::Key& tuple : tra::all_keys(key)) {
    int64_t base = 0;
    for (size_t dim = 0; dim < tuple.size(); ++dim) {
      base += footprint.dims[dim].stride * (tuple[dim] / footprint.dims[dim].block);
    }
    for (size_t number = 0; number < offsets.size(); ++number) {
      sites[number] = static_cast<int32_t>(base + offsets[number]);
    }
    sets.add(sites);
  }
  return ia::copied(std::move(sets), num_sites);
}

ia::ByMap one_of(const Footprint& footprint, const KeySpace& key) {
  ia::ByMap map;
  std::vector<Run> runs;
  for (size_t dim = 0; dim < key.size(); ++dim) {
    const GridDim& own = footprint.dims[dim];
    if (own.stride > 0) {
      map.terms.push_back({tra::label_of(key[dim]), own.stride, own.block, 0});
    }
    runs.push_back({tra::label_of(key[dim]), own.block, 1});
  }
  for (const GridDim& dim : footprint.rest) {
    int64_t stride = dim.stride;
    for (int64_t parts = dim.parts; parts > 1 && !runs.empty();) {
      Run& run = run_for(runs, parts);
      const int64_t cycle = counted_off(run, parts);
      map.terms.push_back({run.label, stride, run.counted, cycle});
      run.left = std::max<int64_t>(1, run.left / cycle);
      run.counted *= cycle;
      stride *= cycle;
      parts /= cycle;
    }
  }
  return map;
}

double moved_share(const Footprint& from, const KeySpace& from_key, const Footprint& to,
                   const KeySpace& to_key) {
  std::vector<Stretch> cells = {{1, 0, 0}};
  for (size_t dim = 0; dim < from_key.size(); ++dim) {
    std::vector<Stretch> divided;
    const std::vector<Stretch> stretches =
        stretches_of(from.dims[dim], from_key[dim], to.dims[dim], to_key[dim]);
    for (const Stretch& cell : cells) {
      for (const Stretch& stretch : stretches) {
        divided.push_back(
            {cell.share * stretch.share, cell.from + stretch.from, cell.to + stretch.to});
      }
    }
    cells = std::move(divided);
  }
  const Sites before = offsets_of(from.rest);
  const Sites after = offsets_of(to.rest);
  const auto needed = static_cast<double>(after.size());
  double moved = 0;
  for (const Stretch& cell : cells) {
    const double there =
        num_common(before, cell.from, after, cell.to) / static_cast<double>(before.size());
    moved += cell.share * (needed - there);
  }
  return moved;
}

}  // namespace tessera::placement
