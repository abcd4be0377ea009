#include "optimizer/assignment/elimination.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tessera::optimizer::assignment {

namespace {

/// Costs by the choices of some variables, the last one running fastest.
struct CostTable {
  std::vector<int32_t> variables;  // ascending
  std::vector<double> costs;
};

/// Keeps, among alternatives that no neighbour can tell apart, only the cheapest.
void drop_dominated(const Problem& problem, size_t variable, std::vector<int32_t>& alternatives) {
  std::map<std::vector<int32_t>, int32_t> best_of;  // by classes at all dependencies
  const auto own = [&](int32_t alternative) {
    return problem.domain(variable).costs[static_cast<size_t>(alternative)];
  };
  for (const int32_t alternative : alternatives) {
    std::vector<int32_t> classes;
    for (const int32_t number : problem.dependencies_in[variable]) {
      classes.push_back(
          problem.consumer_class(problem.dependencies[static_cast<size_t>(number)], alternative));
    }
    if (!problem.dependencies_out[variable].empty()) {
      const auto number = static_cast<size_t>(problem.dependencies_out[variable].front());
      classes.push_back(problem.producer_class(problem.dependencies[number], alternative));
    }
    const auto [entry, is_new] = best_of.emplace(std::move(classes), alternative);
    if (!is_new && own(alternative) < own(entry->second)) {
      entry->second = alternative;
    }
  }
  alternatives.clear();
  for (const auto& [classes, alternative] : best_of) {
    alternatives.push_back(alternative);
  }
  std::sort(alternatives.begin(), alternatives.end());
}

class Elimination {
 public:
  Elimination(const Problem& problem, std::vector<std::vector<int32_t>> alternatives)
      : problem_(problem), alternatives_(std::move(alternatives)) {
    for (size_t variable = 0; variable < alternatives_.size(); ++variable) {
      drop_dominated(problem, variable, alternatives_[variable]);
    }
  }

  /// Finds the order. Returns true if it keeps the limits.
  bool find_order(const EliminationLimits& limits) {
    std::vector<std::set<int32_t>> neighbours = neighbourhoods();
    std::vector<double> entries(neighbours.size());
    std::set<std::pair<double, int32_t>> queue;
    for (size_t variable = 0; variable < neighbours.size(); ++variable) {
      entries[variable] = table_entries(neighbours[variable]);
      queue.emplace(entries[variable], static_cast<int32_t>(variable));
    }
    double made = 0;
    for (const Dependency& dependency : problem_.dependencies) {
      made += num_choices(dependency.producer) * num_choices(dependency.consumer);
    }
    double work = made;
    while (!queue.empty()) {
      const auto [least, next] = *queue.begin();
      queue.erase(queue.begin());
      work += least * num_choices(next) *
              static_cast<double>(neighbours[static_cast<size_t>(next)].size() + 1);
      made += least;
      if (made > limits.most_entries || work > limits.most_work) {
        return false;
      }
      order_.push_back(next);
      const std::set<int32_t> around = std::move(neighbours[static_cast<size_t>(next)]);
      for (const int32_t variable : around) {
        const auto number = static_cast<size_t>(variable);
        queue.erase({entries[number], variable});
        neighbours[number].insert(around.begin(), around.end());
        neighbours[number].erase(variable);
        neighbours[number].erase(next);
        entries[number] = table_entries(neighbours[number]);
        queue.emplace(entries[number], variable);
      }
    }
    return true;
  }

  Assignment run() {
    std::vector<std::vector<CostTable>> buckets = first_buckets();
    for (const int32_t variable : order_) {
      CostTable message = message_of(variable, buckets[static_cast<size_t>(variable)]);
      if (!message.variables.empty()) {
        const int32_t first = *std::min_element(
            message.variables.begin(), message.variables.end(), [&](int32_t a, int32_t b) {
              return position_[static_cast<size_t>(a)] < position_[static_cast<size_t>(b)];
            });
        buckets[static_cast<size_t>(first)].push_back(std::move(message));
      }
    }
    return choices(buckets);
  }

 private:
  std::vector<std::set<int32_t>> neighbourhoods() const {
    std::vector<std::set<int32_t>> neighbours(problem_.num_variables());
    for (const Dependency& dependency : problem_.dependencies) {
      neighbours[static_cast<size_t>(dependency.producer)].insert(dependency.consumer);
      neighbours[static_cast<size_t>(dependency.consumer)].insert(dependency.producer);
    }
    return neighbours;
  }

  double num_choices(int32_t variable) const {
    return static_cast<double>(alternatives_[static_cast<size_t>(variable)].size());
  }

  double table_entries(const std::set<int32_t>& variables) const {
    double entries = 1;
    for (const int32_t variable : variables) {
      entries *= num_choices(variable);
    }
    return entries;
  }

  /// Returns every cost of the problem as a table, with the variable that is eliminated first.
  std::vector<std::vector<CostTable>> first_buckets() {
    position_.resize(order_.size());
    for (size_t position = 0; position < order_.size(); ++position) {
      position_[static_cast<size_t>(order_[position])] = position;
    }
    std::vector<std::vector<CostTable>> buckets(order_.size());
    for (size_t variable = 0; variable < order_.size(); ++variable) {
      CostTable own{{static_cast<int32_t>(variable)}, {}};
      for (const int32_t alternative : alternatives_[variable]) {
        own.costs.push_back(problem_.domain(variable).costs[static_cast<size_t>(alternative)]);
      }
      buckets[variable].push_back(std::move(own));
    }
    for (const Dependency& dependency : problem_.dependencies) {
      const auto producer = static_cast<size_t>(dependency.producer);
      const auto consumer = static_cast<size_t>(dependency.consumer);
      buckets[position_[producer] < position_[consumer] ? producer : consumer].push_back(
          table_of(dependency));
    }
    return buckets;
  }

