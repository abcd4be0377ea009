#pragma once

#include <cstdint>
#include <vector>

#include "placement/two_phase/problem.h"

namespace tessera::placement::two_phase {

/// A plan that is changed group by group, with its cost kept up to date, and taken back.
class Moves {
 public:
  /// REQUIRES a plan that assigns all.
  Moves(const Problem& problem, Plan plan);

  const Plan& plan() const { return plan_; }
  Plan take() && { return std::move(plan_); }
  Cost cost() const;
  int64_t num_moves() const { return num_moves_; }  // of join groups, there and back once

  int32_t site_of_join(size_t join) const { return plan_.join_site[join]; }
  int32_t site_of_group(size_t group) const { return plan_.group_site[group]; }
  size_t group_of(size_t join) const { return static_cast<size_t>(group_of_[join]); }
  /// The site that has least to do.
  int32_t idlest() const;

  void move_join(size_t join, int32_t to);
  void move_group(size_t group, int32_t to);
  /// The group and its join groups that are on its site.
  void move_cluster(size_t group, int32_t to);

  /// What was moved since stays.
  void keep() { done_.clear(); }
  /// Takes back what was moved since.
  void undo();

 private:
  enum class Kind : uint8_t { join, group, home };
  struct Done {
    Kind kind;
    size_t number;
    int32_t before;
  };
  struct Loads {
    int64_t send = 0;
    int64_t join = 0;
    int64_t collect = 0;
    int64_t merge = 0;
  };

  Loads& at(int32_t site) { return loads_[static_cast<size_t>(site)]; }
  int32_t& users(size_t tuple, int32_t site) {
    return users_[tuple * loads_.size() + static_cast<size_t>(site)];
  }
  bool is_there(size_t tuple, int32_t site) const {
    return plan_.home[tuple] == site || problem_->sites.has(tuple, site);
  }
  void set_join(size_t join, int32_t to);
  void set_group(size_t group, int32_t to);
  void arrive(size_t tuple, int32_t site);
  void leave(size_t tuple, int32_t site);
  void send(size_t tuple, int32_t site, int64_t sign);
  void collect(int32_t site, int64_t cost);

  const Problem* problem_;  // borrowed
  Plan plan_;
  std::vector<int32_t> group_of_;  // of every join group
  std::vector<int32_t> users_;     // join groups of a site that need a tuple, by tuple and site
  std::vector<Loads> loads_;       // by site
  int64_t moved_ = 0;
  std::vector<Done> done_;
  int64_t num_moves_ = 0;
};

}  // namespace tessera::placement::two_phase
