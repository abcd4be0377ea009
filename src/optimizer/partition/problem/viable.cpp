#include "optimizer/partition/problem/viable.h"

#include <algorithm>
#include <map>
#include <utility>

namespace tessera::optimizer::partition {

namespace {

constexpr int64_t kNearly = 16;

/// The vectors of one product, over the labels that may be cut.
class Factorisations {
 public:
  Factorisations(const std::vector<Cuttable>& labels, const std::vector<int32_t>& order,
                 int64_t product, int64_t most)
      : labels_(labels), product_(product), divisors_(divisors_of(product)), most_(most) {
    for (const int32_t label : order) {
      if (!labels[static_cast<size_t>(label)].whole) {
        cut_.push_back(static_cast<size_t>(label));
      }
    }
    keep_first_labels();
  }

  std::vector<std::vector<int64_t>> all() const {
    std::vector<std::vector<int64_t>> vectors;
    std::vector<int64_t> vector(labels_.size(), 1);
    append(0, product_, vector, vectors);
    return vectors;
  }

 private:
  /// Keeps as many leading labels as give at least one but not too many vectors. Drops all of them
  /// if no vector has the product.
  void keep_first_labels() {
    std::map<int64_t, int64_t> ways = {{1, 1}};  // by product of the labels so far
    size_t kept = 0;
    for (size_t count = 1; count <= cut_.size(); ++count) {
      ways = extended(ways, labels_[cut_[count - 1]].extent);
      const auto found = ways.find(product_);
      if (found != ways.end() && (kept == 0 || found->second <= most_)) {
        kept = count;
      }
    }
    cut_.resize(kept);
  }

  std::map<int64_t, int64_t> extended(const std::map<int64_t, int64_t>& ways,
                                      int64_t extent) const {
    std::map<int64_t, int64_t> more;
    for (const auto& [product, count] : ways) {
      for (const int64_t divisor : divisors_) {
        if (product * divisor <= product_ && product_ % (product * divisor) == 0 &&
            is_reachable(extent, divisor)) {
          int64_t& sum = more[product * divisor];
          sum = std::min(sum + count, most_ + 1);
        }
      }
    }
    return more;
  }

  void append(size_t position, int64_t rest, std::vector<int64_t>& vector,
              std::vector<std::vector<int64_t>>& vectors) const {
    if (static_cast<int64_t>(vectors.size()) == most_) {
      return;
    }
    if (position == cut_.size()) {
      if (rest == 1) {
        vectors.push_back(vector);
      }
      return;
    }
    for (const int64_t divisor : divisors_) {
      if (rest % divisor == 0 && is_reachable(labels_[cut_[position]].extent, divisor)) {
        vector[cut_[position]] = divisor;
        append(position + 1, rest / divisor, vector, vectors);
      }
    }
    vector[cut_[position]] = 1;
  }

  const std::vector<Cuttable>& labels_;
  int64_t product_;
  std::vector<int64_t> divisors_;
  int64_t most_;
  std::vector<size_t> cut_;
};

/// Returns the most pieces that a label can have, at most `pieces`. If a number of pieces has a
/// length that makes too few, so do all numbers down to the one for which one in sixteen fewer is
/// what it makes.
int64_t most_reachable(int64_t extent, int64_t pieces) {
  const int64_t most = std::min(pieces, std::max<int64_t>(extent, 1));
  if (is_reachable(extent, most)) {
    return most;
  }
  const int64_t length = (extent - 1) / most + 1;
  const int64_t made = (extent - 1) / length + 1;
  return made * kNearly / (kNearly - 1);
}

/// Returns the largest product that labels can have together, at most `pieces`. Their extents are
/// in ascending order: long labels reach any small number of pieces, so the recursion tries few
/// others.
int64_t most_product(const std::vector<int64_t>& extents, size_t first, int64_t pieces) {
  if (first == extents.size()) {
    return 1;
  }
  const int64_t extent = extents[first];
  if (first + 1 == extents.size()) {
    return most_reachable(extent, pieces);
  }
  int64_t best = 1;
  for (int64_t own = 1; own <= std::min(extent, pieces) && best < pieces; ++own) {
    if (own * (pieces / own) > best && is_reachable(extent, own)) {
      best = std::max(best, own * most_product(extents, first + 1, pieces / own));
    }
  }
  return best;
}

/// Returns the extents of the labels that may be cut, in ascending order.
std::vector<int64_t> cuttable_extents(const std::vector<Cuttable>& labels) {
  std::vector<int64_t> extents;
  for (const Cuttable& label : labels) {
    if (!label.whole && label.extent > 1) {
      extents.push_back(label.extent);
    }
  }
  std::sort(extents.begin(), extents.end());
  return extents;
}

}  // namespace

std::vector<int64_t> divisors_of(int64_t number) {
  std::vector<int64_t> low;
  std::vector<int64_t> high;
  for (int64_t divisor = 1; divisor * divisor <= number; ++divisor) {
    if (number % divisor == 0) {
      low.push_back(divisor);
      if (divisor * divisor != number) {
        high.push_back(number / divisor);
      }
    }
  }
  low.insert(low.end(), high.rbegin(), high.rend());
  return low;
}

bool is_reachable(int64_t extent, int64_t num_pieces) {
  if (num_pieces == 1) {
    return true;
  }
  if (num_pieces > extent) {
    return false;
  }
  const int64_t length = (extent - 1) / num_pieces + 1;
  const int64_t made = (extent - 1) / length + 1;
  return made * kNearly >= num_pieces * (kNearly - 1);
}

std::vector<std::vector<int64_t>> viable_vectors(const std::vector<Cuttable>& labels,
                                                 int64_t pieces, const std::vector<int32_t>& order,
                                                 int64_t most) {
  const int64_t product = most_product(cuttable_extents(labels), 0, pieces);
  return Factorisations(labels, order, product, most).all();
}

}  // namespace tessera::optimizer::partition
