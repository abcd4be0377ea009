#include "placement/joins/best_grid.h"

#include <algorithm>
#include <utility>

namespace tessera::placement::joins {

namespace {

/// A grid of sites: the number of sites along each cut label.
struct Grid {
  std::vector<int64_t> sites;
  double calls = 0;  // of the busiest site
  double bytes = 0;
};

int64_t run_of(const Contraction& contraction, const std::string& label, int64_t sites) {
  return (contraction.num_keys(label) + sites - 1) / sites;
}

/// Makes runs of keys along every label.
ia::ByMap map_of(const Contraction& contraction, const std::vector<std::string>& labels,
                 const std::vector<int64_t>& sites) {
  ia::ByMap map;
  int64_t stride = 1;
  for (size_t label = labels.size(); label-- > 0;) {
    map.terms.push_back({labels[label], stride, run_of(contraction, labels[label], sites[label])});
    stride *= sites[label];
  }
  return ia::simplified(map, contraction.key, contraction.num_sites);
}

/// A search over all grids, label after label.
class GridSearch {
 public:
  GridSearch(const Contraction& contraction, const std::vector<std::string>& labels)
      : contraction_(contraction), labels_(labels) {}

  std::optional<ia::ByMap> run() {
    extend(contraction_.num_sites);
    return best_ ? std::optional(map_of(contraction_, labels_, best_->sites)) : std::nullopt;
  }

 private:
  /// The most sites for which all numbers are tried along a label; beyond, only divisors are.
  static constexpr int64_t kFewSites = 64;

  void extend(int64_t left) {
    if (grid_.sites.size() == labels_.size()) {
      judge();
      return;
    }
    const int64_t keys = contraction_.num_keys(labels_[grid_.sites.size()]);
    for (int64_t sites = 1; sites <= std::min(left, keys); ++sites) {
      if (left <= kFewSites || contraction_.num_sites % sites == 0) {
        grid_.sites.push_back(sites);
        extend(left / sites);
        grid_.sites.pop_back();
      }
    }
  }

  void judge() {
    grid_.calls = 1;
    double partial_sums = 1;
    for (size_t label = 0; label < labels_.size(); ++label) {
      grid_.calls *= static_cast<double>(run_of(contraction_, labels_[label], grid_.sites[label]));
      const bool is_summed = contraction_.summed.count(labels_[label]) != 0;
      partial_sums *= is_summed ? static_cast<double>(grid_.sites[label]) : 1;
    }
    grid_.bytes = bytes_brought(contraction_, map_of(contraction_, labels_, grid_.sites)) +
                  contraction_.result_bytes * (partial_sums - 1);
    if (!best_ || std::pair(grid_.calls, grid_.bytes) < std::pair(best_->calls, best_->bytes)) {
      best_ = grid_;
    }
  }

  const Contraction& contraction_;
  const std::vector<std::string>& labels_;
  Grid grid_;
  std::optional<Grid> best_;
};

}  // namespace

std::optional<ia::ByMap> best_grid(const Contraction& contraction,
                                   const std::vector<std::string>& labels) {
  return labels.empty() ? std::nullopt : GridSearch(contraction, labels).run();
}

}  // namespace tessera::placement::joins
