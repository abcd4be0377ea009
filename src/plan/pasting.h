#pragma once

#include <map>
#include <vector>

#include "ir/ia/graph.h"
#include "plan/lineage.h"
#include "plan/task_builder.h"

namespace tessera::plan {

/// Tuples by the key of the tuple that they become part of.
using TupleGroups = std::map<Key, std::vector<std::vector<View>>>;

/// Adds the copies that put tuples side by side in larger tiles, or in windows; none if a tuple is
/// the whole of one. Errors: `user` for a tile that lacks a piece.
Lineage add_pastes(TaskBuilder& tasks, const ia::Node& node, const TupleGroups& groups);

}  // namespace tessera::plan
