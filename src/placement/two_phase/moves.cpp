#include "placement/two_phase/moves.h"

#include <algorithm>
#include <utility>

namespace tessera::placement::two_phase {

Moves::Moves(const Problem& problem, Plan plan)
    : problem_(&problem),
      plan_(std::move(plan)),
      group_of_(problem.num_joins(), kUnassigned),
      users_(problem.num_tuples() * static_cast<size_t>(problem.num_sites), 0),
      loads_(static_cast<size_t>(problem.num_sites)) {
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const int32_t site = plan_.group_site[group];
    at(site).merge += problem.merge_cost[group];
    for (const int32_t number : problem.joins[group]) {
      const auto join = static_cast<size_t>(number);
      group_of_[join] = static_cast<int32_t>(group);
      at(plan_.join_site[join]).join += problem.join_cost[join];
      collect(site, plan_.join_site[join] == site ? 0 : problem.result_cost[join]);
      for (const int32_t tuple : problem.tuples[join]) {
        arrive(static_cast<size_t>(tuple), plan_.join_site[join]);
      }
    }
  }
}

Cost Moves::cost() const {
  Cost cost;
  for (const Loads& loads : loads_) {
    cost.send = std::max(cost.send, loads.send);
    cost.join = std::max(cost.join, loads.join);
    cost.collect = std::max(cost.collect, loads.collect);
    cost.merge = std::max(cost.merge, loads.merge);
  }
  cost.moved = moved_;
  return cost;
}

int32_t Moves::idlest() const {
  const auto all = [](const Loads& loads) {
    return loads.send + loads.join + loads.collect + loads.merge;
  };
  const auto least =
      std::min_element(loads_.begin(), loads_.end(),
                       [&](const Loads& a, const Loads& b) { return all(a) < all(b); });
  return static_cast<int32_t>(least - loads_.begin());
}

void Moves::move_join(size_t join, int32_t to) {
  const int32_t from = plan_.join_site[join];
  done_.push_back({Kind::join, join, from});
  ++num_moves_;
  set_join(join, to);
  // Where it was needed first a tuple lies for nothing: if nobody is left there, it lies here.
  for (const int32_t number : problem_->tuples[join]) {
    const auto tuple = static_cast<size_t>(number);
    if (plan_.home[tuple] == from && from != to && users(tuple, from) == 0) {
      done_.push_back({Kind::home, tuple, from});
      send(tuple, to, -1);
      plan_.home[tuple] = to;
    }
  }
}

void Moves::move_group(size_t group, int32_t to) {
  done_.push_back({Kind::group, group, plan_.group_site[group]});
  ++num_moves_;
  set_group(group, to);
}

void Moves::move_cluster(size_t group, int32_t to) {
  const int32_t from = plan_.group_site[group];
  move_group(group, to);
  for (const int32_t join : problem_->joins[group]) {
    if (plan_.join_site[static_cast<size_t>(join)] == from) {
      move_join(static_cast<size_t>(join), to);
    }
  }
}

void Moves::undo() {
  for (; !done_.empty(); done_.pop_back()) {
    const auto [kind, number, before] = done_.back();
    switch (kind) {
      case Kind::join:
        set_join(number, before);
        break;
      case Kind::group:
        set_group(number, before);
        break;
      case Kind::home:
        send(number, plan_.home[number], 1);
        plan_.home[number] = before;
        break;
    }
  }
}

void Moves::set_join(size_t join, int32_t to) {
  const int32_t from = std::exchange(plan_.join_site[join], to);
  at(from).join -= problem_->join_cost[join];
  at(to).join += problem_->join_cost[join];
  const int32_t merged_at = plan_.group_site[group_of(join)];
  const bool was_moved = merged_at != from;
  const bool is_moved = merged_at != to;
  collect(merged_at, (static_cast<int64_t>(is_moved) - static_cast<int64_t>(was_moved)) *
                         problem_->result_cost[join]);
  for (const int32_t tuple : problem_->tuples[join]) {
    arrive(static_cast<size_t>(tuple), to);
    leave(static_cast<size_t>(tuple), from);
  }
}

void Moves::set_group(size_t group, int32_t to) {
  const int32_t from = std::exchange(plan_.group_site[group], to);
  at(from).merge -= problem_->merge_cost[group];
  at(to).merge += problem_->merge_cost[group];
  for (const int32_t number : problem_->joins[group]) {
    const auto join = static_cast<size_t>(number);
    collect(from, plan_.join_site[join] == from ? 0 : -problem_->result_cost[join]);
    collect(to, plan_.join_site[join] == to ? 0 : problem_->result_cost[join]);
  }
}

void Moves::arrive(size_t tuple, int32_t site) {
  if (users(tuple, site)++ == 0 && !is_there(tuple, site)) {
    send(tuple, site, 1);
  }
}

void Moves::leave(size_t tuple, int32_t site) {
  if (--users(tuple, site) == 0 && !is_there(tuple, site)) {
    send(tuple, site, -1);
  }
}

void Moves::send(size_t tuple, int32_t site, int64_t sign) {
  at(site).send += sign * problem_->send_cost[tuple];
  moved_ += sign * problem_->send_cost[tuple];
}

void Moves::collect(int32_t site, int64_t cost) {
  at(site).collect += cost;
  moved_ += cost;
}

}  // namespace tessera::placement::two_phase
