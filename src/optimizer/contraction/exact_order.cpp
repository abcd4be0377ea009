#include "optimizer/contraction/exact_order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "optimizer/contraction/order_cost.h"

namespace tessera::optimizer {

namespace {

/// A set of tensors: bit t for tensor t.
using Subset = uint32_t;

constexpr size_t kMostTensors = 12;     // 3^12 / 2 splits take a millisecond
constexpr double kLargestLoop = 1e290;  // over all labels, so that quotients of volumes are numbers
constexpr double kNone = std::numeric_limits<double>::infinity();

/// A label with the tensors that have it.
struct HeldLabel {
  int32_t label = 0;
  Subset holders = 0;
  bool in_out = false;
};

std::vector<HeldLabel> held_labels(const TensorNetwork& network) {
  std::vector<HeldLabel> held;
  for (const int32_t label : all_labels(network)) {
    held.push_back({label, 0, std::binary_search(network.out.begin(), network.out.end(), label)});
  }
  for (size_t tensor = 0; tensor < network.tensors.size(); ++tensor) {
    auto place = held.begin();
    for (const int32_t label : network.tensors[tensor]) {
      place = std::lower_bound(place, held.end(), label, [](const HeldLabel& each, int32_t wanted) {
        return each.label < wanted;
      });
      place->holders |= Subset{1} << tensor;
    }
  }
  return held;
}

/// True if a label is in the result of contracting a subset.
bool is_open(const HeldLabel& label, Subset subset) {
  return (label.holders & subset) != 0 && (label.in_out || (label.holders & ~subset) != 0);
}

/// Turns a factor per subset into the product of the factors of all its subsets.
void multiply_over_subsets(std::vector<double>& factors, size_t num_tensors) {
  for (size_t tensor = 0; tensor < num_tensors; ++tensor) {
    const size_t bit = size_t{1} << tensor;
    for (size_t subset = 0; subset < factors.size(); ++subset) {
      if ((subset & bit) != 0) {
        factors[subset] *= factors[subset ^ bit];
      }
    }
  }
}

class ExactSearch {
 public:
  explicit ExactSearch(const TensorNetwork& network)
      : network_(network),
        held_(held_labels(network)),
        all_((Subset{1} << network.tensors.size()) - 1),
        touched_(all_ + 1, 1),
        inside_(all_ + 1, 1),
        best_(all_ + 1),
        part_(all_ + 1, 0) {
    measure_subsets();
  }

  std::vector<ContractionStep> run(double most_elements) {
    search(most_elements);
    if (best_[all_].operations == kNone) {
      search(smallest_largest());
    }
    write(all_);
    return std::move(steps_);
  }

 private:
  /// Computes two volumes of every subset: that of the labels its tensors have, and that of the
  /// labels summed after it is contracted, which nothing outside needs. A label is open in the
  /// union of two parts unless it is inside the whole, and the loop that joins them runs over all
  /// labels but those inside one part, so these two numbers price every split.
  void measure_subsets() {
    std::vector<double> held_only_here(touched_.size(), 1);
    for (const HeldLabel& label : held_) {
      const auto extent = static_cast<double>(network_.extents[static_cast<size_t>(label.label)]);
      held_only_here[label.holders] *= extent;
      inside_[label.holders] *= label.in_out ? 1 : extent;
    }
    multiply_over_subsets(held_only_here, network_.tensors.size());
    multiply_over_subsets(inside_, network_.tensors.size());
    for (Subset subset = 0; subset <= all_; ++subset) {
      touched_[subset] = held_only_here[all_] / held_only_here[all_ ^ subset];
    }
    for (size_t tensor = 0; tensor < network_.tensors.size(); ++tensor) {
      inside_[size_t{1} << tensor] = 1;  // keeps a label that one tensor alone has
    }
  }

  /// Volumes are whole numbers; products of large ones are rounded.
  double size(Subset subset) const { return std::nearbyint(touched_[subset] / inside_[subset]); }

  double operations(Subset whole, Subset one, Subset other) const {
    const double loop = std::nearbyint(touched_[whole] / (inside_[one] * inside_[other]));
    return step_operations(loop, touched_[whole] / inside_[whole]);
  }

  /// Fills the tables. A subset that is too large as an intermediate has no order.
  void search(double most_elements) {
    for (Subset subset = 1; subset <= all_; ++subset) {
      if (std::has_single_bit(subset)) {
        best_[subset] = {0, 0};
      } else {
        best_[subset] = {kNone, kNone};
        const double own = subset == all_ ? 0 : size(subset);
        if (own <= most_elements) {
          try_splits(subset, own);
        }
      }
    }
  }

  /// Tries all splits. The first of equal ones counts: splits that leave out the last tensors come
  /// first.
  void try_splits(Subset subset, double own) {
    const Subset last = std::bit_floor(subset);
    const Subset others = subset ^ last;
    OrderCost best{kNone, kNone};
    for (Subset rest = 0; rest != others; rest = (rest - others) & others) {
      const Subset one = rest | last;
      const Subset other = subset ^ one;
      const double parts = best_[one].operations + best_[other].operations;
      if (parts < best.operations) {
        const OrderCost cost{parts + operations(subset, one, other),
                             std::max({own, best_[one].largest, best_[other].largest})};
        if (is_better(cost, best, kNone)) {
          best = cost;
          part_[subset] = other;
        }
      }
    }
    best_[subset] = best;
  }

  /// Returns the least bound on intermediates that some order keeps.
  double smallest_largest() const {
    std::vector<double> least(best_.size(), 0);
    for (Subset subset = 1; subset <= all_; ++subset) {
      if (std::has_single_bit(subset)) {
        continue;
      }
      const Subset others = subset & (subset - 1);
      double parts = kNone;
      for (Subset other = others; other != 0; other = (other - 1) & others) {
        parts = std::min(parts, std::max(least[other], least[subset ^ other]));
      }
      least[subset] = std::max(parts, subset == all_ ? 0 : size(subset));
    }
    return least[all_];
  }

  /// Appends the steps of a subset's best order, the part with the lowest tensor first. Returns the
  /// number of its result.
  int32_t write(Subset subset) {
    if (std::has_single_bit(subset)) {
      return std::countr_zero(subset);
    }
    const Subset part = part_[subset];
    const bool has_lowest = (part & subset & (~subset + 1)) != 0;
    const int32_t left = write(has_lowest ? part : subset ^ part);
    const int32_t right = write(has_lowest ? subset ^ part : part);
    ContractionStep step{left, right, {}};
    for (const HeldLabel& label : held_) {
      if (is_open(label, subset)) {
        step.labels.push_back(label.label);
      }
    }
    steps_.push_back(std::move(step));
    return static_cast<int32_t>(network_.tensors.size() + steps_.size()) - 1;
  }

  const TensorNetwork& network_;
  std::vector<HeldLabel> held_;
  Subset all_;
  std::vector<double> touched_;  // by subset, as are the following
  std::vector<double> inside_;
  std::vector<OrderCost> best_;
  std::vector<Subset> part_;  // one of the two parts of the best split
  std::vector<ContractionStep> steps_;
};

}  // namespace

bool can_order_exactly(const TensorNetwork& network) {
  return network.tensors.size() <= kMostTensors &&
         volume(all_labels(network), network.extents) < kLargestLoop;
}

std::vector<ContractionStep> exact_order(const TensorNetwork& network, double most_elements) {
  return network.tensors.size() < 2 ? std::vector<ContractionStep>{}
                                    : ExactSearch(network).run(most_elements);
}

}  // namespace tessera::optimizer
