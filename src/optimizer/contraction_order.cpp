#include "optimizer/contraction_order.h"

#include <algorithm>
#include <queue>
#include <set>
#include <tuple>

namespace tessera::optimizer {

namespace {

/// A pair that may be contracted next; the queue gives the least first.
struct Candidate {
  double cost = 0;
  int32_t left = 0;
  int32_t right = 0;

  friend bool operator>(const Candidate& a, const Candidate& b) {
    return std::tie(a.cost, a.left, a.right) > std::tie(b.cost, b.left, b.right);
  }
};

class GreedySearch {
 public:
  explicit GreedySearch(const TensorNetwork& network)
      : network_(network), labels_(network.tensors), alive_(network.tensors.size(), true) {
    holders_.resize(network.extents.size());
    in_output_.resize(network.extents.size(), false);
    for (const int32_t label : network.out) {
      in_output_[static_cast<size_t>(label)] = true;
    }
    for (size_t tensor = 0; tensor < labels_.size(); ++tensor) {
      hold(static_cast<int32_t>(tensor));
    }
  }

  std::vector<ContractionStep> run() {
    for (int32_t tensor = 0; tensor < static_cast<int32_t>(labels_.size()); ++tensor) {
      propose_partners(tensor);
    }
    while (!candidates_.empty()) {
      const Candidate best = candidates_.top();
      candidates_.pop();
      if (is_alive(best.left) && is_alive(best.right)) {
        propose_partners(contract(best.left, best.right));
      }
    }
    multiply_what_is_left();
    return std::move(steps_);
  }

 private:
  bool is_alive(int32_t tensor) const { return alive_[static_cast<size_t>(tensor)]; }
  const LabelSet& labels(int32_t tensor) const { return labels_[static_cast<size_t>(tensor)]; }
  double size(int32_t tensor) const { return volume(labels(tensor), network_.extents); }

  void hold(int32_t tensor) {
    for (const int32_t label : labels(tensor)) {
      holders_[static_cast<size_t>(label)].insert(tensor);
    }
  }

  void drop(int32_t tensor) {
    alive_[static_cast<size_t>(tensor)] = false;
    for (const int32_t label : labels(tensor)) {
      holders_[static_cast<size_t>(label)].erase(tensor);
    }
  }

  /// What is left of two tensors when they are contracted. A label stays that is kept or that a
  /// third tensor has. (That third one may be contracted with others, but its label stays until
  /// both of these are gone, so the answer holds as long as the pair lives.)
  LabelSet result_labels(int32_t left, int32_t right) const {
    LabelSet all = union_of(labels(left), labels(right));
    const auto is_done = [&](int32_t label) {
      const std::set<int32_t>& holders = holders_[static_cast<size_t>(label)];
      const size_t own = holders.count(left) + holders.count(right);
      return !in_output_[static_cast<size_t>(label)] && holders.size() == own;
    };
    all.erase(std::remove_if(all.begin(), all.end(), is_done), all.end());
    return all;
  }

  /// Queues the tensor with every living one of a lower number that shares a label with it.
  void propose_partners(int32_t tensor) {
    std::set<int32_t> partners;
    for (const int32_t label : labels(tensor)) {
      const std::set<int32_t>& holders = holders_[static_cast<size_t>(label)];
      partners.insert(holders.begin(), holders.lower_bound(tensor));
    }
    for (const int32_t partner : partners) {
      const double result = volume(result_labels(partner, tensor), network_.extents);
      candidates_.push({result - size(partner) - size(tensor), partner, tensor});
    }
  }

  int32_t contract(int32_t left, int32_t right) {
    LabelSet result = result_labels(left, right);
    drop(left);
    drop(right);
    steps_.push_back({left, right, result});
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
    while (parts.size() > 1) {
      const int32_t first = parts.top().second;
      parts.pop();
      const int32_t second = parts.top().second;
      parts.pop();
      const int32_t made = contract(std::min(first, second), std::max(first, second));
      parts.push({size(made), made});
    }
  }

  const TensorNetwork& network_;
  std::vector<LabelSet> labels_;            // by tensor
  std::vector<bool> alive_;                 // by tensor: not contracted yet
  std::vector<std::set<int32_t>> holders_;  // by label: the living tensors that have it
  std::vector<bool> in_output_;             // by label
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
  std::vector<ContractionStep> steps_;
};

}  // namespace

std::vector<ContractionStep> contraction_order(const TensorNetwork& network) {
  return GreedySearch(network).run();
}

LabelSet union_of(const LabelSet& a, const LabelSet& b) {
  LabelSet all;
  std::set_union(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(all));
  return all;
}

double volume(const LabelSet& labels, const std::vector<int64_t>& extents) {
  double elements = 1;
  for (const int32_t label : labels) {
    elements *= static_cast<double>(extents[static_cast<size_t>(label)]);
  }
  return std::min(elements, 1e300);  // differences of sizes stay numbers
}

}  // namespace tessera::optimizer
