#include "optimizer/ia/plan_choice.h"

#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

#include "base/error.h"

namespace tessera::optimizer {

namespace {

/// A fact about a relation: it is made at a place, or was moved from there.
struct Fact {
  size_t relation = 0;
  size_t placement = 0;
  bool is_made = false;
};

/// A set of facts by number, ascending.
using State = std::vector<uint32_t>;

struct StateHash {
  size_t operator()(const State& state) const {
    size_t hash = state.size();
    for (const uint32_t fact : state) {
      hash ^= fact + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
    }
    return hash;
  }
};

struct Cost {
  double bytes = 0;
  size_t num_nodes = 0;
  friend bool operator<(const Cost& a, const Cost& b) {
    return std::pair(a.bytes, a.num_nodes) < std::pair(b.bytes, b.num_nodes);
  }
};

/// A step of a partial plan: the partial plan that it extends, and one more alternative.
struct PlanLink {
  size_t before = 0;
  size_t alternative = 0;
};

/// A plan for the relations so far, with the facts that later ones depend on.
struct PartialPlan {
  State state;
  Cost cost;
  size_t link = 0;
};

class PlanSearch {
 public:
  PlanSearch(PlacementMemo& memo, size_t most_states)
      : memo_(memo), most_states_(most_states), last_reader_(memo.relations().size(), 0) {
    for (size_t relation = 0; relation < memo.relations().size(); ++relation) {
      for (const Alternative& alternative : memo.relations()[relation].alternatives) {
        for (const RequiredInput& required : alternative.required) {
          last_reader_[required.relation] = std::max(last_reader_[required.relation], relation);
        }
      }
    }
  }

  PlanChoice run() {
    kept_ = {{{}, {}, 0}};
    links_ = {{}};
    for (size_t relation = 0; relation < memo_.relations().size(); ++relation) {
      if (!memo_.relations()[relation].is_input) {
        make(relation);
      }
    }
    return choice();
  }

 private:
  void make(size_t relation) {
    const std::vector<size_t> alternatives = distinct_alternatives(relation);
    std::vector<PartialPlan> made;
    std::unordered_map<State, size_t, StateHash> number_of;
    for (const PartialPlan& from : kept_) {
      for (const size_t alternative : alternatives) {
        ++choice_.num_steps;
        std::optional<PartialPlan> next = made_by(from, relation, alternative);
        if (!next) {
          continue;
        }
        const auto [known, is_new] = number_of.emplace(next->state, made.size());
        if (is_new) {
          next->link = links_.size();
          links_.push_back({from.link, alternative});
          made.push_back(std::move(*next));
        } else if (next->cost < made[known->second].cost) {
          made[known->second].cost = next->cost;
          links_[made[known->second].link] = {from.link, alternative};
        }
      }
    }
    std::optional<PartialPlan> own = made_by({own_, {}, 0}, relation, 0);
    TESSERA_CHECK(own.has_value(), "the program's own way to make relation {} does not go on",
                  relation);
    own_ = std::move(own->state);
    keep_cheapest(made, number_of.at(own_));
    kept_ = std::move(made);
  }

  /// Keeps the cheapest states, and one state at any cost.
  void keep_cheapest(std::vector<PartialPlan>& made, size_t always) {
    if (made.size() <= most_states_) {
      return;
    }
    choice_.is_bounded = true;
    PartialPlan own = made[always];
    std::stable_sort(made.begin(), made.end(),
                     [](const PartialPlan& a, const PartialPlan& b) { return a.cost < b.cost; });
    made.resize(most_states_);
    const bool is_kept = std::any_of(
        made.begin(), made.end(), [&](const PartialPlan& kept) { return kept.state == own.state; });
    if (!is_kept) {
      made.push_back(std::move(own));
    }
  }

  /// Returns the cheapest among alternatives that make and require the same.
  std::vector<size_t> distinct_alternatives(size_t relation) const {
    std::map<std::pair<size_t, std::vector<RequiredInput>>, size_t> cheapest;
    const std::vector<Alternative>& alternatives = memo_.relations()[relation].alternatives;
    const auto cost = [&](size_t alternative) {
      return Cost{alternatives[alternative].bytes, alternatives[alternative].num_nodes};
    };
    for (size_t alternative = 0; alternative < alternatives.size(); ++alternative) {
      const auto [known, is_new] = cheapest.emplace(
          std::pair(alternatives[alternative].place, alternatives[alternative].required),
          alternative);
      if (!is_new && cost(alternative) < cost(known->second)) {
        known->second = alternative;
      }
    }
    std::vector<size_t> distinct;
    for (const auto& [what, alternative] : cheapest) {
      distinct.push_back(alternative);
    }
    std::sort(distinct.begin(), distinct.end());
    return distinct;
  }

