// The library that only `simulate` loads: it plays a workload under SimGrid.
//
// One actor for each site, on a host of its own beside the cluster, where waking one another takes
// no time. It starts the activities that the playback gives its site, and waits for one of them or
// a call. (Activities without an owner would all be in one list of SimGrid 3.32, which it walks for
// each that ends: 9,000 at once took 12 s while the actors take 4.)

#include <cmath>
#include <exception>
#include <mutex>
#include <numeric>
#include <optional>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include <simgrid/s4u.hpp>
#include <xbt/log.h>

#include "simulate/cluster.h"
#include "simulate/playback.h"
#include "simulate/rack_links.h"
#include "simulate/simgrid/machines.h"

namespace tessera::simulate {

namespace {

/// Sets SimGrid's options. Its defaults model TCP over a wide area network (latency times 13,
/// windows of 4 MiB). Here a move takes its latency and its bytes at its share of the links; the
/// cluster's efficiency accounts for headers. Faults come back as exceptions, so SimGrid need not
/// print them too. (By default it updates only the moves whose rates change; 3.32 then lets some go
/// on at rates that their links do not have.)
void set_up() {
  xbt_log_control_set("root.thres:critical");
  for (const char* const setting :
       {"network/model:CM02", "network/TCP-gamma:0", "network/crosstraffic:0", "network/optim:Full",
        "contexts/stack-size:128"}) {
    s4u::Engine::set_config(setting);
  }
}

/// Returns the seconds of one second of SimGrid's clock. The clock counts nanoseconds, which a
/// number in double precision cannot do after some weeks: for longer simulations a second stands
/// for more.
double seconds_of_clock(double total_seconds) {
  constexpr double kMostOnClock = 1 << 20;
  double seconds = 1;  // powers of two, so that nothing is rounded
  while (total_seconds / seconds > kMostOnClock) {
    seconds *= 2;
  }
  return seconds;
}

/// The moves on the links of racks, and the condition that their actor waits for: more of them.
struct RackStage {
  explicit RackStage(const Cluster& cluster) : links(cluster) {}

  RackLinks links;
  /// Moves with one part ended: the links' or the core time beside.
  std::unordered_set<int64_t> half_ended;
  s4u::MutexPtr mutex = s4u::Mutex::create();
  s4u::ConditionVariablePtr has_more = s4u::ConditionVariable::create();
};

/// A message to a site: it has something to start, or all is over.
enum class Call : uint8_t { to_start, to_end };

/// The sites to be called, and the condition that the calling actor waits for.
struct Calls {
  std::vector<int32_t> sites;
  // Messages point here, because a site may look long after the calling actor went on.
  Call to_start = Call::to_start;
  Call to_end = Call::to_end;
  s4u::MutexPtr mutex = s4u::Mutex::create();
  s4u::ConditionVariablePtr has_more = s4u::ConditionVariable::create();
};

/// The state that all actors share. SimGrid runs one actor at a time.
struct Stage {
  Machines machines;
  Playback& playback;
  std::optional<RackStage> racks;
  Calls calls;

  double now() const { return s4u::Engine::get_clock() * machines.unit; }
  /// Ends one of the two parts of a move on the links of racks.
  void half_ended(int64_t activity) {
    if (!racks->half_ended.insert(activity).second) {
      racks->half_ended.erase(activity);
      playback.ended(activity, now());
    }
  }
  /// Calls the sites with something to start, except the caller; at the end, tells that it is over.
  /// `called` is scratch space.
  void call_others(int32_t caller, std::vector<int32_t>& called) {
    playback.take_called(called);
    std::erase(called, caller);
    if (!called.empty() || playback.is_over()) {
      calls.sites.insert(calls.sites.end(), called.begin(), called.end());
      calls.has_more->notify_one();
    }
    if (playback.is_over() && racks) {
      racks->has_more->notify_one();
    }
  }
};

/// An actor for one site: the activities it has started, and the call that it waits for.
class SiteActor {
 public:
  SiteActor(Stage& stage, int32_t site) : stage_(stage), site_(site) {}

  void operator()() {
    listen();
    do {
      start_all();
    } while (wait());
  }

