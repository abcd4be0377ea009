#include "simulate/player.h"

#include <algorithm>

#include "base/error.h"

namespace tessera::simulate {

namespace {

bool is_delayed(const ActivityInfo& move) {
  return move.delay_seconds > 0;
}

/// What an activity asks for; nothing where it takes no time.
Start start_of(int64_t activity, const ActivityInfo& info, const Cluster& cluster) {
  Start start{activity, info.kind == ActivityKind::move ? info.from : info.site, info.site, 0, {}};
  const auto add = [&](Resource resource, double amount) {
    if (amount > 0) {
      start.steps[static_cast<size_t>(start.num_steps++)] = {resource, amount};
    }
  };
  const bool has_disk = !cluster.has_files_in_memory;
  switch (info.kind) {
    case ActivityKind::compute:
      add(Resource::core, info.core_seconds);
      break;
    case ActivityKind::move:
      add(is_delayed(info) ? Resource::delay : Resource::link,
          is_delayed(info) ? info.delay_seconds : info.bytes);
      break;
    case ActivityKind::read:
      add(Resource::core, has_disk ? info.core_seconds : 0);
      add(Resource::disk_read, has_disk ? info.bytes : 0);
      break;
    case ActivityKind::write:
      add(Resource::core, has_disk ? info.core_seconds : 0);
      add(Resource::disk_write, has_disk ? info.bytes : 0);
      break;
  }
  return start;
}

}  // namespace

Player::Player(const Workload& workload, const Cluster& cluster)
    : workload_(workload),
      cluster_(cluster),
      dependents_(workload.dependencies.reversed(workload.activities.size())),
      num_touches_(workload.tiles.size(), 0),
      is_held_(workload.tiles.size(), false),
      sites_(static_cast<size_t>(workload.num_sites)),
      periods_(workload.activities.size()),
      peak_bytes_(static_cast<size_t>(workload.num_sites), 0) {
  TESSERA_CHECK(workload.num_sites <= cluster.num_sites(), "{} sites on a cluster of {}",
                workload.num_sites, cluster.num_sites());
  for (size_t number = 0; number < sites_.size(); ++number) {
    sites_[number].free_cores = cluster.sites[number].cores;
    sites_[number].free_sends = cluster.network.moves_at_once;
    sites_[number].free_receives = cluster.network.moves_at_once;
  }
  for (size_t activity = 0; activity < workload.activities.size(); ++activity) {
    const ActivityId id(static_cast<int64_t>(activity));
    num_waits_.push_back(static_cast<int64_t>(workload.dependencies.of(id).size()));
    for (const HeldTileId tile : workload.touched.of(id)) {
      ++num_touches_[tile.index()];
    }
    if (workload.at(id).kind != ActivityKind::move) {
      site(workload.at(id).site).order.push_back(id.value);
    }
  }
  for (size_t activity = 0; activity < num_waits_.size(); ++activity) {
    if (num_waits_[activity] == 0) {
      become_ready(static_cast<int64_t>(activity));
    }
  }
  for (size_t number = 0; number < sites_.size(); ++number) {
    start_on_cores(static_cast<int32_t>(number));
  }
  while (!instant_.empty()) {
    const int64_t activity = instant_.back();
    instant_.pop_back();
    finish(activity);
  }
}

void Player::take_starts(int32_t number, std::vector<Start>& starts) {
  starts.clear();
  starts.swap(site(number).starts);
}

void Player::take_called(std::vector<int32_t>& sites) {
  sites.clear();
  sites.swap(called_);
  for (const int32_t number : sites) {
    site(number).is_called = false;
  }
}

void Player::ended(int64_t activity, double now) {
  now_ = now;
  finish(activity);
  while (!instant_.empty()) {
    const int64_t next = instant_.back();
    instant_.pop_back();
    finish(next);
  }
}

std::string Player::fault() const {
  if (!fault_.empty() || is_over()) {
    return fault_;
  }
  return fmt::format("{} of {} activities ended, and nothing goes on", num_ended_,
                     workload_.activities.size());
}

/// Puts an activity where what starts it looks. Cores are not given out yet: at one moment the
/// earliest of all that become ready goes first.
void Player::become_ready(int64_t activity) {
  const ActivityInfo& ready = info(activity);
  if (ready.kind != ActivityKind::move) {
    site(ready.site).ready.insert(activity);
    return;
  }
  if (is_delayed(ready) || ready.bytes <= 0) {
    start(activity);
  } else if (can_move(ready)) {
    start_move(activity);
  } else {
    site(ready.from).ready_out.insert(activity);
    site(ready.site).ready_in.insert(activity);
  }
}

void Player::start_on_cores(int32_t number) {
  Site& here = site(number);
  while (here.free_cores > 0 && !here.ready.empty()) {
    const int64_t activity = *here.ready.begin();
    if (workload_.keeps_order && here.order[here.next_in_order] != activity) {
      return;
    }
    ++here.next_in_order;
    here.ready.erase(here.ready.begin());
    --here.free_cores;
    start(activity);
  }
}

bool Player::can_move(const ActivityInfo& move) {
  return site(move.from).free_sends > 0 && site(move.site).free_receives > 0;
}

bool Player::start_move(int64_t activity) {
  const ActivityInfo& move = info(activity);
  if (!can_move(move)) {
    return false;
  }
  --site(move.from).free_sends;
  --site(move.site).free_receives;
  site(move.from).ready_out.erase(activity);
  site(move.site).ready_in.erase(activity);
  start(activity);
  return true;
}

void Player::start_one_move_of(std::set<int64_t>& moves) {
  for (const int64_t activity : moves) {
    if (start_move(activity)) {
      return;  // the set is another one
    }
  }
}

void Player::start(int64_t activity) {
  const ActivityInfo& starting = info(activity);
  periods_[static_cast<size_t>(activity)].start = now_;
  hold_tiles(activity);
  const Start what = start_of(activity, starting, cluster_);
  if (what.num_steps == 0) {
    instant_.push_back(activity);
    return;
  }
  Site& runner = site(what.site);
  runner.starts.push_back(what);
  if (!runner.is_called) {
    runner.is_called = true;
    called_.push_back(what.site);
  }
}

void Player::finish(int64_t activity) {
  const ActivityInfo& done = info(activity);
  periods_[static_cast<size_t>(activity)].end = now_;
  ++num_ended_;
  let_tiles_go(activity);
  const bool was_sent = done.kind == ActivityKind::move && !is_delayed(done) && done.bytes > 0;
  if (was_sent) {
    ++site(done.from).free_sends;
    ++site(done.site).free_receives;
  } else if (done.kind != ActivityKind::move) {
    ++site(done.site).free_cores;
  }
  for (const ActivityId next : dependents_.of(ActivityId(activity))) {
    if (--num_waits_[next.index()] == 0) {
      become_ready(next.value);
    }
  }
  if (was_sent) {
    start_one_move_of(site(done.site).ready_in);
    start_one_move_of(site(done.from).ready_out);
  }
  for (const ActivityId next : dependents_.of(ActivityId(activity))) {
    start_on_cores(info(next.value).site);
  }
  start_on_cores(done.site);
}

void Player::hold(int32_t number, int64_t bytes) {
  Site& here = site(number);
  here.held_bytes += bytes;
  int64_t& peak = peak_bytes_[static_cast<size_t>(number)];
  peak = std::max(peak, here.held_bytes);
}

void Player::hold_tiles(int64_t activity) {
  for (const HeldTileId tile : workload_.touched.of(ActivityId(activity))) {
    if (!is_held_[tile.index()]) {
      is_held_[tile.index()] = true;
      hold(workload_.tiles[tile.index()].site, workload_.tiles[tile.index()].bytes);
    }
  }
  hold(info(activity).site, info(activity).workspace_bytes);
}

void Player::let_tiles_go(int64_t activity) {
  hold(info(activity).site, -info(activity).workspace_bytes);
  for (const HeldTileId tile : workload_.touched.of(ActivityId(activity))) {
    if (--num_touches_[tile.index()] == 0) {
      hold(workload_.tiles[tile.index()].site, -workload_.tiles[tile.index()].bytes);
    }
  }
}

}  // namespace tessera::simulate
