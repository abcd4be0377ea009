#include "placement/two_phase/greedy.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tessera::placement::two_phase {

namespace {

/// Time of one stage by site. It only grows while a plan is made, and so does its maximum.
class Stage {
 public:
  explicit Stage(int32_t num_sites) : by_site_(static_cast<size_t>(num_sites), 0) {}

  int64_t at(int32_t site) const { return by_site_[static_cast<size_t>(site)]; }
  int64_t most() const { return most_; }
  /// Returns the maximum if `more` were added at a site.
  int64_t most_with(int32_t site, int64_t more) const { return std::max(most_, at(site) + more); }
  void add(int32_t site, int64_t more) {
    by_site_[static_cast<size_t>(site)] += more;
    most_ = std::max(most_, at(site));
  }

 private:
  std::vector<int64_t> by_site_;
  int64_t most_ = 0;
};

/// The effect of a step on a plan.
struct Step {
  int64_t cost = 0;
  int64_t moved = 0;
  int64_t work = 0;  // in all, on its site after the step
  int32_t site = kUnassigned;
};

/// The cost of tuples that each site lacks. Few sites have a tuple, so the class counts what they
/// have.
class Missing {
 public:
  explicit Missing(size_t num_sites) : there_(num_sites, 0) {}

  int64_t at(size_t site) const { return all_ - there_[site]; }
  void clear() {
    all_ = 0;
    std::fill(there_.begin(), there_.end(), 0);
  }
  /// Adds a tuple, or removes one at a negative cost.
  void add(int64_t cost, const SiteRows& sites, size_t tuple) {
    all_ += cost;
    sites.for_each(tuple, [&](int32_t site) { there_[static_cast<size_t>(site)] += cost; });
  }

 private:
  int64_t all_ = 0;
  std::vector<int64_t> there_;  // of all, by site
};

class Greedy {
 public:
  Greedy(const Problem& problem, Rules rules, Ties ties)
      : problem_(problem),
        rules_(problem.merges ? rules : Rules::first),
        ties_(ties),
        there_(problem.sites),
        is_open_(problem.num_tuples()),
        num_left_(problem.num_tuples(), 0),
        missing_(num_sites()),
        missing_one_(num_sites()),
        joined_here_(num_sites(), 0),
        send_(problem.num_sites),
        join_(problem.num_sites),
        collect_(problem.num_sites),
        merge_(problem.num_sites),
        plan_{std::vector<int32_t>(problem.num_joins(), kUnassigned),
              std::vector<int32_t>(problem.num_groups(), kUnassigned),
              std::vector<int32_t>(problem.num_tuples(), kUnassigned)} {
    for (size_t tuple = 0; tuple < problem.num_tuples(); ++tuple) {
      is_open_[tuple] = problem.sites.is_empty(tuple);
    }
  }

  Plan run() && {
    for (size_t group = 0; group < problem_.num_groups(); ++group) {
      enter(group);
      while (plan_.group_site[group] == kUnassigned) {
        step(group);
      }
    }
    return std::move(plan_);
  }

 private:
  size_t num_sites() const { return static_cast<size_t>(problem_.num_sites); }

  /// Sums up, for each site, the missing tuples of the group's join groups.
  void enter(size_t group) {
    missing_.clear();
    std::fill(joined_here_.begin(), joined_here_.end(), 0);
    left_ = problem_.joins[group];
    cost_left_ = 0;
    results_ = 0;
    for (const int32_t join : left_) {
      cost_left_ += problem_.join_cost[static_cast<size_t>(join)];
      for (const int32_t tuple : problem_.tuples[static_cast<size_t>(join)]) {
        if (num_left_[static_cast<size_t>(tuple)]++ == 0) {
          add_missing(missing_, static_cast<size_t>(tuple), 1);
        }
      }
    }
  }

  /// Adds the cost of a tuple to every site that lacks it.
  void add_missing(Missing& missing, size_t tuple, int64_t sign) const {
    if (!is_open_[tuple]) {
      missing.add(sign * problem_.send_cost[tuple], there_, tuple);
    }
  }

  void step(size_t group) {
    const bool is_first_wanted = rules_ != Rules::second;
    const bool is_second_wanted = rules_ != Rules::first;
    const Step first = is_first_wanted ? by_first_rule(group) : Step();
    const Step second = is_second_wanted ? by_second_rule(group) : Step();
    if (is_first_wanted && (!is_second_wanted || first.cost <= second.cost)) {
      while (!left_.empty()) {
        assign_next(first.site);
      }
      assign_group(group, first.site);
    } else if (left_.empty()) {
      assign_group(group, second.site);
    } else {
      assign_next(second.site);
    }
  }

