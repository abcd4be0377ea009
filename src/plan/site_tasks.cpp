#include "plan/site_tasks.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "plan/dependencies.h"
#include "plan/held_tensors.h"

namespace tessera::plan {

namespace {

/// A reader that takes the tasks of one site out of a plan.
class SiteReader {
 public:
  SiteReader(const TaskGraph& plan, SiteId site)
      : plan_(plan),
        site_(site),
        space_(plan.sites[site.index()].space),
        held_(tensors_held(plan)) {
    site_of_space_.resize(plan.spaces.size());
    for (size_t number = 0; number < plan.sites.size(); ++number) {
      site_of_space_[plan.sites[number].space.index()] = SiteId(static_cast<int64_t>(number));
    }
    tile_here_.resize(plan.tiles.size());
  }

  SiteTasks run() {
    TaskGraph& graph = result_.graph;
    graph.spaces = {plan_.spaces[space_.index()]};
    graph.is_reproducible = plan_.is_reproducible;
    graph.programs = plan_.programs;
    for (size_t number = 0; number < plan_.tasks.size(); ++number) {
      add(TaskId(static_cast<int64_t>(number)));
    }
    note_last_uses();
    add_tensors();
    return std::move(result_);
  }

 private:
  void add(TaskId id) {
    const TaskInfo& task = plan_.tasks[id.index()];
    if (task.kind == TaskKind::move) {
      add_half(id);
    } else if (task.site == site_) {
      append(id, task);
    }
  }

  /// Adds this site's half of a move, if it has one.
  void add_half(TaskId id) {
    const TaskInfo& move = plan_.tasks[id.index()];
    const SiteId from = site_of_space_[plan_.at(move.inputs[0].tile).space.index()];
    if (from != site_ && move.site != site_) {
      return;
    }
    TaskInfo half = move;
    if (from == site_) {
      half.kind = TaskKind::send;
      half.peer = move.site;
      half.outputs.clear();
    } else {
      half.kind = TaskKind::receive;
      half.peer = from;
      half.inputs.clear();
    }
    append(id, std::move(half));
    if (from != site_) {  // the source of its elements is not in this graph
      const TileId tile = move.outputs[0].tile;
      result_.graph.tiles[here(tile).index()].relation = held_[tile.index()];
    }
  }

  void append(TaskId id, TaskInfo task) {
    task.site = kFirstSite;
    for (std::vector<Argument>* arguments : {&task.inputs, &task.outputs}) {
      for (Argument& argument : *arguments) {
        argument.tile = here(argument.tile);
      }
    }
    result_.graph.tasks.push_back(std::move(task));
    result_.of_plan.push_back(id);
  }

  TileId here(TileId tile) {
    TileId& known = tile_here_[tile.index()];
    if (!known.valid()) {
      known = TileId(static_cast<int64_t>(result_.graph.tiles.size()));
      result_.tile_of_plan.push_back(tile);
      result_.graph.tiles.push_back(plan_.at(tile));
      result_.graph.tiles.back().space = kFirstSpace;
    }
    return known;
  }

  void note_last_uses() {
    TaskGraph& graph = result_.graph;
    const Incidence<TaskId, TileId> tiles = tiles_of(graph);
    for (size_t number = 0; number < graph.tasks.size(); ++number) {
      const TaskId id(static_cast<int64_t>(number));
      for (const TileId tile : tiles.of(id)) {
        graph.tiles[tile.index()].last_use = id;
      }
    }
  }

  void add_tensors() {
    TaskGraph& graph = result_.graph;
    std::set<std::string> read;
    std::set<std::string> written;
    for (const TaskInfo& task : graph.tasks) {
      if (task.kind == TaskKind::read_source || task.kind == TaskKind::gather_source) {
        read.insert(*task.name);
      } else if (task.kind == TaskKind::write_sink) {
        written.insert(*task.name);
      }
    }
    std::copy_if(plan_.sources.begin(), plan_.sources.end(), std::back_inserter(graph.sources),
                 [&](const SourceInfo& source) { return read.contains(source.name); });
    std::copy_if(plan_.sinks.begin(), plan_.sinks.end(), std::back_inserter(graph.sinks),
                 [&](const SinkInfo& sink) { return written.contains(sink.name); });
  }

  const TaskGraph& plan_;
  SiteId site_;
  SpaceId space_;
  std::vector<Shared<std::string>> held_;  // by tile of the plan
  std::vector<SiteId> site_of_space_;
  std::vector<TileId> tile_here_;  // by tile of the plan
  SiteTasks result_;
};

}  // namespace

bool is_half_of_move(const TaskInfo& task) {
  return task.kind == TaskKind::send || task.kind == TaskKind::receive;
}

SiteTasks tasks_of_site(const TaskGraph& plan, SiteId site) {
  return SiteReader(plan, site).run();
}

}  // namespace tessera::plan
