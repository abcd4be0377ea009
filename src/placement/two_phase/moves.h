#pragma once

#include <cstdint>
#include <vector>

#include "placement/two_phase/problem.h"
#include "placement/two_phase/stage_loads.h"

namespace tessera::placement::two_phase {

/// A plan that is changed group by group, with its cost kept up to date, and that can be restored.
class Moves {
 public:
  /// REQUIRES a plan that assigns all.
  Moves(const Problem& problem, Plan plan);

  const Plan& plan() const { return plan_; }
  Plan take() && { return std::move(plan_); }
  Cost cost();
  int64_t num_moves() const { return num_moves_; }  // of join groups, there and back once

  int32_t site_of_join(size_t join) const { return plan_.join_site[join]; }
  int32_t site_of_group(size_t group) const { return plan_.group_site[group]; }
  size_t group_of(size_t join) const { return static_cast<size_t>(group_of_[join]); }
  /// Returns the site with the least work. REQUIRES that all moves were kept or taken back.
  int32_t idlest();

  /// Returns a lower bound on the cost after such a move to another site. With a long list of
  /// tuples, moving it and back costs far more than showing that it cannot pay.
  int64_t least_with_join(size_t join, int32_t to);
  int64_t least_with_cluster(size_t group, int32_t to);
  /// Counts the join group, or the cluster, as moved, there and back.
  void count_join() { ++num_moves_; }
  void count_cluster(size_t group);

  void move_join(size_t join, int32_t to);
  void move_group(size_t group, int32_t to);
  /// Moves the group and its join groups that are on its site.
  void move_cluster(size_t group, int32_t to);

  /// Keeps the moves since the last keep, until kept moves are taken back too.
  void keep();
  /// Takes back the moves that were not kept.
  void undo();

  /// Marks this plan as the one to return to.
  void mark();
  /// Takes back all moves since the mark, kept or not.
  void undo_kept();

 private:
  enum class Kind : uint8_t { join, group, home };
  struct Done {
    Kind kind;
    size_t number;
    int32_t before;
  };

  int32_t& users(size_t tuple, int32_t site) {
    return users_[tuple * static_cast<size_t>(problem_->num_sites) + static_cast<size_t>(site)];
  }
  bool is_there(size_t tuple, int32_t site) const {
    return plan_.home[tuple] == site || problem_->sites.has(tuple, site);
  }
  void undo_to(size_t num_done);
  void keep_loads();
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
  StageLoads send_;
  StageLoads join_;
  StageLoads collect_;
  StageLoads merge_;
  int64_t moved_ = 0;
  int32_t idlest_ = kUnassigned;  // if it is known
  std::vector<Done> done_;        // since the mark
  size_t num_kept_ = 0;           // of these
  int64_t num_moves_ = 0;
};

}  // namespace tessera::placement::two_phase