  /// Returns the cheapest of the steps that take something to a site.
  template <class StepTo>
  Step cheapest(StepTo step_to) const {
    Step best;
    for (int32_t site = 0; site < problem_.num_sites; ++site) {
      Step step = step_to(site);
      step.site = site;
      if (site == 0 || is_cheaper(step, best)) {
        best = step;
      }
    }
    return best;
  }

  bool is_cheaper(const Step& a, const Step& b) const {
    return ties_ == Ties::lowest_site
               ? a.cost < b.cost
               : std::tie(a.cost, a.moved, a.work) < std::tie(b.cost, b.moved, b.work);
  }

  Step by_first_rule(size_t group) const {
    return cheapest([&](int32_t site) {
      const auto number = static_cast<size_t>(site);
      const int64_t collected = results_ - joined_here_[number];
      const int64_t merged = problem_.merge_cost[group];
      const int64_t missing = missing_.at(number);
      return Step{send_.most_with(site, missing) + join_.most_with(site, cost_left_) +
                      collect_.most_with(site, collected) + merge_.most_with(site, merged),
                  missing + collected, join_.at(site) + cost_left_ + merge_.at(site) + merged};
    });
  }

  Step by_second_rule(size_t group) {
    if (left_.empty()) {
      return by_first_rule(group);
    }
    const auto join = static_cast<size_t>(left_.front());
    missing_one_.clear();
    for (const int32_t tuple : problem_.tuples[join]) {
      add_missing(missing_one_, static_cast<size_t>(tuple), 1);
    }
    const int64_t others = collect_.most() + merge_.most();
    return cheapest([&](int32_t site) {
      const int64_t missing = missing_one_.at(static_cast<size_t>(site));
      const int64_t work = problem_.join_cost[join];
      return Step{send_.most_with(site, missing) + join_.most_with(site, work) + others, missing,
                  join_.at(site) + work};
    });
  }

  /// Assigns the first unassigned join group.
  void assign_next(int32_t site) {
    const auto join = static_cast<size_t>(left_.front());
    left_ = left_.subspan(1);
    plan_.join_site[join] = site;
    join_.add(site, problem_.join_cost[join]);
    cost_left_ -= problem_.join_cost[join];
    results_ += problem_.result_cost[join];
    joined_here_[static_cast<size_t>(site)] += problem_.result_cost[join];
    for (const int32_t tuple : problem_.tuples[join]) {
      bring(static_cast<size_t>(tuple), site);
    }
  }

  /// Brings a tuple of a join group to its site, if it is not there.
  void bring(size_t tuple, int32_t site) {
    add_missing(missing_, tuple, -1);
    if (is_open_[tuple]) {
      is_open_[tuple] = false;
      plan_.home[tuple] = site;
    } else if (!there_.has(tuple, site)) {
      send_.add(site, problem_.send_cost[tuple]);
    }
    there_.add(tuple, site);
    if (--num_left_[tuple] > 0) {
      add_missing(missing_, tuple, 1);  // another unassigned join group has it too
    }
  }

  void assign_group(size_t group, int32_t site) {
    plan_.group_site[group] = site;
    collect_.add(site, results_ - joined_here_[static_cast<size_t>(site)]);
    merge_.add(site, problem_.merge_cost[group]);
  }

  const Problem& problem_;
  const Rules rules_;
  const Ties ties_;

  SiteRows there_;                 // the sites of each tuple
  std::vector<bool> is_open_;      // of tuples without a site
  std::vector<int32_t> num_left_;  // by tuple: unassigned join groups of the group that need it

  // The following are of the group that is being assigned.
  std::span<const int32_t> left_;     // its join groups that are not assigned
  int64_t cost_left_ = 0;             // T_pi of these
  int64_t results_ = 0;               // T_g of assigned ones, as if all were elsewhere
  Missing missing_;                   // T_F of tuples that a site lacks for all unassigned ones
  Missing missing_one_;               // and for the next of them
  std::vector<int64_t> joined_here_;  // by site: T_g of its results

  Stage send_;
  Stage join_;
  Stage collect_;
  Stage merge_;
  Plan plan_;
};

}  // namespace

Plan assigned_greedily(const Problem& problem, Rules rules, Ties ties) {
  return Greedy(problem, rules, ties).run();
}

}  // namespace tessera::placement::two_phase
