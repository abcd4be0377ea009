#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "simulate/cluster.h"

namespace tessera::simulate {

/// The links of a cluster in racks, and the moves on them.
///
/// Moves share links max-min fairly, like on one switch under SimGrid: no move can have more
/// without taking it from one that has no more than itself. A move between racks takes four links:
/// out of its site and its rack, into the other rack and site. So nearly all moves affect each
/// other, and whenever one begins or ends all rates change: O(moves + links x different rates) each
/// time. (Under SimGrid 3.32 130,000 tasks on 1,024 sites in racks took a minute, here a tenth.)
///
/// Source: progressive filling, Bertsekas and Gallager, Data Networks, section 6.5.2 (1992).
class RackLinks {
 public:
  /// REQUIRES racks, and that the cluster outlives it.
  explicit RackLinks(const Cluster& cluster);

  /// Starts a move of `bytes` bytes, which begins with its latency. `now` never goes back.
  void start(int64_t activity, int32_t from, int32_t to, double bytes, double now);
  /// Returns the time of the next change of rates; infinite if nothing moves.
  double next_change() const { return next_change_; }
  /// Advances to `now`, which is not beyond the next change, and adds the activities that end
  /// there, in the order of their starts.
  void advance(double now, std::vector<int64_t>& ended);

 private:
  static constexpr size_t kMostLinks = 4;

  /// A move, from its start on; the arrays beside it have its rate and its remaining bytes.
  struct Move {
    int64_t activity = 0;
    int64_t number = 0;  // in the order of starts
    int32_t num_links = 0;
    std::array<int32_t, kMostLinks> links{};
    std::array<int32_t, kMostLinks> places{};  // among the moves of each link
  };
  struct Delayed {
    Move move;
    double bytes = 0;
    double begins = 0;  // end of its latency
  };
  /// The state of sharing out a link: its remaining rate, and the moves that share it.
  struct Share {
    double rest = 0;
    int32_t num_moves = 0;
  };

  void add(const Delayed& delayed);
  void remove(size_t move);
  void share();
  double lowest_level(std::vector<int32_t>& links);
  void fill(const std::vector<int32_t>& links, double level);

  const Cluster& cluster_;
  size_t num_sites_ = 0;
  std::vector<double> capacity_;                // of every link, bytes a second
  std::vector<std::vector<int32_t>> moves_on_;  // every link
  std::vector<Move> moves_;
  std::vector<double> left_;  // bytes of every move
  std::vector<double> rate_;  // of every move; negative while shares are given out
  std::deque<Delayed> delayed_;
  std::vector<Share> shares_;        // of every link
  std::vector<int32_t> site_links_;  // that still give out shares
  std::vector<int32_t> rack_links_;
  double now_ = 0;
  double next_change_;
  int64_t num_started_ = 0;
};

}  // namespace tessera::simulate
