#include "optimizer/contraction/annealed_order.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

#include "optimizer/contraction/order_cost.h"
#include "optimizer/contraction/rotation_tree.h"
#include "optimizer/contraction/subtree_reoptimisation.h"

namespace tessera::optimizer {

namespace {

constexpr double kNanosecondsPerMove = 40;
constexpr double kNanosecondsPerWord = 12;  // of a label set, more for each move
constexpr size_t kMostBytes = size_t{128} << 20;
constexpr double kMostMoves = 1e15;

constexpr int64_t kMostRuns = 4;
constexpr int64_t kSweepsOfARun = 20'000;  // fewer are not worth another run
/// The base-2 logarithm of the factor by which a move may raise the operations. A run cools down
/// evenly. Runs begin hot and warm in turn; a hot one forgets the order it begins with.
constexpr double kHot = 1;
constexpr double kWarm = 0.5;
constexpr double kCold = 0.05;
constexpr double kWeightOfExcess = 2;  // in logarithms, against operations

/// Returns the base-2 logarithm of a positive normal number, to 1e-7. The C library is not used,
/// because its last bit differs between processors.
double binary_logarithm(double number) {
  const auto bits = std::bit_cast<uint64_t>(number);
  const double exponent = static_cast<double>(bits >> 52) - 1023;
  const auto mantissa =
      std::bit_cast<double>((bits & 0xFFFFFFFFFFFFF) | 0x3FF0000000000000);  // from 1 to 2
  constexpr double kMiddle = 1.4142135623730951;
  // 2 / ln 2 times the series of the inverse hyperbolic tangent, around the middle.
  const double x = (mantissa - kMiddle) / (mantissa + kMiddle);
  const double square = x * x;
  return exponent + 0.5 +
         x * (2.8853900817779268 +
              square * (0.9617966939259756 +
                        square * (0.5770780163555854 + square * 0.4121985831111324)));
}

/// A counter whose steps are mixed. Source: Steele, Lea and Flood, "Fast splittable pseudorandom
/// number generators", OOPSLA 2014.
class Draws {
 public:
  uint64_t next() {
    state_ += 0x9E3779B97F4A7C15;
    uint64_t mixed = state_;
    mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EB;
    return mixed ^ (mixed >> 31);
  }

 private:
  uint64_t state_ = 0;
};

/// One run: sweeps of as many moves as there are contractions, at falling temperatures.
class AnnealingRun {
 public:
  AnnealingRun(const TensorNetwork& network, const std::vector<ContractionStep>& steps,
               double most_elements, Draws& draws)
      : tree_(network, steps),
        best_(tree_),
        best_cost_(tree_.cost()),
        most_elements_(most_elements),
        num_contractions_(steps.size()),
        draws_(draws) {}

  std::vector<ContractionStep> run(int64_t num_sweeps, double begin) {
    for (int64_t sweep = 0; sweep < num_sweeps; ++sweep) {
      const double passed = static_cast<double>(sweep) / static_cast<double>(num_sweeps);
      temperature_ = begin + (kCold - begin) * passed;
      for (size_t move = 0; move < num_contractions_; ++move) {
        try_move();
      }
      keep_if_best();
    }
    return best_.steps();
  }

 private:
  void try_move() {
    const uint64_t drawn = draws_.next();
    const size_t place = ((drawn >> 32) * num_contractions_) >> 32;
    Rotation rotation;
    if (tree_.propose(place, static_cast<uint32_t>(drawn & 3), rotation) &&
        is_taken(rotation, static_cast<uint32_t>(drawn) >> 2)) {
      tree_.apply(rotation);
    }
  }

  /// True if the move is taken. `drawn` has 30 random bits.
  bool is_taken(const Rotation& rotation, uint32_t drawn) const {
    const double before = tree_.operations(rotation.parent) + tree_.operations(rotation.lower);
    const double after = rotation.parent_operations + rotation.lower_operations;
    const double size_before = std::max(tree_.size(rotation.lower), most_elements_);
    const double size_after = std::max(rotation.lower_size, most_elements_);
    if (after <= before && size_after <= size_before) {
      return true;
    }
    double dearer = binary_logarithm(after / before);
    if (size_after != size_before) {
      dearer += kWeightOfExcess * binary_logarithm(size_after / size_before);
    }
    const double between_0_and_1 = (static_cast<double>(drawn) + 0.5) * 0x1p-30;
    return dearer <= -temperature_ * binary_logarithm(between_0_and_1);
  }

  void keep_if_best() {
    const OrderCost cost = tree_.cost();
    if (is_better(cost, best_cost_, most_elements_)) {
      best_ = tree_;
      best_cost_ = cost;
    }
  }

  RotationTree tree_;
  RotationTree best_;
  OrderCost best_cost_;
  double most_elements_;
  size_t num_contractions_;
  double temperature_ = 0;
  Draws& draws_;
};

size_t num_label_words(const TensorNetwork& network) {
  return all_labels(network).size() / 64 + 1;
}

}  // namespace

int64_t num_moves(const TensorNetwork& network, double seconds) {
  const size_t words = num_label_words(network);
  if (2 * network.tensors.size() * words * sizeof(uint64_t) > kMostBytes) {
    return 0;
  }
  const double nanoseconds = kNanosecondsPerMove + kNanosecondsPerWord * static_cast<double>(words);
  return static_cast<int64_t>(std::min(seconds * 1e9 / nanoseconds, kMostMoves));
}

std::vector<ContractionStep> annealed_order(const TensorNetwork& network,
                                            std::vector<ContractionStep> steps,
                                            double most_elements, int64_t moves) {
  const int64_t num_sweeps = moves / static_cast<int64_t>(steps.size());
  const int64_t num_runs = std::clamp<int64_t>(num_sweeps / kSweepsOfARun, 1, kMostRuns);
  OrderCost cost = cost_of(network, steps);
  Draws draws;
  for (int64_t run = 0; run < num_runs; ++run) {
    AnnealingRun annealing(network, steps, most_elements, draws);
    std::vector<ContractionStep> found =
        annealing.run(num_sweeps / num_runs, run % 2 == 0 ? kWarm : kHot);
    found = with_subtrees_reoptimised(network, found, most_elements);
    const OrderCost found_cost = cost_of(network, found);
    if (is_better(found_cost, cost, most_elements)) {
      steps = std::move(found);
      cost = found_cost;
    }
  }
  return steps;
}

}  // namespace tessera::optimizer
