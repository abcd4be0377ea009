#include "plan/paging.h"

#include "base/error.h"
#include "plan/residency.h"

namespace tessera::plan {

namespace {

/// Returns the bytes that a spill of the tile is expected to write. The decision to spill it
/// depends on its reservation, which is the most that it can take (residency.h).
int64_t expected_bytes_of(const TaskGraph& graph, TileId tile) {
  return bytes_of(graph.at(tile).type).expected;
}

}  // namespace

Paging forecast_paging(const TaskGraph& graph, const Budgets& budgets) {
  Residency residency(graph, budgets);
  Paging paging;
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const TaskId task(static_cast<int64_t>(number));
    Residency::Room room = residency.room_for(residency.bytes_to_start(task), task);
    for (; !room.ready; room = residency.room_for(residency.bytes_to_start(task), task)) {
      TESSERA_CHECK(room.to_spill.has_value(), "task {} does not fit its budgets", number);
      residency.begin_spill(*room.to_spill);
      residency.end_spill(*room.to_spill);
      paging.spilled_bytes += expected_bytes_of(graph, *room.to_spill);
      ++paging.num_spills;
    }
    for (const TileId tile : room.dropped) {
      residency.drop(tile);
    }
    for (const TileId tile : residency.start(task).loaded) {
      residency.end_load(tile);
      paging.loaded_bytes += expected_bytes_of(graph, tile);
      ++paging.num_loads;
    }
    residency.finish(task);
  }
  return paging;
}

}  // namespace tessera::plan
