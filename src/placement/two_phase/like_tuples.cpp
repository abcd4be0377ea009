#include "placement/two_phase/like_tuples.h"

#include <utility>

namespace tessera::placement::two_phase {

namespace {

/// Classes of tuples, split step by step.
class Classes {
 public:
  explicit Classes(size_t num_tuples) : of_(num_tuples, 0), split_(1, 0) {}

  int32_t of(int32_t tuple) const { return of_[static_cast<size_t>(tuple)]; }
  size_t size() const { return split_.size(); }

  /// Gives a tuple a class of its own.
  void part(size_t tuple) { of_[tuple] = add_class(); }
  /// Separates these tuples from all others: tuples that were alike before stay alike.
  template <class Tuples>
  void split(const Tuples& tuples) {
    const auto first_new = static_cast<int32_t>(size());
    for (const int32_t tuple : tuples) {
      int32_t& its = of_[static_cast<size_t>(tuple)];
      if (split_[static_cast<size_t>(its)] < first_new) {
        const int32_t added = add_class();
        split_[static_cast<size_t>(its)] = added;
      }
      its = split_[static_cast<size_t>(its)];
    }
  }

 private:
  int32_t add_class() {
    split_.push_back(0);
    return static_cast<int32_t>(split_.size()) - 1;
  }

  std::vector<int32_t> of_;     // by tuple
  std::vector<int32_t> split_;  // by class: what was last split off from it
};

Classes classes_of(const Problem& problem, const std::vector<int32_t>& home) {
  Classes classes(problem.num_tuples());
  std::vector<std::vector<int32_t>> by_home(static_cast<size_t>(problem.num_sites) + 1);
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    by_home[static_cast<size_t>(home[tuple]) + 1].push_back(static_cast<int32_t>(tuple));
  }
  for (const std::vector<int32_t>& tuples : by_home) {
    classes.split(tuples);
  }
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    classes.split(problem.tuples[join]);
  }
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    if (!problem.sites.is_empty(tuple)) {
      classes.part(tuple);
    }
  }
  return classes;
}

/// Returns the tuples of join groups, each class once, at the place of its first tuple.
Lists lists_of(const Problem& problem, const std::vector<int32_t>& tuple_of, size_t num_tuples) {
  Lists lists;
  std::vector<int32_t> last_join(num_tuples, -1);
  for (size_t join = 0; join < problem.num_joins(); ++join) {
    lists.add_list();
    for (const int32_t tuple : problem.tuples[join]) {
      const int32_t one = tuple_of[static_cast<size_t>(tuple)];
      const auto number = static_cast<int32_t>(join);
      if (std::exchange(last_join[static_cast<size_t>(one)], number) != number) {
        lists.append(one);
      }
    }
  }
  return lists;
}

}  // namespace

Condensed condensed(const Problem& problem, const std::vector<int32_t>& home) {
  const Classes classes = classes_of(problem, home);
  Condensed result{problem, {}};
  result.problem.send_cost.clear();
  result.problem.sites = SiteRows(problem.num_sites);
  std::vector<int32_t> number(classes.size(), kUnassigned);  // by class; an emptied one has none
  for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
    int32_t& one = number[static_cast<size_t>(classes.of(static_cast<int32_t>(tuple)))];
    if (one == kUnassigned) {
      one = static_cast<int32_t>(result.problem.num_tuples());
      result.problem.send_cost.push_back(0);
      result.problem.sites.resize(result.problem.num_tuples());
    }
    result.problem.send_cost[static_cast<size_t>(one)] += problem.send_cost[tuple];
    result.problem.sites.add_all(static_cast<size_t>(one), problem.sites, tuple);
    result.tuple_of.push_back(one);
  }
  result.problem.tuples = lists_of(problem, result.tuple_of, result.problem.num_tuples());
  return result;
}

Plan Condensed::condensed(Plan plan) const {
  std::vector<int32_t> home(problem.num_tuples(), kUnassigned);
  for (size_t tuple = 0; tuple < tuple_of.size(); ++tuple) {
    home[static_cast<size_t>(tuple_of[tuple])] = plan.home[tuple];
  }
  plan.home = std::move(home);
  return plan;
}

Plan Condensed::whole(Plan plan) const {
  std::vector<int32_t> home;
  home.reserve(tuple_of.size());
  for (const int32_t one : tuple_of) {
    home.push_back(plan.home[static_cast<size_t>(one)]);
  }
  plan.home = std::move(home);
  return plan;
}

}  // namespace tessera::placement::two_phase
