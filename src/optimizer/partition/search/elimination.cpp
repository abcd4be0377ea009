#include "optimizer/partition/search/elimination.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace tessera::optimizer::partition {

namespace {

/// Costs by the choices of some statements, the last one running fastest.
struct CostTable {
  std::vector<int32_t> statements;  // ascending
  std::vector<double> costs;
};

/// Leaves of alternatives that no neighbour can tell apart only the cheapest.
void drop_dominated(const Problem& problem, size_t statement, std::vector<int32_t>& alternatives) {
  std::map<std::vector<int32_t>, int32_t> best_of;  // by classes at all dependencies
  const auto own = [&](int32_t alternative) {
    return problem.alternatives(statement).own_cost(static_cast<size_t>(alternative));
  };
  for (const int32_t alternative : alternatives) {
    std::vector<int32_t> classes;
    for (const int32_t number : problem.dependencies_in[statement]) {
      classes.push_back(
          problem.consumer_class(problem.dependencies[static_cast<size_t>(number)], alternative));
    }
    if (!problem.dependencies_out[statement].empty()) {
      const auto number = static_cast<size_t>(problem.dependencies_out[statement].front());
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
    for (size_t statement = 0; statement < alternatives_.size(); ++statement) {
      drop_dominated(problem, statement, alternatives_[statement]);
    }
  }

  /// Finds the order; whether it keeps the limits.
  bool find_order(const EliminationLimits& limits) {
    std::vector<std::set<int32_t>> neighbours = neighbourhoods();
    std::vector<double> entries(neighbours.size());
    std::set<std::pair<double, int32_t>> queue;
    for (size_t statement = 0; statement < neighbours.size(); ++statement) {
      entries[statement] = table_entries(neighbours[statement]);
      queue.emplace(entries[statement], static_cast<int32_t>(statement));
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
      for (const int32_t statement : around) {
        const auto number = static_cast<size_t>(statement);
        queue.erase({entries[number], statement});
        neighbours[number].insert(around.begin(), around.end());
        neighbours[number].erase(statement);
        neighbours[number].erase(next);
        entries[number] = table_entries(neighbours[number]);
        queue.emplace(entries[number], statement);
      }
    }
    return true;
  }

  Assignment run() {
    std::vector<std::vector<CostTable>> buckets = first_buckets();
    for (const int32_t statement : order_) {
      CostTable message = message_of(statement, buckets[static_cast<size_t>(statement)]);
      if (!message.statements.empty()) {
        const int32_t first = *std::min_element(
            message.statements.begin(), message.statements.end(), [&](int32_t a, int32_t b) {
              return position_[static_cast<size_t>(a)] < position_[static_cast<size_t>(b)];
            });
        buckets[static_cast<size_t>(first)].push_back(std::move(message));
      }
    }
    return choices(buckets);
  }

 private:
  std::vector<std::set<int32_t>> neighbourhoods() const {
    std::vector<std::set<int32_t>> neighbours(problem_.num_statements());
    for (const Dependency& dependency : problem_.dependencies) {
      neighbours[static_cast<size_t>(dependency.producer)].insert(dependency.consumer);
      neighbours[static_cast<size_t>(dependency.consumer)].insert(dependency.producer);
    }
    return neighbours;
  }

  double num_choices(int32_t statement) const {
    return static_cast<double>(alternatives_[static_cast<size_t>(statement)].size());
  }

  double table_entries(const std::set<int32_t>& statements) const {
    double entries = 1;
    for (const int32_t statement : statements) {
      entries *= num_choices(statement);
    }
    return entries;
  }

  /// Every cost of the problem as a table, with the statement that is eliminated first.
  std::vector<std::vector<CostTable>> first_buckets() {
    position_.resize(order_.size());
    for (size_t position = 0; position < order_.size(); ++position) {
      position_[static_cast<size_t>(order_[position])] = position;
    }
    std::vector<std::vector<CostTable>> buckets(order_.size());
    for (size_t statement = 0; statement < order_.size(); ++statement) {
      CostTable own{{static_cast<int32_t>(statement)}, {}};
      for (const int32_t alternative : alternatives_[statement]) {
        own.costs.push_back(
            problem_.alternatives(statement).own_cost(static_cast<size_t>(alternative)));
      }
      buckets[statement].push_back(std::move(own));
    }
    for (const Dependency& dependency : problem_.dependencies) {
      const auto producer = static_cast<size_t>(dependency.producer);
      const auto consumer = static_cast<size_t>(dependency.consumer);
      buckets[position_[producer] < position_[consumer] ? producer : consumer].push_back(
          table_of(dependency));
    }
    return buckets;
  }

  /// A producer comes before its consumers, so its choice runs slowest.
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

  /// How far apart in a table neighbouring choices of each of these statements are; 0 for one that
  /// it does not have.
  std::vector<size_t> strides_of(const CostTable& table,
                                 const std::vector<int32_t>& statements) const {
    std::vector<size_t> strides(statements.size(), 0);
    size_t stride = 1;
    for (size_t place = table.statements.size(); place-- > 0;) {
      const int32_t statement = table.statements[place];
      for (size_t number = 0; number < statements.size(); ++number) {
        if (statements[number] == statement) {
          strides[number] = stride;
        }
      }
      stride *= alternatives_[static_cast<size_t>(statement)].size();
    }
    return strides;
  }

  /// The least sum of a bucket over its statement's choices, by the choices of the others.
  CostTable message_of(int32_t statement, const std::vector<CostTable>& bucket) const {
    std::set<int32_t> scope;
    for (const CostTable& table : bucket) {
      scope.insert(table.statements.begin(), table.statements.end());
    }
    scope.erase(statement);
    CostTable message{{scope.begin(), scope.end()}, {}};
    std::vector<int32_t> all = message.statements;
    all.push_back(statement);
    std::vector<std::vector<size_t>> strides;
    for (const CostTable& table : bucket) {
      strides.push_back(strides_of(table, all));
    }
    std::vector<size_t> offsets(bucket.size(), 0);
    std::vector<size_t> choice(message.statements.size(), 0);
    const auto entries = static_cast<size_t>(table_entries(scope));
    message.costs.reserve(entries);
    for (size_t entry = 0; entry < entries; ++entry) {
      message.costs.push_back(least_of(statement, bucket, strides, offsets).first);
      advance(message.statements, strides, choice, offsets);
    }
    return message;
  }

  /// The least sum over a statement's choices, which are the last of the strides; and that choice.
  std::pair<double, size_t> least_of(int32_t statement, const std::vector<CostTable>& bucket,
                                     const std::vector<std::vector<size_t>>& strides,
                                     const std::vector<size_t>& offsets) const {
    std::pair<double, size_t> least = {std::numeric_limits<double>::infinity(), 0};
    const size_t count = alternatives_[static_cast<size_t>(statement)].size();
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

  /// The next choices in row-major order, and where they lie in every table.
  void advance(const std::vector<int32_t>& statements,
               const std::vector<std::vector<size_t>>& strides, std::vector<size_t>& choice,
               std::vector<size_t>& offsets) const {
    for (size_t place = statements.size(); place-- > 0;) {
      const size_t count = alternatives_[static_cast<size_t>(statements[place])].size();
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

  /// From the last statement back, the cheapest choice given those behind it.
  Assignment choices(const std::vector<std::vector<CostTable>>& buckets) const {
    std::vector<size_t> choice(order_.size(), 0);
    Assignment assignment(order_.size());
    for (size_t position = order_.size(); position-- > 0;) {
      const int32_t statement = order_[position];
      const std::vector<CostTable>& bucket = buckets[static_cast<size_t>(statement)];
      std::vector<std::vector<size_t>> strides;
      std::vector<size_t> offsets;
      for (const CostTable& table : bucket) {
        strides.push_back(strides_of(table, {statement}));
        const std::vector<size_t> all = strides_of(table, table.statements);
        size_t offset = 0;
        for (size_t place = 0; place < table.statements.size(); ++place) {
          if (table.statements[place] != statement) {
            offset += all[place] * choice[static_cast<size_t>(table.statements[place])];
          }
        }
        offsets.push_back(offset);
      }
      const size_t own = least_of(statement, bucket, strides, offsets).second;
      choice[static_cast<size_t>(statement)] = own;
      assignment[static_cast<size_t>(statement)] =
          alternatives_[static_cast<size_t>(statement)][own];
    }
    return assignment;
  }

  const Problem& problem_;
  std::vector<std::vector<int32_t>> alternatives_;
  std::vector<int32_t> order_;
  std::vector<size_t> position_;  // in the order, by statement
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

}  // namespace tessera::optimizer::partition
