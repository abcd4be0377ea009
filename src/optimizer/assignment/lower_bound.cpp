#include "optimizer/assignment/lower_bound.h"

#include <algorithm>
#include <array>
#include <utility>

namespace tessera::optimizer::assignment {

namespace {

/// Returns the classes of active alternatives, ascending.
std::vector<int32_t> classes_of(const std::vector<int32_t>& class_of, size_t num_classes,
                                const std::vector<char>& is_active) {
  std::vector<char> has(num_classes, 0);
  for (size_t alternative = 0; alternative < class_of.size(); ++alternative) {
    if (is_active[alternative]) {
      has[static_cast<size_t>(class_of[alternative])] = 1;
    }
  }
  std::vector<int32_t> classes;
  for (size_t number = 0; number < num_classes; ++number) {
    if (has[number]) {
      classes.push_back(static_cast<int32_t>(number));
    }
  }
  return classes;
}

/// Returns the least of `count` values. Several minima run side by side, because each has to wait
/// for itself.
template <class ValueAt>
double least_of(size_t count, ValueAt value_at) {
  constexpr size_t kMinima = 4;
  std::array<double, kMinima> minima;
  minima.fill(kInfinity);
  size_t position = 0;
  for (; position + kMinima <= count; position += kMinima) {
    for (size_t minimum = 0; minimum < kMinima; ++minimum) {
      minima[minimum] = std::min(minima[minimum], value_at(position + minimum));
    }
  }
  for (; position < count; ++position) {
    minima[0] = std::min(minima[0], value_at(position));
  }
  return *std::min_element(minima.begin(), minima.end());
}

}  // namespace

LowerBound::LowerBound(const Problem& problem) : problem_(problem) {
  for (size_t variable = 0; variable < problem.num_variables(); ++variable) {
    const Domain& domain = problem.domain(variable);
    std::vector<double>& share = share_.emplace_back();
    for (size_t alternative = 0; alternative < domain.size(); ++alternative) {
      share.push_back(domain.costs[alternative]);
    }
    is_active_.emplace_back(domain.size(), 1);
  }
  for (size_t number = 0; number < problem.dependencies.size(); ++number) {
    const Dependency& dependency = problem.dependencies[number];
    const Domain& producer = problem.domain(static_cast<size_t>(dependency.producer));
    from_producer_.emplace_back(producer.out.count, 0.0);
    from_consumer_.emplace_back(problem.table(dependency).num_columns, 0.0);
    active_producer_.emplace_back();
    active_consumer_.emplace_back();
    find_active_classes(static_cast<int32_t>(number));
  }
}

void LowerBound::find_active_classes(int32_t dependency) {
  const Dependency& ends = problem_.dependencies[static_cast<size_t>(dependency)];
  const auto producer = static_cast<size_t>(ends.producer);
  const auto consumer = static_cast<size_t>(ends.consumer);
  const Classes& out = problem_.domain(producer).out;
  const Classes& cuts = problem_.domain(consumer).operands[static_cast<size_t>(ends.operand)];
  active_producer_[static_cast<size_t>(dependency)] =
      classes_of(out.class_of, out.count, is_active_[producer]);
  active_consumer_[static_cast<size_t>(dependency)] =
      classes_of(cuts.class_of, cuts.count, is_active_[consumer]);
}

const std::vector<int32_t>& LowerBound::classes(int32_t dependency, End end) const {
  const Dependency& ends = problem_.dependencies[static_cast<size_t>(dependency)];
  return end == End::consumer ? problem_.domain(static_cast<size_t>(ends.consumer))
                                    .operands[static_cast<size_t>(ends.operand)]
                                    .class_of
                              : problem_.domain(static_cast<size_t>(ends.producer)).out.class_of;
}

double LowerBound::pair_share(int32_t dependency, int32_t producer_class,
                              int32_t consumer_class) const {
  const auto number = static_cast<size_t>(dependency);
  return problem_.table(problem_.dependencies[number]).at(producer_class, consumer_class) -
         from_producer_[number][static_cast<size_t>(producer_class)] -
         from_consumer_[number][static_cast<size_t>(consumer_class)];
}

/// Returns the least share of the active pairs of every class at one end of a dependency. It is
/// pair_share() with the terms that are constant in a row computed once, because most of the time
/// is spent here.
std::vector<double> LowerBound::least_pair_shares(int32_t dependency, End end) const {
  const auto number = static_cast<size_t>(dependency);
  const PairCosts& table = problem_.table(problem_.dependencies[number]);
  const std::vector<int32_t>& columns = active_consumer_[number];
  const double* taken_of_column = from_consumer_[number].data();
  std::vector<double> least((end == End::consumer ? from_consumer_ : from_producer_)[number].size(),
                            kInfinity);
  for (const int32_t row : active_producer_[number]) {
    const double* costs = table.costs.data() + static_cast<size_t>(row) * table.num_columns;
    const double taken_of_row = from_producer_[number][static_cast<size_t>(row)];
    const auto share_at = [&](size_t position) {
      const auto column = static_cast<size_t>(columns[position]);
      return costs[column] - taken_of_row - taken_of_column[column];
    };
    if (end == End::consumer) {
      for (size_t position = 0; position < columns.size(); ++position) {
        double& sum = least[static_cast<size_t>(columns[position])];
        sum = std::min(sum, share_at(position));
      }
    } else {
      least[static_cast<size_t>(row)] = least_of(columns.size(), share_at);
    }
  }
  return least;
}

/// Moves the least share of each class from the dependency to the variable at one end.
void LowerBound::take(int32_t dependency, End taker) {
  const bool for_consumer = taker == End::consumer;
  const auto number = static_cast<size_t>(dependency);
  const Dependency& ends = problem_.dependencies[number];
  const auto variable = static_cast<size_t>(for_consumer ? ends.consumer : ends.producer);
  std::vector<double>& from = (for_consumer ? from_consumer_ : from_producer_)[number];
  const std::vector<double> least = least_pair_shares(dependency, taker);
  work_ += static_cast<int64_t>(active_producer_[number].size() * active_consumer_[number].size());
  for (const int32_t active : for_consumer ? active_consumer_[number] : active_producer_[number]) {
    from[static_cast<size_t>(active)] += least[static_cast<size_t>(active)];
  }
  const std::vector<int32_t>& class_of = classes(dependency, taker);
  for (size_t alternative = 0; alternative < class_of.size(); ++alternative) {
    if (is_active_[variable][alternative]) {
      share_[variable][alternative] += least[static_cast<size_t>(class_of[alternative])];
    }
  }
}

/// Moves a part of a variable's shares to each of these dependencies, by class.
void LowerBound::give(size_t variable, const std::vector<int32_t>& dependencies, double part,
                      End giver) {
  const bool by_consumer = giver == End::consumer;
  const std::vector<double> share = share_[variable];
  for (const int32_t dependency : dependencies) {
    const auto number = static_cast<size_t>(dependency);
    const std::vector<int32_t>& class_of = classes(dependency, giver);
    std::vector<double>& from = (by_consumer ? from_consumer_ : from_producer_)[number];
    std::vector<double> least(from.size(), kInfinity);
    for (size_t alternative = 0; alternative < share.size(); ++alternative) {
      if (is_active_[variable][alternative]) {
        double& given = least[static_cast<size_t>(class_of[alternative])];
        given = std::min(given, part * share[alternative]);
      }
    }
    for (const int32_t active : by_consumer ? active_consumer_[number] : active_producer_[number]) {
      from[static_cast<size_t>(active)] -= least[static_cast<size_t>(active)];
    }
    for (size_t alternative = 0; alternative < share.size(); ++alternative) {
      if (is_active_[variable][alternative]) {
        share_[variable][alternative] -= least[static_cast<size_t>(class_of[alternative])];
      }
    }
  }
}

void LowerBound::half_sweep(Direction direction) {
  const bool is_forward = direction == Direction::forward;
  const End taker = is_forward ? End::consumer : End::producer;
  const End giver = is_forward ? End::producer : End::consumer;
  const size_t count = problem_.num_variables();
  for (size_t position = 0; position < count; ++position) {
    const size_t variable = is_forward ? position : count - 1 - position;
    const auto& behind =
        (is_forward ? problem_.dependencies_in : problem_.dependencies_out)[variable];
    const auto& ahead =
        (is_forward ? problem_.dependencies_out : problem_.dependencies_in)[variable];
    for (const int32_t dependency : behind) {
      take(dependency, taker);
    }
    if (!ahead.empty()) {
      // The first half sweep gives all ahead, which is exact on a forest; later ones keep what goes
      // back.
      const size_t parts = is_first_ ? ahead.size() : std::max(ahead.size(), behind.size());
      give(variable, ahead, 1.0 / static_cast<double>(parts), giver);
    }
  }
  is_first_ = false;
}

void LowerBound::sweep() {
  half_sweep(Direction::forward);
  half_sweep(Direction::backward);
}

double LowerBound::least_share(size_t variable) const {
  double least = kInfinity;
  for (size_t alternative = 0; alternative < share_[variable].size(); ++alternative) {
    if (is_active_[variable][alternative]) {
      least = std::min(least, share_[variable][alternative]);
    }
  }
  return least;
}

double LowerBound::value() const {
  // After half a sweep every dependency has been taken from, so its least share is 0.
  double sum = 0;
  for (size_t variable = 0; variable < problem_.num_variables(); ++variable) {
    sum += least_share(variable);
  }
  return sum;
}

bool LowerBound::prune(double cost, double slack) {
  const double spare = cost - slack - value();
  for (size_t variable = 0; variable < problem_.num_variables(); ++variable) {
    const double most = least_share(variable) + spare;
    bool changed = false;
    bool has_any = false;
    for (size_t alternative = 0; alternative < share_[variable].size(); ++alternative) {
      if (is_active_[variable][alternative]) {
        const bool stays = share_[variable][alternative] < most;
        is_active_[variable][alternative] = stays ? 1 : 0;
        has_any = has_any || stays;
        changed = changed || !stays;
      }
    }
    if (!has_any) {
      return false;
    }
    for (const auto* dependencies :
         {&problem_.dependencies_in[variable], &problem_.dependencies_out[variable]}) {
      for (const int32_t dependency : *dependencies) {
        if (changed) {
          find_active_classes(dependency);
        }
      }
    }
  }
  return true;
}

Assignment LowerBound::suggestion() const {
  Assignment assignment(problem_.num_variables(), 0);
  for (size_t variable = 0; variable < problem_.num_variables(); ++variable) {
    double least = kInfinity;
    for (size_t alternative = 0; alternative < share_[variable].size(); ++alternative) {
      if (!is_active_[variable][alternative]) {
        continue;
      }
      double cost = share_[variable][alternative];
      for (const int32_t number : problem_.dependencies_in[variable]) {
        const Dependency& dependency = problem_.dependencies[static_cast<size_t>(number)];
        cost += pair_share(number,
                           problem_.producer_class(
                               dependency, assignment[static_cast<size_t>(dependency.producer)]),
                           problem_.consumer_class(dependency, static_cast<int32_t>(alternative)));
      }
      if (cost < least) {
        least = cost;
        assignment[variable] = static_cast<int32_t>(alternative);
      }
    }
  }
  return assignment;
}

std::vector<std::vector<int32_t>> LowerBound::remaining() const {
  std::vector<std::vector<int32_t>> remaining(problem_.num_variables());
  for (size_t variable = 0; variable < problem_.num_variables(); ++variable) {
    for (size_t alternative = 0; alternative < share_[variable].size(); ++alternative) {
      if (is_active_[variable][alternative]) {
        remaining[variable].push_back(static_cast<int32_t>(alternative));
      }
    }
  }
  return remaining;
}

}  // namespace tessera::optimizer::assignment
