#include "plan/views.h"

#include <utility>

namespace tessera::plan {

std::vector<View> rebased(const TaskGraph& graph, std::vector<View> columns,
                          const tra::RelationType& type, const Key& key) {
  for (size_t column = 0; column < columns.size(); ++column) {
    View& view = columns[column];
    view = graph.part_of_tile(
        view.tile, {graph.box_of(view), box_of(type.columns[column], type.key, key).origin});
  }
  return columns;
}

View narrowed(const TaskGraph& graph, const View& view, const Box& box) {
  Part part{{graph.box_of(view).origin, box.extent}, box.origin};
  for (size_t mode = 0; mode < box.origin.size(); ++mode) {
    part.box.origin[mode] += box.origin[mode] - graph.origin_of(view)[mode];
  }
  return graph.part_of_tile(view.tile, std::move(part));
}

}  // namespace tessera::plan
