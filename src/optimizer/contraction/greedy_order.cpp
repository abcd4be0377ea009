#include "optimizer/contraction/greedy_order.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <queue>
#include <random>
#include <tuple>

#include "optimizer/contraction/order_cost.h"

namespace tessera::optimizer {

namespace {

/// A pair that may be contracted next; the queue gives the least first.
struct Pair {
  double cost = 0;
  int32_t left = 0;
  int32_t right = 0;

  friend bool operator>(const Pair& a, const Pair& b) {
    return std::tie(a.cost, a.left, a.right) > std::tie(b.cost, b.left, b.right);
  }
};

/// The costs of pairs, with noise if there is a temperature.
class PairCost {
 public:
  explicit PairCost(const GreedyVariation& variation)
      : variation_(variation), random_(variation.seed) {}

  double operator()(double result, double left, double right) {
    const double cost = result - variation_.operand_weight * (left + right);
    if (variation_.temperature == 0) {
      return cost;
    }
    return std::copysign(std::log1p(std::abs(cost)), cost) - variation_.temperature * gumbel();
  }

 private:
  /// Draws Gumbel noise. Distributions of the standard library differ between implementations.
  double gumbel() {
    const double between_0_and_1 = (static_cast<double>(random_() >> 11) + 0.5) * 0x1p-53;
    return -std::log(-std::log(between_0_and_1));
  }

  GreedyVariation variation_;
  std::mt19937_64 random_;
};

class GreedySearch {
 public:
  GreedySearch(const TensorNetwork& network, const GreedyVariation& variation,
               double most_operations)
      : network_(network),
        most_operations_(most_operations),
        labels_(network.tensors),
        alive_(network.tensors.size(), true),
        holders_(network.extents.size()),
        in_output_(network.extents.size(), false),
        pair_cost_(variation) {
    for (const int32_t label : network.out) {
      in_output_[static_cast<size_t>(label)] = true;
    }
    for (size_t tensor = 0; tensor < labels_.size(); ++tensor) {
      sizes_.push_back(volume(labels_[tensor], network.extents));
      hold(static_cast<int32_t>(tensor));
    }
  }

  GreedyOrder run() {
    for (int32_t tensor = 0; tensor < static_cast<int32_t>(labels_.size()); ++tensor) {
      propose_partners(tensor);
    }
    while (!pairs_.empty() && operations_ <= most_operations_) {
      const Pair best = pairs_.top();
      pairs_.pop();
      if (is_alive(best.left) && is_alive(best.right)) {
        propose_partners(contract(best.left, best.right));
      }
    }
    multiply_what_is_left();
    if (operations_ > most_operations_) {
      order_.steps.clear();
    }
    return std::move(order_);
  }

 private:
  bool is_alive(int32_t tensor) const { return alive_[static_cast<size_t>(tensor)]; }
  const LabelSet& labels(int32_t tensor) const { return labels_[static_cast<size_t>(tensor)]; }
  double size(int32_t tensor) const { return sizes_[static_cast<size_t>(tensor)]; }

  void hold(int32_t tensor) {
    for (const int32_t label : labels(tensor)) {
      holders_[static_cast<size_t>(label)].push_back(tensor);
    }
  }

  void drop(int32_t tensor) {
    alive_[static_cast<size_t>(tensor)] = false;
    for (const int32_t label : labels(tensor)) {
      std::vector<int32_t>& holders = holders_[static_cast<size_t>(label)];
      holders.erase(std::lower_bound(holders.begin(), holders.end(), tensor));
    }
  }