  /// Tabulates the costs of a dependency. A producer comes before its consumers, so its choice runs
  /// slowest.
  CostTable table_of(const Dependency& dependency) const {
    CostTable table{{dependency.producer, dependency.consumer}, {}};
    for (const int32_t from : alternatives_[static_cast<size_t>(dependency.producer)]) {
      for (const int32_t to : alternatives_[static_cast<size_t>(dependency.consumer)]) {
        table.costs.push_back(problem_.table(dependency)
                                  .at(problem_.producer_class(dependency, from),
                                      problem_.consumer_class(dependency, to)));
      }
    }
    return table;
  }

  /// Returns the distance in a table between neighbouring choices of each of these variables; 0 for
  /// a variable that the table lacks.
  std::vector<size_t> strides_of(const CostTable& table,
                                 const std::vector<int32_t>& variables) const {
    std::vector<size_t> strides(variables.size(), 0);
    size_t stride = 1;
    for (size_t place = table.variables.size(); place-- > 0;) {
      const int32_t variable = table.variables[place];
      for (size_t number = 0; number < variables.size(); ++number) {
        if (variables[number] == variable) {
          strides[number] = stride;
        }
      }
      stride *= alternatives_[static_cast<size_t>(variable)].size();
    }
    return strides;
  }

  /// Returns the least sum of a bucket over its variable's choices, by the choices of the others.
  CostTable message_of(int32_t variable, const std::vector<CostTable>& bucket) const {
    std::set<int32_t> scope;
    for (const CostTable& table : bucket) {
      scope.insert(table.variables.begin(), table.variables.end());
    }
    scope.erase(variable);
    CostTable message{{scope.begin(), scope.end()}, {}};
    std::vector<int32_t> all = message.variables;
    all.push_back(variable);
    std::vector<std::vector<size_t>> strides;
    for (const CostTable& table : bucket) {
      strides.push_back(strides_of(table, all));
    }
    std::vector<size_t> offsets(bucket.size(), 0);
    std::vector<size_t> choice(message.variables.size(), 0);
    const auto entries = static_cast<size_t>(table_entries(scope));
    message.costs.reserve(entries);
    for (size_t entry = 0; entry < entries; ++entry) {
      message.costs.push_back(least_of(variable, bucket, strides, offsets).first);
      advance(message.variables, strides, choice, offsets);
    }
    return message;
  }

  /// Returns the least sum over a variable's choices, which are the last of the strides, and that
  /// choice.
  std::pair<double, size_t> least_of(int32_t variable, const std::vector<CostTable>& bucket,
                                     const std::vector<std::vector<size_t>>& strides,
                                     const std::vector<size_t>& offsets) const {
    std::pair<double, size_t> least = {std::numeric_limits<double>::infinity(), 0};
    const size_t count = alternatives_[static_cast<size_t>(variable)].size();
    for (size_t own = 0; own < count; ++own) {
      double sum = 0;
      for (size_t number = 0; number < bucket.size(); ++number) {
        sum += bucket[number].costs[offsets[number] + own * strides[number].back()];
      }
      if (sum < least.first) {
        least = {sum, own};
      }
    }
    return least;
  }

  /// Steps to the next choices in row-major order, and to their offsets in every table.
  void advance(const std::vector<int32_t>& variables,
               const std::vector<std::vector<size_t>>& strides, std::vector<size_t>& choice,
               std::vector<size_t>& offsets) const {
    for (size_t place = variables.size(); place-- > 0;) {
      const size_t count = alternatives_[static_cast<size_t>(variables[place])].size();
      const bool wraps = ++choice[place] == count;
      for (size_t number = 0; number < offsets.size(); ++number) {
        offsets[number] += strides[number][place];
        offsets[number] -= wraps ? count * strides[number][place] : 0;
      }
      if (!wraps) {
        return;
      }
      choice[place] = 0;
    }
  }

  /// Makes the choices from the last variable back: each is the cheapest given the later ones.
  Assignment choices(const std::vector<std::vector<CostTable>>& buckets) const {
    std::vector<size_t> choice(order_.size(), 0);
    Assignment assignment(order_.size());
    for (size_t position = order_.size(); position-- > 0;) {
      const int32_t variable = order_[position];
      const std::vector<CostTable>& bucket = buckets[static_cast<size_t>(variable)];
      std::vector<std::vector<size_t>> strides;
      std::vector<size_t> offsets;
      for (const CostTable& table : bucket) {
        strides.push_back(strides_of(table, {variable}));
        const std::vector<size_t> all = strides_of(table, table.variables);
        size_t offset = 0;
        for (size_t place = 0; place < table.variables.size(); ++place) {
          if (table.variables[place] != variable) {
            offset += all[place] * choice[static_cast<size_t>(table.variables[place])];
          }
        }
        offsets.push_back(offset);
      }
      const size_t own = least_of(variable, bucket, strides, offsets).second;
      choice[static_cast<size_t>(variable)] = own;
      assignment[static_cast<size_t>(variable)] = alternatives_[static_cast<size_t>(variable)][own];
    }
    return assignment;
  }

  const Problem& problem_;
  std::vector<std::vector<int32_t>> alternatives_;
  std::vector<int32_t> order_;
  std::vector<size_t> position_;  // in the order, by variable
};

}  // namespace

std::optional<Assignment> eliminate(const Problem& problem,
                                    std::vector<std::vector<int32_t>> alternatives,
                                    const EliminationLimits& limits) {
  Elimination elimination(problem, std::move(alternatives));
  if (!elimination.find_order(limits)) {
    return std::nullopt;
  }
  return elimination.run();
}

}  // namespace tessera::optimizer::assignment
