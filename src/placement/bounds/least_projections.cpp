#include "placement/bounds/least_projections.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::placement {

namespace {

/// The possible gain, as a part of the weight, at which the search for a box ends.
constexpr double kGap = 1e-12;
/// The most steps of a search. One that is cut off still gives a bound, but a lower one.
constexpr int kMostSteps = 1000;

/// A box of a fixed number of points, by the logarithms of its edges. Its weight is convex in them,
/// and their sum is fixed.
class Box {
 public:
  Box(const std::vector<int64_t>& extents, const std::vector<Projection>& projections,
      double points)
      : projections_(projections), has_(projections.size()) {
    for (const int64_t extent : extents) {
      longest_.push_back(std::log(static_cast<double>(extent)));
    }
    for (size_t array = 0; array < projections.size(); ++array) {
      has_[array].assign(extents.size(), false);
      for (const int32_t label : projections[array].labels) {
        has_[array][static_cast<size_t>(label)] = true;
      }
    }
    const double all = std::accumulate(longest_.begin(), longest_.end(), 0.0);
    const double share = all > 0 ? std::min(1.0, std::log(points) / all) : 0;
    for (const double longest : longest_) {
      edges_.push_back(share * longest);
    }
    weigh();
  }

  /// Lengthens the edge that costs least and shortens the one that gains most, by the best amount
  /// for the two. Returns false if that is impossible.
  bool improve() {
    size_t longer = edges_.size();
    size_t shorter = edges_.size();
    for (size_t label = 0; label < edges_.size(); ++label) {
      if (edges_[label] < longest_[label] &&
          (longer == edges_.size() || slopes_[label] < slopes_[longer])) {
        longer = label;
      }
      if (edges_[label] > 0 && (shorter == edges_.size() || slopes_[label] > slopes_[shorter])) {
        shorter = label;
      }
    }
    if (longer == edges_.size() || shorter == edges_.size() ||
        slopes_[longer] >= slopes_[shorter]) {
      return false;
    }
    // The weight of arrays with just one of the two is grows * e^t + shrinks * e^-t.
    double grows = 0;
    double shrinks = 0;
    for (size_t array = 0; array < has_.size(); ++array) {
      grows += has_[array][longer] && !has_[array][shorter] ? weights_[array] : 0;
      shrinks += has_[array][shorter] && !has_[array][longer] ? weights_[array] : 0;
    }
    const double room = std::min(longest_[longer] - edges_[longer], edges_[shorter]);
    const double step = grows > 0 ? std::min(room, 0.5 * std::log(shrinks / grows)) : room;
    edges_[longer] = std::min(longest_[longer], edges_[longer] + step);
    edges_[shorter] = std::max(0.0, edges_[shorter] - step);
    weigh();
    return step > 0;
  }

  double weight() const { return std::accumulate(weights_.begin(), weights_.end(), 0.0); }

  /// Returns the most by which another box of as many points may weigh less: a convex function lies
  /// above its tangent, which is least where the flattest labels are as long as they can be.
  double gap() const {
    std::vector<size_t> order(edges_.size());
    std::iota(order.begin(), order.end(), size_t{0});
    std::sort(order.begin(), order.end(),
              [&](size_t a, size_t b) { return slopes_[a] < slopes_[b]; });
    double left = std::accumulate(edges_.begin(), edges_.end(), 0.0);
    double gap = 0;
    for (const size_t label : order) {
      const double edge = std::min(left, longest_[label]);
      gap += slopes_[label] * (edges_[label] - edge);
      left -= edge;
    }
    return std::max(0.0, gap);
  }

 private:
  /// Computes the weight of every array, and the derivative of the sum by every logarithm.
  void weigh() {
    weights_.clear();
    slopes_.assign(edges_.size(), 0);
    for (const Projection& projection : projections_) {
      double length = 0;
      for (const int32_t label : projection.labels) {
        length += edges_[static_cast<size_t>(label)];
      }
      weights_.push_back(projection.weight * std::exp(length));
      for (const int32_t label : projection.labels) {
        slopes_[static_cast<size_t>(label)] += weights_.back();
      }
    }
  }

  const std::vector<Projection>& projections_;
  std::vector<std::vector<bool>> has_;  // by array and label
  std::vector<double> longest_;         // by label, as are the next two
  std::vector<double> edges_;
  std::vector<double> slopes_;
  std::vector<double> weights_;  // by array
};

}  // namespace

double least_projections(const std::vector<int64_t>& extents,
                         const std::vector<Projection>& projections, double points) {
  Box box(extents, projections, points);
  for (int step = 0; step < kMostSteps && box.gap() > kGap * box.weight(); ++step) {
    if (!box.improve()) {
      break;
    }
  }
  return std::max(0.0, box.weight() - box.gap());
}

}  // namespace tessera::placement
