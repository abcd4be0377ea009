#include "plan/in_place.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "plan/dependencies.h"

namespace tessera::plan {

namespace {

/// True if a statement reads an operand only at the labels of its result.
bool reads_where_it_writes(const expr::TileStatement& statement, size_t operand) {
  std::vector<expr::Index> written;
  for (const expr::LabelNumber label : statement.out) {
    written.push_back(expr::plain(label));
  }
  bool is_read_elsewhere = false;
  expr::for_each_access(statement, [&](const expr::Access& access, DType) {
    is_read_elsewhere = is_read_elsewhere ||
                        (static_cast<size_t>(access.operand) == operand && access.index != written);
  });
  return !is_read_elsewhere;
}

bool reads(const expr::TileStatement& statement, size_t operand) {
  bool is_read = false;
  expr::for_each_access(statement, [&](const expr::Access& access, DType) {
    is_read = is_read || static_cast<size_t>(access.operand) == operand;
  });
  return is_read;
}

/// A search for the results that lie on tiles that their tasks have read.
class InPlace {
 public:
  explicit InPlace(TaskGraph graph)
      : graph_(std::move(graph)),
        uses_(tiles_of(graph_).reversed(graph_.tiles.size())),
        place_(graph_.tiles.size()) {
    for (size_t tile = 0; tile < place_.size(); ++tile) {
      place_[tile] = TileId(static_cast<int64_t>(tile));
    }
  }

  TaskGraph run() && {
    for (size_t number = 0; number < graph_.tasks.size(); ++number) {
      if (const std::optional<TileId> read = overwritten_by(number)) {
        place_[graph_.tasks[number].outputs.front().tile.index()] = place_[read->index()];
      }
    }
    for (TaskInfo& task : graph_.tasks) {
      for (std::vector<Argument>* arguments : {&task.inputs, &task.outputs}) {
        for (Argument& argument : *arguments) {
          argument.tile = place_[argument.tile.index()];
        }
      }
    }
    return std::move(graph_);
  }

 private:
  /// Returns the tile that a task's result overwrites; none if the task merges into others'
  /// results.
  std::optional<TileId> overwritten_by(size_t number) const {
    const TaskInfo& task = graph_.tasks[number];
    if (task.kind != TaskKind::compute || task.outputs.size() != 1 || task.shape.accumulate ||
        uses_.of(task.outputs.front().tile).front().index() != number) {
      return std::nullopt;
    }
    for (const Argument& input : task.inputs) {
      if (fits(input, task.outputs.front()) && is_free_behind(number, input.tile) &&
          may_lie_on(task, input.tile)) {
        return input.tile;
      }
    }
    return std::nullopt;
  }

  const expr::TileProgram& program_of(const TaskInfo& task) const {
    return graph_.programs[task.program.index()].program;
  }

  bool fits(const Argument& input, const Argument& output) const {
    const TileInfo& from = graph_.at(input.tile);
    const TileInfo& to = graph_.at(output.tile);
    return input.part == nullptr && output.part == nullptr && from.type == to.type &&
           from.space == to.space;
  }

  /// True if a tile was made by tasks, and its last reader's statement is the only one that reads
  /// it.
  bool is_free_behind(size_t last, TileId tile) const {
    const auto may_come_before = [&](TaskId use) {
      const TaskInfo& task = graph_.tasks[use.index()];
      const bool makes_it =
          std::any_of(task.outputs.begin(), task.outputs.end(),
                      [&](const Argument& output) { return output.tile == tile; });
      return makes_it ? task.kind != TaskKind::read_source
                      : *task.origin == *graph_.tasks[last].origin;
    };
    const std::span<const TaskId> uses = uses_.of(tile);
    return uses.back().index() == last && std::all_of(uses.begin(), uses.end(), may_come_before);
  }

  bool may_lie_on(const TaskInfo& task, TileId tile) const {
    for (size_t operand = 0; operand < task.inputs.size(); ++operand) {
      if (task.inputs[operand].tile == tile && !may_overwrite(program_of(task), operand)) {
        return false;
      }
    }
    return true;
  }

  TaskGraph graph_;
  const Incidence<TileId, TaskId> uses_;
  std::vector<TileId> place_;  // by tile: the tile that has its bytes
};

}  // namespace

bool may_overwrite(const expr::TileProgram& program, size_t operand) {
  const expr::TileStatement& first = program.statements.front();
  const bool is_map = program.statements.size() == 1 && expr::is_map(first);
  const auto reads_it = [&](const expr::TileStatement& statement) {
    return reads(statement, operand);
  };
  return (is_map || expr::scan_of(first) != nullptr) && reads_where_it_writes(first, operand) &&
         std::none_of(program.statements.begin() + 1, program.statements.end(), reads_it);
}

TaskGraph with_results_in_place(TaskGraph draft) {
  return InPlace(std::move(draft)).run();
}

}  // namespace tessera::plan