  /// Extends a plan by one relation, if all required inputs can be brought there.
  std::optional<PartialPlan> made_by(const PartialPlan& from, size_t relation, size_t number) {
    const Alternative& alternative = memo_.relations()[relation].alternatives[number];
    PartialPlan next{
        from.state,
        {from.cost.bytes + alternative.bytes, from.cost.num_nodes + alternative.num_nodes}};
    for (const RequiredInput& required : alternative.required) {
      if (!bring(required, next)) {
        return std::nullopt;
      }
    }
    add(next.state, fact({relation, placement_at(relation, alternative.place)}, true));
    std::erase_if(next.state,
                  [&](uint32_t known) { return last_reader_[facts_[known].relation] <= relation; });
    return next;
  }

  size_t placement_at(size_t relation, size_t place) const {
    return memo_.placement_of(memo_.relations()[relation].places[place]);
  }

  /// Pays for a required input that is not there yet. Returns false if its relation is made
  /// elsewhere.
  bool bring(const RequiredInput& required, PartialPlan& next) {
    const bool is_input = memo_.relations()[required.relation].is_input;
    size_t at = placement_at(required.relation, required.place);
    if (!is_input) {
      const size_t made = made_at(required.relation, next.state);
      if (required.hops.empty()) {
        return made == at;
      }
      at = made;
    }
    std::vector<size_t> path = {required.relation};
    if (is_input) {
      path.push_back(at);
    }
    for (const size_t hop : required.hops) {
      path.push_back(hop);
      if (add(next.state, fact(path, false))) {
        next.cost.bytes += memo_.moved_bytes(required.relation, at, hop);
        ++next.cost.num_nodes;
      }
      at = hop;
    }
    return true;
  }

  size_t made_at(size_t relation, const State& state) const {
    for (const uint32_t known : state) {
      if (facts_[known].is_made && facts_[known].relation == relation) {
        return facts_[known].placement;
      }
    }
    throw_error(ErrorKind::internal, "relation {} is read before it is made", relation);
  }

  uint32_t fact(std::vector<size_t> path, bool is_made) {
    const Fact what{path.front(), path.back(), is_made};
    path.push_back(is_made ? 1 : 0);
    const auto [known, is_new] =
        number_of_fact_.emplace(std::move(path), static_cast<uint32_t>(facts_.size()));
    if (is_new) {
      facts_.push_back(what);
    }
    return known->second;
  }

  /// Adds a fact. Returns true if it is new.
  static bool add(State& state, uint32_t fact) {
    const auto place = std::lower_bound(state.begin(), state.end(), fact);
    if (place != state.end() && *place == fact) {
      return false;
    }
    state.insert(place, fact);
    return true;
  }

  PlanChoice choice() {
    const auto best = std::min_element(
        kept_.begin(), kept_.end(),
        [](const PartialPlan& a, const PartialPlan& b) { return a.cost < b.cost; });
    choice_.bytes = best->cost.bytes;
    choice_.alternatives.assign(memo_.relations().size(), 0);
    size_t link = best->link;
    for (size_t relation = memo_.relations().size(); relation-- > 0;) {
      if (!memo_.relations()[relation].is_input) {
        choice_.alternatives[relation] = links_[link].alternative;
        link = links_[link].before;
      }
    }
    return std::move(choice_);
  }

  PlacementMemo& memo_;
  size_t most_states_;
  std::vector<size_t> last_reader_;  // by relation, the number of one
  std::vector<Fact> facts_;
  std::map<std::vector<size_t>, uint32_t> number_of_fact_;
  std::vector<PartialPlan> kept_;
  State own_;  // of the program's own plan so far
  std::vector<PlanLink> links_;
  PlanChoice choice_;
};

}  // namespace

PlanChoice cheapest_plan(PlacementMemo& memo, size_t most_states) {
  return PlanSearch(memo, most_states).run();
}

}  // namespace tessera::optimizer