 private:
  void listen() {
    void** const place = &got_;
    s4u::CommPtr heard = stage_.machines.mailboxes[static_cast<size_t>(site_)]->get_init();
    heard->set_dst_data(place, sizeof(void*));
    heard->start();
    if (running_.empty()) {
      running_.emplace_back();
      started_.emplace_back();
    }
    running_.front() = heard;
  }

  void start_all() {
    stage_.playback.take_starts(site_, starts_);
    for (const Start& start : starts_) {
      running_.emplace_back();
      started_.push_back({start, 0, false, {}});
      if (!begin_step(running_.size() - 1)) {
        end(running_.size() - 1);
      }
    }
  }

  /// Waits for the next end, or a call. Returns false at the last call.
  bool wait() {
    const auto first = static_cast<size_t>(s4u::Activity::wait_any(running_));
    if (first == 0) {
      const bool goes_on = *static_cast<const Call*>(got_) != Call::to_end;
      if (goes_on) {
        listen();
      }
      return goes_on;
    }
    go_on(first);
    return true;
  }

  void go_on(size_t first) {
    Started& started = started_[first];
    const bool has_next = started.number + 1 < started.start.num_steps;
    started.number += has_next ? 1 : 0;
    if (has_next ? begin_step(first) : wait_beside(first)) {
      return;
    }
    end(first);
    stage_.call_others(site_, called_);
  }

  /// Begins the current step of an activity; with the last one, all activities beside it. Returns
  /// false if there is nothing to wait for.
  bool begin_step(size_t place) {
    Started& started = started_[place];
    const Start& start = started.start;
    const Step& step = start.steps[static_cast<size_t>(started.number)];
    if (started.number + 1 == start.num_steps) {
      for (int32_t number = 0; number < start.num_beside; ++number) {
        started.beside.push_back(begin(start, start.beside[static_cast<size_t>(number)]));
      }
    }
    started.is_in_racks = stage_.racks && step.resource == Resource::link;
    if (!started.is_in_racks) {
      running_[place] = begin(start, step);
      return true;
    }
    stage_.racks->links.start(start.activity, step.site, start.to, step.amount, stage_.now());
    stage_.racks->has_more->notify_one();
    return wait_beside(place);
  }

  /// Waits for the activities beside the last step. Most ended earlier, and wake nobody. (They have
  /// to be waited for even so: else SimGrid 3.32 keeps them in the list of the actor's activities,
  /// which it walks.) Returns false if none is left.
  bool wait_beside(size_t place) {
    std::vector<s4u::ActivityPtr>& beside = started_[place].beside;
    if (beside.empty()) {
      return false;
    }
    running_[place] = std::move(beside.back());
    beside.pop_back();
    return true;
  }

  void end(size_t place) {
    const int64_t activity = started_[place].start.activity;
    const bool is_in_racks = started_[place].is_in_racks;
    std::swap(running_[place], running_.back());
    running_.pop_back();
    std::swap(started_[place], started_.back());
    started_.pop_back();
    if (is_in_racks) {
      stage_.half_ended(activity);
    } else {
      stage_.playback.ended(activity, stage_.now());
    }
  }

  s4u::ActivityPtr begin(const Start& start, const Step& step) {
    const auto site = static_cast<size_t>(step.site);
    switch (step.resource) {
      case Resource::core:
        return seconds_on(stage_.machines.hosts[site], step.amount / stage_.machines.unit);
      case Resource::delay:
        return seconds_on(stage_.machines.control, step.amount / stage_.machines.unit);
      case Resource::link:
        return s4u::Comm::sendto_async(stage_.machines.hosts[site],
                                       stage_.machines.hosts[static_cast<size_t>(start.to)],
                                       static_cast<uint64_t>(std::llround(step.amount)));
      case Resource::disk_read:
        return stage_.machines.disks[site]->read_async(std::llround(step.amount));
      case Resource::disk_write:
        return stage_.machines.disks[site]->write_async(std::llround(step.amount));
    }
    return nullptr;
  }

  static s4u::ActivityPtr seconds_on(s4u::Host* host, double seconds) {
    s4u::ExecPtr work = s4u::Exec::init();
    work->set_flops_amount(seconds);
    work->set_host(host);
    work->start();
    return work;
  }

  struct Started {
    Start start;
    int32_t number = 0;                    // of its step
    bool is_in_racks = false;              // its last step is on the links of racks
    std::vector<s4u::ActivityPtr> beside;  // begun with its last step, not waited for yet
  };

