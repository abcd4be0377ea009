#include "simulate/player.h"

#include <algorithm>

#include "base/error.h"
#include "simulate/bounds.h"

namespace tessera::simulate {

namespace {

bool is_delayed(const ActivityInfo& move) {
  return move.delay_seconds > 0;
}

/// Returns the steps of an activity, its paging first; none if it takes no time.
Start start_of(int64_t activity, const ActivityInfo& info, double paged, const Cluster& cluster) {
  Start start;
  start.activity = activity;
  start.site = info.kind == ActivityKind::move ? info.from : info.site;
  start.to = info.site;
  const auto add = [&](Resource resource, int32_t site, double amount) {
    if (amount > 0) {
      start.steps[static_cast<size_t>(start.num_steps++)] = {resource, site, amount};
    }
  };
  const auto add_beside = [&](int32_t site, double seconds) {
    if (seconds > 0) {
      start.beside[static_cast<size_t>(start.num_beside++)] = {Resource::core, site, seconds};
    }
  };
  add(Resource::disk_write, info.site, paged);
  add(Resource::disk_read, info.site, paged);
  switch (info.kind) {
    case ActivityKind::compute:
      add(Resource::core, info.site, info.core_seconds);
      break;
    case ActivityKind::move:
      add(is_delayed(info) ? Resource::delay : Resource::link, info.from,
          is_delayed(info) ? info.delay_seconds : info.bytes);
      add_beside(info.from, sending_core_seconds(info, cluster));
      add_beside(info.site, core_seconds_of(info, cluster));
      break;
    case ActivityKind::read:
      add(Resource::core, info.site, core_seconds_of(info, cluster));
      add(Resource::disk_read, info.site, cluster.has_inputs_in_memory ? 0 : info.bytes);
      break;
    case ActivityKind::write:
      add(Resource::core, info.site, core_seconds_of(info, cluster));
      add(Resource::disk_write, info.site, cluster.has_results_in_memory ? 0 : info.bytes);
      break;
    case ActivityKind::barrier:
      break;
  }
  return start;
}

/// True if it has a core of its site to itself while it runs.
bool takes_a_core(const ActivityInfo& info) {
  return info.kind != ActivityKind::move && info.kind != ActivityKind::barrier;
}

bool uses_links(const ActivityInfo& info) {
  return info.kind == ActivityKind::move && !is_delayed(info) && info.bytes > 0;
}

}  // namespace

Player::Player(const Workload& workload, const Cluster& cluster)
    : workload_(workload),
      cluster_(cluster),
      dependents_(workload.dependencies.reversed(workload.activities.size())),
      has_started_(workload.activities.size(), false),
      num_touches_(workload.tiles.size(), 0),
      num_uses_(workload.tiles.size(), 0),
      is_held_(workload.tiles.size(), false),
      sites_(cluster.sites.size()),
      periods_(workload.activities.size()),
      peak_bytes_(cluster.sites.size(), 0),
      paged_bytes_(cluster.sites.size(), 0) {
  TESSERA_CHECK(workload.num_sites <= cluster.num_sites(), "{} sites on a cluster of {}",
                workload.num_sites, cluster.num_sites());
  for (size_t number = 0; number < sites_.size(); ++number) {
    sites_[number].free_cores = cluster.sites[number].cores;
    sites_[number].free_sends = cluster.network.moves_at_once;
    sites_[number].free_receives = cluster.network.moves_at_once;
  }
  for (size_t activity = 0; activity < workload.activities.size(); ++activity) {
    const ActivityId id(static_cast<int64_t>(activity));
    total_seconds_ += seconds_alone(workload.at(id), cluster);
    num_waits_.push_back(static_cast<int64_t>(workload.dependencies.of(id).size()));
    for (const HeldTileId tile : workload.touched.of(id)) {
      ++num_touches_[tile.index()];
    }
    site(workload.at(id).site).all.push_back(id.value);
    if (takes_a_core(workload.at(id))) {
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

/// Queues a ready activity. Cores are given out later: among activities that become ready at one
/// moment the earliest goes first.
void Player::become_ready(int64_t activity) {
  const ActivityInfo& ready = info(activity);
  if (ready.kind == ActivityKind::read) {
    site(ready.site).ready_reads.insert(activity);
  } else if (takes_a_core(ready)) {
    site(ready.site).ready.insert(activity);
  } else if (!uses_links(ready)) {
    start(activity);
  } else if (!start_move(activity)) {
    site(ready.from).ready_out.insert(activity);
    site(ready.site).ready_in.insert(activity);
  }
}

/// Returns the next activity for a core of a site; nothing if all ready ones must wait.
std::optional<int64_t> Player::next_on_cores(int32_t number) {
  const Site& here = site(number);
  std::optional<int64_t> next;
  if (!here.ready.empty()) {
    next = *here.ready.begin();
  }
  if (!here.ready_reads.empty()) {
    const int64_t read = *here.ready_reads.begin();
    if ((!next || read < *next) && has_room(read)) {
      next = read;
    }
  }
  if (next && workload_.keeps_order && here.order[here.next_in_order] != *next) {
    return std::nullopt;
  }
  return next;
}

void Player::start_on_cores(int32_t number) {
  Site& here = site(number);
  while (here.free_cores > 0) {
    const std::optional<int64_t> activity = next_on_cores(number);
    if (!activity) {
      return;
    }
    ++here.next_in_order;
    here.ready.erase(*activity);
    here.ready_reads.erase(*activity);
    --here.free_cores;
    start(*activity);
  }
}

/// Returns the bytes that it adds to its site.
int64_t Player::bytes_brought(int64_t activity) const {
  int64_t bytes = 0;
  for (const HeldTileId tile : workload_.touched.of(ActivityId(activity))) {
    bytes += is_held_[tile.index()] ? 0 : workload_.tiles[tile.index()].bytes;
  }
  return bytes;
}

/// True if the bytes it brings fit into the memory of its site. For the earliest there that has not
/// started, all unused tiles can be paged; and if nothing else goes on, nothing else makes room.
bool Player::has_room(int64_t activity) {
  const int32_t number = info(activity).site;
  const ClusterSite& described = cluster_.sites[static_cast<size_t>(number)];
  const int64_t brought = bytes_brought(activity);
  Site& here = site(number);
  if (here.held_bytes + brought <= described.memory_bytes) {
    return true;
  }
  while (has_started_[static_cast<size_t>(here.all[here.num_started])]) {
    ++here.num_started;  // the asking one has not started, so the loop ends
  }
  if (here.all[here.num_started] == activity &&
      here.used_bytes + brought <= described.memory_bytes) {
    return true;
  }
  return here.ready.empty() && here.free_cores == described.cores &&
         here.free_receives == cluster_.network.moves_at_once &&
         here.free_sends == cluster_.network.moves_at_once;
}

bool Player::can_move(int64_t activity) {
  const ActivityInfo& move = info(activity);
  return site(move.from).free_sends > 0 && site(move.site).free_receives > 0 && has_room(activity);
}

bool Player::start_move(int64_t activity) {
  if (!can_move(activity)) {
    return false;
  }
  const ActivityInfo& move = info(activity);
  --site(move.from).free_sends;
  --site(move.site).free_receives;
  site(move.from).ready_out.erase(activity);
  site(move.site).ready_in.erase(activity);
  start(activity);
  return true;
}

/// Starts moves, the earliest first. One that waits for memory holds back the later ones.
void Player::start_moves_into(int32_t number) {
  const Site& here = site(number);
  for (auto next = here.ready_in.begin(); next != here.ready_in.end() && here.free_receives > 0;) {
    const int64_t activity = *next;
    ++next;  // a starting move is removed
    if (site(info(activity).from).free_sends > 0 && !start_move(activity)) {
      return;
    }
  }
}

void Player::start_moves_from(int32_t number) {
  const Site& here = site(number);
  for (auto next = here.ready_out.begin(); next != here.ready_out.end() && here.free_sends > 0;) {
    const int64_t activity = *next;
    ++next;
    start_move(activity);
  }
}

void Player::start(int64_t activity) {
  const ActivityInfo& starting = info(activity);
  has_started_[static_cast<size_t>(activity)] = true;
  periods_[static_cast<size_t>(activity)].start = now_;
  const int64_t paged = hold_tiles(activity);
  paged_bytes_[static_cast<size_t>(starting.site)] += paged;
  const Start what = start_of(activity, starting, static_cast<double>(paged), cluster_);
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
  if (uses_links(done)) {
    ++site(done.from).free_sends;
    ++site(done.site).free_receives;
  } else if (takes_a_core(done)) {
    ++site(done.site).free_cores;
  }
  for (const ActivityId next : dependents_.of(ActivityId(activity))) {
    if (--num_waits_[next.index()] == 0) {
      become_ready(next.value);
    }
  }
  for (const ActivityId next : dependents_.of(ActivityId(activity))) {
    start_on_cores(info(next.value).site);
  }
  // Cores, links and memory became free at these.
  for (const int32_t number : {done.site, done.from}) {
    start_on_cores(number);
    start_moves_into(number);
  }
  start_moves_from(done.from);
}

void Player::hold(int32_t number, int64_t bytes) {
  Site& here = site(number);
  here.held_bytes += bytes;
  int64_t& peak = peak_bytes_[static_cast<size_t>(number)];
  peak = std::max(peak, here.held_bytes);
}

/// Holds the tiles of an activity. Returns the bytes beyond the memory of its site.
int64_t Player::hold_tiles(int64_t activity) {
  const auto number = static_cast<size_t>(info(activity).site);
  const auto excess = [&] {
    return std::max<int64_t>(0, sites_[number].held_bytes - cluster_.sites[number].memory_bytes);
  };
  const int64_t before = excess();
  for (const HeldTileId id : workload_.touched.of(ActivityId(activity))) {
    const HeldTile& tile = workload_.tiles[id.index()];
    if (!is_held_[id.index()]) {
      is_held_[id.index()] = true;
      hold(tile.site, tile.bytes);
    }
    if (++num_uses_[id.index()] == 1) {
      site(tile.site).used_bytes += tile.bytes;
    }
  }
  site(info(activity).site).used_bytes += info(activity).workspace_bytes;
  hold(info(activity).site, info(activity).workspace_bytes);
  return excess() - before;
}

void Player::let_tiles_go(int64_t activity) {
  hold(info(activity).site, -info(activity).workspace_bytes);
  site(info(activity).site).used_bytes -= info(activity).workspace_bytes;
  for (const HeldTileId id : workload_.touched.of(ActivityId(activity))) {
    const HeldTile& tile = workload_.tiles[id.index()];
    if (--num_uses_[id.index()] == 0) {
      site(tile.site).used_bytes -= tile.bytes;
    }
    if (--num_touches_[id.index()] == 0) {
      hold(tile.site, -tile.bytes);
    }
  }
}

}  // namespace tessera::simulate
