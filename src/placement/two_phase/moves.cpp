#include "placement/two_phase/moves.h"

#include <algorithm>
#include <utility>

namespace tessera::placement::two_phase {

Moves::Moves(const Problem& problem, Plan plan)
    : problem_(&problem),
      plan_(std::move(plan)),
      group_of_(problem.num_joins(), kUnassigned),
      users_(problem.num_tuples() * static_cast<size_t>(problem.num_sites), 0),
      send_(problem.num_sites),
      join_(problem.num_sites),
      collect_(problem.num_sites),
      merge_(problem.num_sites) {
  for (size_t group = 0; group < problem.num_groups(); ++group) {
    const int32_t site = plan_.group_site[group];
    merge_.add(site, problem.merge_cost[group]);
    for (const int32_t number : problem.joins[group]) {
      const auto join = static_cast<size_t>(number);
      group_of_[join] = static_cast<int32_t>(group);
      join_.add(plan_.join_site[join], problem.join_cost[join]);
      collect(site, plan_.join_site[join] == site ? 0 : problem.result_cost[join]);
      for (const int32_t tuple : problem.tuples[join]) {
        arrive(static_cast<size_t>(tuple), plan_.join_site[join]);
      }
    }
  }
  keep_loads();
}

Cost Moves::cost() {
  return {send_.most(), join_.most(), collect_.most(), merge_.most(), moved_};
}

int32_t Moves::idlest() {
  if (idlest_ == kUnassigned) {
    int64_t least = 0;
    for (int32_t site = 0; site < problem_->num_sites; ++site) {
      const int64_t all = send_.at(site) + join_.at(site) + collect_.at(site) + merge_.at(site);
      if (site == 0 || all < least) {
        least = all;
        idlest_ = site;
      }
    }
  }
  return idlest_;
}

void Moves::keep() {
  num_kept_ = done_.size();
  keep_loads();
}

void Moves::undo() {
  undo_to(num_kept_);
  for (StageLoads* stage : {&send_, &join_, &collect_, &merge_}) {
    stage->restore();
  }
}

void Moves::mark() {
  done_.clear();
  num_kept_ = 0;
}

void Moves::undo_kept() {
  undo_to(0);
  num_kept_ = 0;
  keep_loads();
}

void Moves::keep_loads() {
  for (StageLoads* stage : {&send_, &join_, &collect_, &merge_}) {
    stage->keep();
  }
  idlest_ = kUnassigned;
}

int64_t Moves::least_with_join(size_t join, int32_t to) {
  const int32_t from = plan_.join_site[join];
  const int32_t merged_at = plan_.group_site[group_of(join)];
  const int64_t more =
      (static_cast<int64_t>(merged_at != to) - static_cast<int64_t>(merged_at != from)) *
      problem_->result_cost[join];
  const int64_t sent_to_others =
      send_.at(from) < send_.most() && send_.at(to) < send_.most() ? send_.most() : 0;
  return sent_to_others + merge_.most() +
         std::max(join_.at(to) + problem_->join_cost[join], join_.most_without(from)) +
         std::max(collect_.at(merged_at) + more, collect_.most_without(merged_at));
}

int64_t Moves::least_with_cluster(size_t group, int32_t to) {
  const int32_t from = plan_.group_site[group];
  int64_t joined = join_.at(to);
  for (const int32_t join : problem_->joins[group]) {
    const auto number = static_cast<size_t>(join);
    joined += plan_.join_site[number] == from ? problem_->join_cost[number] : 0;
  }
  return std::max(joined, join_.most_without(from)) +
         std::max(merge_.at(to) + problem_->merge_cost[group], merge_.most_without(from));
}

void Moves::count_cluster(size_t group) {
  const std::span<const int32_t> joins = problem_->joins[group];
  num_moves_ += 1 + std::count_if(joins.begin(), joins.end(), [&](int32_t join) {
                  return plan_.join_site[static_cast<size_t>(join)] == plan_.group_site[group];
                });
}

void Moves::move_join(size_t join, int32_t to) {
  const int32_t from = plan_.join_site[join];
  done_.push_back({Kind::join, join, from});
  ++num_moves_;
  set_join(join, to);
  // A tuple whose first site needs it no more lies here instead.
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

void Moves::undo_to(size_t num_done) {
  for (; done_.size() > num_done; done_.pop_back()) {
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
  join_.add(from, -problem_->join_cost[join]);
  join_.add(to, problem_->join_cost[join]);
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
  merge_.add(from, -problem_->merge_cost[group]);
  merge_.add(to, problem_->merge_cost[group]);
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
  send_.add(site, sign * problem_->send_cost[tuple]);
  moved_ += sign * problem_->send_cost[tuple];
}

void Moves::collect(int32_t site, int64_t cost) {
  collect_.add(site, cost);
  moved_ += cost;
}

}  // namespace tessera::placement::two_phase