  /// Returns the labels of the result of two tensors: those of the output and those that a third
  /// tensor has. (That third one may be contracted with others, but its label stays until both of
  /// these are gone, so the answer holds as long as the pair lives.) The next call reuses the
  /// memory.
  const LabelSet& result_labels(int32_t left, int32_t right) {
    const LabelSet& a = labels(left);
    const LabelSet& b = labels(right);
    result_.clear();
    const auto keep_if_needed = [&](int32_t label, size_t own) {
      const auto number = static_cast<size_t>(label);
      if (in_output_[number] || holders_[number].size() > own) {
        result_.push_back(label);
      }
    };
    auto in_a = a.begin();
    auto in_b = b.begin();
    while (in_a != a.end() && in_b != b.end()) {
      const bool is_shared = *in_a == *in_b;
      const bool is_of_a = *in_a <= *in_b;
      keep_if_needed(is_of_a ? *in_a : *in_b, is_shared ? 2 : 1);
      in_a += is_of_a ? 1 : 0;
      in_b += is_shared || !is_of_a ? 1 : 0;
    }
    std::for_each(in_a, a.end(), [&](int32_t label) { keep_if_needed(label, 1); });
    std::for_each(in_b, b.end(), [&](int32_t label) { keep_if_needed(label, 1); });
    order_.labels_read += static_cast<int64_t>(a.size() + b.size());
    return result_;
  }

  /// Queues the tensor with every living one of a lower number that shares a label with it.
  void propose_partners(int32_t tensor) {
    partners_.clear();
    for (const int32_t label : labels(tensor)) {
      const std::vector<int32_t>& holders = holders_[static_cast<size_t>(label)];
      partners_.insert(partners_.end(), holders.begin(),
                       std::lower_bound(holders.begin(), holders.end(), tensor));
    }
    std::sort(partners_.begin(), partners_.end());
    partners_.erase(std::unique(partners_.begin(), partners_.end()), partners_.end());
    for (const int32_t partner : partners_) {
      const double result = volume(result_labels(partner, tensor), network_.extents);
      pairs_.push({pair_cost_(result, size(partner), size(tensor)), partner, tensor});
    }
  }

  int32_t contract(int32_t left, int32_t right) {
    LabelSet result = result_labels(left, right);
    drop(left);
    drop(right);
    sizes_.push_back(volume(result, network_.extents));
    operations_ += step_operations(volume_of_both(labels(left), labels(right), network_.extents),
                                   sizes_.back());
    order_.steps.push_back({left, right, result});
    labels_.push_back(std::move(result));
    alive_.push_back(true);
    const auto made = static_cast<int32_t>(labels_.size()) - 1;
    hold(made);
    return made;
  }

  void multiply_what_is_left() {
    using Sized = std::pair<double, int32_t>;
    std::priority_queue<Sized, std::vector<Sized>, std::greater<>> parts;
    for (int32_t tensor = 0; tensor < static_cast<int32_t>(labels_.size()); ++tensor) {
      if (is_alive(tensor)) {
        parts.push({size(tensor), tensor});
      }
    }
    while (parts.size() > 1 && operations_ <= most_operations_) {
      const int32_t first = parts.top().second;
      parts.pop();
      const int32_t second = parts.top().second;
      parts.pop();
      const int32_t made = contract(std::min(first, second), std::max(first, second));
      parts.push({size(made), made});
    }
  }

  const TensorNetwork& network_;
  double most_operations_;
  double operations_ = 0;
  std::vector<LabelSet> labels_;               // by tensor
  std::vector<double> sizes_;                  // by tensor
  std::vector<bool> alive_;                    // by tensor: not contracted yet
  std::vector<std::vector<int32_t>> holders_;  // by label: the living tensors that have it, rising
  std::vector<bool> in_output_;                // by label
  PairCost pair_cost_;
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> pairs_;
  GreedyOrder order_;
  std::vector<int32_t> partners_;  // kept for its memory
  LabelSet result_;                // kept for its memory
};

}  // namespace

GreedyOrder greedy_order(const TensorNetwork& network, const GreedyVariation& variation,
                         double most_operations) {
  return GreedySearch(network, variation, most_operations).run();
}

}  // namespace tessera::optimizer
