#include "plan/pasting.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/error.h"
#include "ir/tra/keys.h"

namespace tessera::plan {

namespace {

bool is_whole(const TaskBuilder& tasks, const std::vector<View>& tuple,
              const tra::RelationType& type, const Key& key) {
  for (size_t column = 0; column < tuple.size(); ++column) {
    if (box_of(type.columns[column], type.key, key).extent !=
        tasks.graph().box_of(tuple[column]).extent) {
      return false;
    }
  }
  return true;
}

/// Returns the smallest box that contains both.
Box hull(const Box& a, const Box& b) {
  Box both = a;
  for (size_t mode = 0; mode < a.origin.size(); ++mode) {
    const int64_t end = std::max(a.origin[mode] + a.extent[mode], b.origin[mode] + b.extent[mode]);
    both.origin[mode] = std::min(a.origin[mode], b.origin[mode]);
    both.extent[mode] = end - both.origin[mode];
  }
  return both;
}

/// Joins views of one tile; nothing if they do not make up a box, or place it differently.
std::optional<View> joined(const TaskGraph& graph, const std::vector<View>& views) {
  Box box = graph.box_of(views.front());
  Box seen = {graph.origin_of(views.front()), box.extent};
  int64_t elements = 0;
  for (const View& view : views) {
    const Box& own = graph.box_of(view);
    elements += num_elements(own.extent);
    box = hull(box, own);
    seen = hull(seen, {graph.origin_of(view), own.extent});
  }
  const bool is_one = elements == num_elements(box.extent) && seen.extent == box.extent;
  return is_one ? std::optional(graph.part_of_tile(views.front().tile, {box, seen.origin}))
                : std::nullopt;
}

/// Returns an array of some tuples, with neighbours in one tile joined: a tensor that was cut at
/// the ends of all windows is copied in as few parts as this window needs.
std::vector<View> in_few_parts(const TaskGraph& graph, const std::vector<std::vector<View>>& tuples,
                               size_t column) {
  std::map<TileId, std::vector<View>> by_tile;
  for (const std::vector<View>& tuple : tuples) {
    by_tile[tuple[column].tile].push_back(tuple[column]);
  }
  std::vector<View> parts;
  for (const auto& [tile, views] : by_tile) {
    if (const std::optional<View> one = joined(graph, views)) {
      parts.push_back(*one);
    } else {
      parts.insert(parts.end(), views.begin(), views.end());
    }
  }
  return parts;
}

void paste_into(TaskBuilder& tasks, const ia::Node& node, const View& tile, size_t column,
                const std::vector<std::vector<View>>& tuples, const Key& key) {
  int64_t pasted = 0;
  for (const View& part : in_few_parts(tasks.graph(), tuples, column)) {
    const Shape& extent = tasks.graph().box_of(part).extent;
    const std::vector<int64_t>& origin = tasks.graph().origin_of(part);
    pasted += num_elements(extent);
    tasks.add_copy(part, tasks.graph().part_of_tile(tile.tile, {{origin, extent}, origin}));
  }
  TESSERA_USER_CHECK(pasted == num_elements(tasks.graph().box_of(tile).extent),
                     "tile {}{}{} has a hole: pieces of it are absent, as a filter or an input "
                     "leaves them out",
                     node.origin.statement, node.origin.statement.empty() ? "" : " ",
                     tra::to_string(key, node.type.key));
}

}  // namespace

Lineage add_pastes(TaskBuilder& tasks, const ia::Node& node, const TupleGroups& groups) {
  Lineage lineage;
  for (const auto& [key, tuples] : groups) {
    if (tuples.size() == 1 && is_whole(tasks, tuples.front(), node.type, key)) {
      lineage.tuples.emplace(key, tuples.front());
      continue;
    }
    const std::vector<View> result = tasks.new_tuple(node.type, key);
    for (size_t column = 0; column < result.size(); ++column) {
      paste_into(tasks, node, result[column], column, tuples, key);
    }
    lineage.tuples.emplace(key, result);
  }
  return lineage;
}

}  // namespace tessera::plan
