#include "plan/residency.h"

#include <algorithm>

#include "plan/dependencies.h"

namespace tessera::plan {

Residency::Residency(const TaskGraph& graph, const Budgets& budgets)
    : graph_(graph),
      spaces_(graph.spaces.size()),
      tiles_of_(plan::tiles_of(graph)),
      uses_of_(tiles_of_.reversed(graph.tiles.size())),
      started_(graph.tasks.size(), false),
      tiles_(graph.tiles.size()) {
  for (size_t space = 0; space < spaces_.size(); ++space) {
    spaces_[space].budget = budgets.of(SpaceId(static_cast<int64_t>(space)));
  }
  for (size_t tile = 0; tile < tiles_.size(); ++tile) {
    tiles_[tile].bytes = charged_bytes(graph.tiles[tile]).at_most;
    tiles_[tile].uses_left = uses_of_.of(TileId(static_cast<int64_t>(tile))).size();
  }
}

bool Residency::waits_for_move(TaskId task) const {
  const std::span<const TileId> tiles = tiles_of(task);
  return std::any_of(tiles.begin(), tiles.end(), [&](TileId tile) { return is_moving(tile); });
}

SpaceBytes Residency::bytes_to_start(TaskId task) const {
  const TaskInfo& info = graph_.tasks[task.index()];
  SpaceBytes bytes(graph_.space_of(info), charged_workspace(info));
  for (const TileId tile : tiles_of(task)) {
    if (!is_in_memory(tile)) {
      bytes.add(space_of(tile), tiles_[tile.index()].bytes);
    }
  }
  return bytes;
}

Residency::Room Residency::room_for(const SpaceBytes& bytes, TaskId after) const {
  Room room{true, {}, {}};
  for (const auto& [space, needed] : bytes.entries()) {
    Room found = room_in(at(space), needed, after);
    if (!found.ready) {
      return found;
    }
    room.dropped.insert(room.dropped.end(), found.dropped.begin(), found.dropped.end());
  }
  return room;
}

Residency::Room Residency::room_in(const SpaceState& space, int64_t bytes, TaskId after) const {
  Room room;
  const int64_t missing = bytes - (space.budget - space.in_use);
  int64_t dropped = 0;
  int64_t gained = space.leaving;
  NextUse nearest;  // of the dropped tiles
  for (auto victim = space.victims.rbegin(); victim != space.victims.rend(); ++victim) {
    if (gained >= missing || victim->first <= after) {
      break;
    }
    const TileState& tile = tiles_[victim->second.index()];
    nearest = *victim;
    gained += tile.bytes;
    if (tile.has_copy) {
      dropped += tile.bytes;
      room.dropped.push_back(victim->second);
    } else if (!room.to_spill) {
      room.to_spill = victim->second;
    }
  }
  room.ready = dropped >= missing;
  if (!room.ready && gained >= missing && room.to_spill) {
    return room_without_spill(space, missing - dropped, std::move(room), after, nearest);
  }
  if (!room.ready) {
    room.dropped.clear();
  }
  room.to_spill.reset();  // not needed, or no use: others have to end first
  return room;
}

/// Makes room if `room` would spill a tile for the missing bytes. Drops prefetched tiles first,
/// nearer ones than those in `room`, and waits for bytes that are about to be freed.
Residency::Room Residency::room_without_spill(const SpaceState& space, int64_t missing, Room room,
                                              TaskId after, NextUse nearest) const {
  int64_t soon = space.leaving + space.ending;
  for (auto ahead = space.ahead.rbegin(); ahead != space.ahead.rend() && missing > 0; ++ahead) {
    const TileState& tile = tiles_[ahead->second.index()];
    if (ahead->first <= after) {
      break;
    }
    if (tile.pins > 0 || tile.moving) {
      soon += tile.bytes;
    } else if (*ahead < nearest) {
      missing -= tile.bytes;
      room.dropped.push_back(ahead->second);
    }
  }
  room.ready = missing <= 0;
  if (room.ready || missing <= soon) {
    room.to_spill.reset();
  }
  if (!room.ready) {
    room.dropped.clear();
  }
  return room;
}

void Residency::note_ahead(TileId tile, bool makes_way) {
  TileState& state = tiles_[tile.index()];
  const bool is_used_again = state.pins < static_cast<int64_t>(state.uses_left);
  if (!state.ahead && is_used_again) {
    state.ahead = true;
    space_with(tile).bytes_ahead += state.bytes;
    if (makes_way) {
      space_with(tile).ahead.emplace(next_use_of(tile), tile);
    }
  }
}

void Residency::note_in_turn(TileId tile) {
  TileState& state = tiles_[tile.index()];
  if (state.ahead) {
    state.ahead = false;
    space_with(tile).bytes_ahead -= state.bytes;
    space_with(tile).ahead.erase(noted_use_of(tile));
  }
}

void Residency::drop(TileId tile) {
  remove_victim(tile);
  leave_memory(tile);
  ++num_paged_out_;
}

void Residency::begin_spill(TileId tile) {
  TileState& state = tiles_[tile.index()];
  remove_victim(tile);
  state.moving = true;
  space_with(tile).leaving += state.bytes;
}

void Residency::end_spill(TileId tile) {
  TileState& state = tiles_[tile.index()];
  state.moving = false;
  state.has_copy = true;
  space_with(tile).leaving -= state.bytes;
  leave_memory(tile);
  ++num_paged_out_;
}

void Residency::begin_load(TileId tile) {
  tiles_[tile.index()].moving = true;
  enter_memory(tile);
  --num_paged_out_;
}

void Residency::end_load(TileId tile) {
  TileState& state = tiles_[tile.index()];
  state.moving = false;
  if (state.pins == 0) {
    add_victim(tile);
  }
}

Residency::Start Residency::start(TaskId task) {
  started_[task.index()] = true;
  const TaskInfo& info = graph_.tasks[task.index()];
  space_with(info).in_use += charged_workspace(info);
  space_with(info).ending += charged_workspace(info);
  Start result;
  for (const TileId tile : tiles_of(task)) {
    note_in_turn(tile);
    TileState& state = tiles_[tile.index()];
    if (!state.in_memory && state.has_copy) {
      begin_load(tile);
      result.loaded.push_back(tile);
    } else if (!state.in_memory) {
      enter_memory(tile);
      result.fresh.push_back(tile);
    } else if (state.pins == 0) {
      remove_victim(tile);
    }
    if (++state.pins == static_cast<int64_t>(state.uses_left)) {
      space_with(tile).ending += state.bytes;
    }
  }
  return result;
}

std::vector<TileId> Residency::finish(TaskId task) {
  const TaskInfo& info = graph_.tasks[task.index()];
  space_with(info).in_use -= charged_workspace(info);
  space_with(info).ending -= charged_workspace(info);
  note_writes(info);
  std::vector<TileId> dead;
  for (const TileId tile : tiles_of(task)) {
    TileState& state = tiles_[tile.index()];
    --state.pins;
    if (--state.uses_left == 0) {
      space_with(tile).ending -= state.bytes;
      leave_memory(tile);
      dead.push_back(tile);
    } else if (state.pins == 0) {
      add_victim(tile);
    }
  }
  return dead;
}

/// Notes writes: a written tile differs from its copy, while a tile read from a source is its own
/// copy.
void Residency::note_writes(const TaskInfo& task) {
  for (const Argument& output : task.outputs) {
    tiles_[output.tile.index()].has_copy = task.kind == TaskKind::read_source;
  }
}

/// Returns the next use of a tile. REQUIRES a use that has not started. All later ones have not
/// started either, except perhaps in a parallel run.
TaskId Residency::next_use_of(TileId tile) {
  const std::span<const TaskId> uses = uses_of_.of(tile);
  size_t& next = tiles_[tile.index()].next_use;
  while (started_[uses[next].index()]) {
    ++next;
  }
  return uses[next];
}

void Residency::add_victim(TileId tile) {
  space_with(tile).victims.emplace(next_use_of(tile), tile);
}

void Residency::remove_victim(TileId tile) {
  // The tile's next use is still the one of add_victim: only the start of a use advances it, and
  // that removes the tile.
  space_with(tile).victims.erase(noted_use_of(tile));
}

/// Returns its next use as next_use_of found it last.
Residency::NextUse Residency::noted_use_of(TileId tile) const {
  return {uses_of_.of(tile)[tiles_[tile.index()].next_use], tile};
}

void Residency::enter_memory(TileId tile) {
  tiles_[tile.index()].in_memory = true;
  space_with(tile).in_use += bytes_of(tile);
}

void Residency::leave_memory(TileId tile) {
  note_in_turn(tile);
  tiles_[tile.index()].in_memory = false;
  space_with(tile).in_use -= bytes_of(tile);
}

}  // namespace tessera::plan
