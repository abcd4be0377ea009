#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "simulate/cluster.h"
#include "simulate/playback.h"
#include "simulate/workload.h"

namespace tessera::simulate {

/// The period of an activity, in seconds from the beginning.
struct Period {
  double start = 0;
  double end = 0;
};

/// A player that decides the start of every activity in the manner of a run. A site's cores take
/// the earliest of its activities that have all they need. A move starts when its bytes are there
/// and both of its sites can take one more at once. Reads and moves, which bring tiles, wait while
/// their site's memory is full; the earliest there that has not started waits only for tiles that
/// tasks are using. Bytes beyond a site's memory are paged: the activity that adds them first
/// writes as many bytes to the disk and reads them back. Sending and receiving a move takes core
/// time without waiting, as a share beside the tasks on these cores. Equal parts of two runs start
/// at equal times.
class Player : public Playback {
 public:
  /// REQUIRES that both outlive it, and a site of the cluster for each of the workload; others stay
  /// idle.
  Player(const Workload& workload, const Cluster& cluster);

  bool is_over() const override { return num_ended_ == workload_.activities.size(); }
  double total_seconds() const override { return total_seconds_; }
  void take_starts(int32_t site, std::vector<Start>& starts) override;
  void take_called(std::vector<int32_t>& sites) override;
  void ended(int64_t activity, double now) override;
  void failed(const char* reason) override { fault_ = reason; }

  /// Returns why it ended before everything had; empty if all ended.
  std::string fault() const;

  const std::vector<Period>& periods() const { return periods_; }
  /// The most bytes that each site held at once.
  const std::vector<int64_t>& peak_bytes() const { return peak_bytes_; }
  /// The bytes that each site wrote because its memory was full, and read again.
  const std::vector<int64_t>& paged_bytes() const { return paged_bytes_; }

 private:
  struct Site {
    int32_t free_cores = 0;
    int32_t free_sends = 0;
    int32_t free_receives = 0;
    std::set<int64_t> ready;        // for a core, except reads
    std::set<int64_t> ready_reads;  // for a core
    std::set<int64_t> ready_out;    // moves from here
    std::set<int64_t> ready_in;     // moves to here
    std::vector<int64_t> order;     // of core work here
    size_t next_in_order = 0;       // index into it, if order is kept
    std::vector<int64_t> all;       // here, incoming moves too, in order
    size_t num_started = 0;         // of these, from the first on
    std::vector<Start> starts;
    bool is_called = false;
    int64_t held_bytes = 0;
    int64_t used_bytes = 0;  // of these, by running activities
  };

  Site& site(int32_t number) { return sites_[static_cast<size_t>(number)]; }
  const ActivityInfo& info(int64_t activity) const {
    return workload_.activities[static_cast<size_t>(activity)];
  }
  void become_ready(int64_t activity);
  void start_on_cores(int32_t number);
  std::optional<int64_t> next_on_cores(int32_t number);
  int64_t bytes_brought(int64_t activity) const;
  bool has_room(int64_t activity);
  bool can_move(int64_t activity);
  bool start_move(int64_t activity);
  void start_moves_into(int32_t number);
  void start_moves_from(int32_t number);
  void start(int64_t activity);
  void finish(int64_t activity);
  void hold(int32_t number, int64_t bytes);
  int64_t hold_tiles(int64_t activity);
  void let_tiles_go(int64_t activity);

  const Workload& workload_;
  const Cluster& cluster_;
  plan::Incidence<ActivityId, ActivityId> dependents_;
  std::vector<bool> has_started_;     // of every activity
  std::vector<int64_t> num_waits_;    // dependencies of every activity that have not ended
  std::vector<int64_t> num_touches_;  // of every tile, by activities that have not ended
  std::vector<int64_t> num_uses_;     // of every tile, by activities that run
  std::vector<bool> is_held_;         // of every tile
  std::vector<Site> sites_;
  std::vector<Period> periods_;
  std::vector<int64_t> peak_bytes_;
  std::vector<int64_t> paged_bytes_;
  std::vector<int32_t> called_;
  std::vector<int64_t> instant_;  // activities that take no time and have started
  size_t num_ended_ = 0;
  double total_seconds_ = 0;
  double now_ = 0;
  std::string fault_;
};

}  // namespace tessera::simulate
