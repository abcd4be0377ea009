#include "plan/moves.h"

namespace tessera::plan {

double moved_bytes(const TaskGraph& graph) {
  double bytes = 0;
  for (const TaskInfo& task : graph.tasks) {
    bytes += task.kind == TaskKind::move ? task.bytes : 0;
  }
  return bytes;
}

}  // namespace tessera::plan