  Stage& stage_;
  int32_t site_;
  std::vector<s4u::ActivityPtr> running_;  // the call first
  std::vector<Started> started_;           // parallel to the others
  std::vector<Start> starts_;
  std::vector<int32_t> called_;
  void* got_ = nullptr;
};

/// An actor that calls sites for all others. (Calls that nobody waits for stay in the list of their
/// actor's activities, which SimGrid 3.32 walks for each that ends. A site's actor cannot wait for
/// one, because two that call one another would wait forever.) Every site listens until the last
/// call, which is to all.
class CallingActor {
 public:
  explicit CallingActor(Stage& stage) : stage_(stage) {}

  void operator()() {
    const std::unique_lock<s4u::Mutex> lock(*stage_.calls.mutex);
    while (!stage_.playback.is_over()) {
      // Nothing else runs between the question and the wait.
      if (stage_.calls.sites.empty()) {
        stage_.calls.has_more->wait(lock);
      }
      std::swap(sites_, stage_.calls.sites);
      call_all(stage_.calls.to_start);
    }
    sites_.resize(stage_.machines.mailboxes.size());
    std::iota(sites_.begin(), sites_.end(), 0);
    call_all(stage_.calls.to_end);
  }

 private:
  void call_all(Call& call) {
    std::vector<s4u::CommPtr> under_way;
    for (const int32_t site : sites_) {
      s4u::Mailbox* const mailbox = stage_.machines.mailboxes[static_cast<size_t>(site)];
      under_way.push_back(mailbox->put_async(&call, 0));
    }
    s4u::Comm::wait_all(under_way);
    sites_.clear();
  }

  Stage& stage_;
  std::vector<int32_t> sites_;
};

/// An actor that reports the ends of moves on the links of racks.
class RacksActor {
 public:
  explicit RacksActor(Stage& stage) : stage_(stage) {}

  void operator()() {
    RackStage& racks = *stage_.racks;
    const std::unique_lock<s4u::Mutex> lock(*racks.mutex);
    while (!stage_.playback.is_over()) {
      // Nothing else runs between the question and the wait.
      if (const double next = racks.links.next_change(); std::isfinite(next)) {
        racks.has_more->wait_until(lock, next / stage_.machines.unit);
      } else {
        racks.has_more->wait(lock);
      }
      end_moves();
    }
  }

 private:
  void end_moves() {
    const double now = stage_.now();
    ended_.clear();
    stage_.racks->links.advance(now, ended_);
    for (const int64_t activity : ended_) {
      stage_.half_ended(activity);
    }
    stage_.call_others(kNoSite, called_);
  }

  static constexpr int32_t kNoSite = -1;

  Stage& stage_;
  std::vector<int64_t> ended_;
  std::vector<int32_t> called_;
};

void play(const Cluster& cluster, Playback& playback) {
  std::vector<std::string> words = {"tessera", "--log=root.thres:critical"};
#ifdef TESSERA_ADDRESS_SANITIZER
  // An address sanitizer knows only the stacks of threads, and warns of those that SimGrid makes.
  words.emplace_back("--cfg=contexts/factory:thread");
#endif
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  arguments.push_back(nullptr);
  auto num_arguments = static_cast<int>(words.size());
  s4u::Engine engine(&num_arguments, arguments.data());
  set_up();
  Stage stage{make_machines(cluster, seconds_of_clock(playback.total_seconds())), playback,
              std::nullopt, Calls()};
  s4u::Actor::create("calls", stage.machines.control, CallingActor(stage));
  for (int32_t site = 0; site < static_cast<int32_t>(cluster.sites.size()); ++site) {
    s4u::Actor::create("s" + std::to_string(site), stage.machines.control, SiteActor(stage, site));
  }
  if (cluster.has_racks()) {
    stage.racks.emplace(cluster);
    s4u::Actor::create("racks", stage.machines.control, RacksActor(stage));
  }
  engine.run();
}

}  // namespace

}  // namespace tessera::simulate

extern "C" void tessera_play(const tessera::simulate::Cluster& cluster,
                             tessera::simulate::Playback& playback) {
  try {
    tessera::simulate::play(cluster, playback);
  } catch (const std::exception& error) {
    playback.failed(error.what());
  }
}
