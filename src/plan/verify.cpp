#include "plan/verify.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "base/problems.h"
#include "expr/reduction_order.h"
#include "expr/verify.h"
#include "plan/in_place.h"
#include "plan/memory.h"
#include "plan/rows.h"
#include "plan/verify_call.h"
#include "plan/verify_tensors.h"
#include "plan/verify_tile.h"

namespace tessera::plan {

namespace {

/// Returns the units counted until a tile is written: the elements of an array, rows as one.
int64_t parts_of(const TileType& type) {
  const DenseTile* array = dense_tile(type);
  return array == nullptr ? 1 : num_elements(array->box.extent);
}

/// Returns the inputs of a program as tensors of any size, with the dtypes and modes that it reads.
std::vector<ArrayType> inputs_of_any_size(const expr::TileProgram& program) {
  std::vector<ArrayType> inputs(static_cast<size_t>(std::max(program.num_inputs, 0)));
  expr::for_each_access(program, [&](const expr::Access& access, DType dtype) {
    if (static_cast<size_t>(access.operand) < inputs.size()) {
      inputs[static_cast<size_t>(access.operand)] = {
          dtype, Shape(access.index.size(), std::numeric_limits<int64_t>::max())};
    }
  });
  return inputs;
}

class PlanVerifier {
 public:
  PlanVerifier(const TaskGraph& graph, const expr::FunctionRegistry& functions)
      : graph_(graph), functions_(functions), tensors_(graph), written_(graph.tiles.size(), 0) {}

  Problems run() && {
    check_parts();
    if (!problems_.empty()) {
      return problems_;  // without them, tasks cannot be judged
    }
    for (number_ = 0; number_ < graph_.tasks.size(); ++number_) {
      const TaskInfo& task = graph_.tasks[number_];
      Problems found = verify_arguments(task);
      if (found.empty()) {
        found = verify_task(task);
      }
      append_problems(problems_, fmt::format("task %{} ({})", number_, task.origin->statement),
                      found);
    }
    check_last_uses();
    append_problems(problems_, "", tensors_.verify_counts());
    if (problems_.empty()) {
      check_memory();
    }
    return std::move(problems_);
  }

 private:
  void check_places() {
    for (size_t site = 0; site < graph_.sites.size(); ++site) {
      if (!is_space(graph_.sites[site].space)) {
        problems_.push_back(
            fmt::format("site s{}: there is no space m{}", site, graph_.sites[site].space.value));
      }
    }
    for (size_t space = 0; space < graph_.spaces.size(); ++space) {
      if (graph_.spaces[space].process < 0) {
        problems_.push_back(
            fmt::format("space m{}: it is of process {}", space, graph_.spaces[space].process));
      }
    }
    if (graph_.sites.empty()) {
      problems_.emplace_back("there is no site");
    }
  }

  bool is_space(SpaceId id) const { return id.valid() && id.index() < graph_.spaces.size(); }
  bool is_site(SiteId id) const { return id.valid() && id.index() < graph_.sites.size(); }

  void check_parts() {
    check_places();
    for (size_t number = 0; number < graph_.tasks.size(); ++number) {
      if (!is_site(graph_.tasks[number].site)) {
        problems_.push_back(fmt::format("task %{} ({}): there is no site s{}", number,
                                        graph_.tasks[number].origin->statement,
                                        graph_.tasks[number].site.value));
      }
    }
    for (size_t tile = 0; tile < graph_.tiles.size(); ++tile) {
      append_problems(problems_, fmt::format("tile t{}", tile),
                      verify_tile(graph_.tiles[tile].type));
      if (!is_space(graph_.tiles[tile].space)) {
        problems_.push_back(
            fmt::format("tile t{}: there is no space m{}", tile, graph_.tiles[tile].space.value));
      }
    }
    for (size_t number = 0; number < graph_.programs.size(); ++number) {
      const expr::TileProgram& program = graph_.programs[number].program;
      append_problems(problems_, fmt::format("program p{}", number),
                      expr::verify(program, inputs_of_any_size(program), functions_));
    }
    append_problems(problems_, "", tensors_.declare());
  }

  Problems verify_arguments(const TaskInfo& task) const {
    Problems problems;
    for (const std::vector<Argument>* arguments : {&task.inputs, &task.outputs}) {
      for (const Argument& argument : *arguments) {
        if (!argument.tile.valid() || argument.tile.index() >= graph_.tiles.size()) {
          problems.push_back(fmt::format("there is no tile t{}", argument.tile.value));
        } else if (const DenseTile* array = dense_tile(graph_.at(argument.tile).type)) {
          append_problems(problems, "", verify_part(argument, *array));
        } else if (argument.part != nullptr) {
          problems.push_back(fmt::format("t{} is rows, which have no parts", argument.tile.value));
        }
      }
    }
    return problems;
  }

  Problems verify_part(const Argument& argument, const DenseTile& array) const {
    Problems problems;
    const Box& box = graph_.box_of(argument);
    const std::vector<int64_t>& origin = graph_.origin_of(argument);
    if (!is_inside(box, array.box)) {
      problems.push_back(fmt::format("its part of t{} lies outside it", argument.tile.value));
    } else if (origin.size() < box.origin.size()) {
      problems.push_back(
          fmt::format("its part of t{} has no place for every mode", argument.tile.value));
    }
    const auto is_bad = [](int64_t place) {
      return place < 0 || place > std::numeric_limits<int64_t>::max() / 2;
    };
    if (std::any_of(origin.begin(), origin.end(), is_bad)) {
      problems.push_back(fmt::format("its part of t{} is out of range", argument.tile.value));
    }
    return problems;
  }

  /// Checks that all tiles of a task are in the space of its site, except the input of a move.
  Problems verify_spaces(const TaskInfo& task) const {
    Problems problems;
    const SpaceId own = graph_.space_of(task);
    const auto check = [&](const Argument& argument, bool is_own) {
      const SpaceId space = graph_.at(argument.tile).space;
      if ((space == own) != is_own) {
        problems.push_back(fmt::format("t{} is in space m{}, {} of its site s{}",
                                       argument.tile.value, space.value,
                                       is_own ? "not that" : "which is that", task.site.value));
      }
    };
    for (const Argument& input : task.inputs) {
      check(input, task.kind != TaskKind::move);
    }
    for (const Argument& output : task.outputs) {
      check(output, true);
    }
    return problems;
  }

  /// Checks the counted figures of a move against its plan. REQUIRES sound arguments.
  Problems verify_moved(const TaskInfo& task) const {
    const bool is_move =
        task.kind == TaskKind::move && task.outputs.size() == 1 && task.inputs.size() == 1;
    const DenseTile* moved = is_move ? dense_tile(graph_.at(task.outputs[0].tile).type) : nullptr;
    if (moved == nullptr) {
      return {};
    }
    if (!is_whole(task.inputs[0]) || !is_whole(task.outputs[0])) {
      return {"it moves a part of a tile; what is moved is a whole one"};
    }
    const int64_t bytes = num_elements(moved->box.extent) * size_of(moved->dtype);
    return task.bytes == static_cast<double>(bytes)
               ? Problems{}
               : Problems{fmt::format("it moves {} bytes, its tile has {}", task.bytes, bytes)};
  }

  Problems verify_task(const TaskInfo& task) {
    Problems problems = verify_kind(task);
    append_problems(problems, "", verify_spaces(task));
    append_problems(problems, "", verify_moved(task));
    if (task.workspace_bytes < 0 || task.workspace_bytes > kMostBytesOfTask ||
        (task.workspace_bytes > 0 && task.kind != TaskKind::compute)) {
      problems.push_back(fmt::format("its workspace is {} bytes", task.workspace_bytes));
    }
    for (const Argument& input : task.inputs) {
      require_written(input, problems);
    }
    for (const Argument& output : task.outputs) {
      if (task.shape.accumulate || (problems.empty() && updates_in_place(task, output))) {
        require_written(output, problems);
      } else {
        write(output, problems);
      }
    }
    return problems;
  }

  /// True if the output is an input too and is overwritten element by element. REQUIRES a sound
  /// call.
  bool updates_in_place(const TaskInfo& task, const Argument& output) const {
    bool reads_it = false;
    for (size_t number = 0; number < task.inputs.size(); ++number) {
      if (task.inputs[number].tile == output.tile) {
        reads_it = true;
        if (task.kind != TaskKind::compute ||
            graph_.box_of(task.inputs[number]) != graph_.box_of(output) ||
            !may_overwrite(graph_.programs[task.program.index()].program, number)) {
          return false;
        }
      }
    }
    return reads_it;
  }

  Problems verify_kind(const TaskInfo& task) {
    const auto has_arguments = [&](size_t inputs, size_t outputs) {
      return task.inputs.size() == inputs && task.outputs.size() == outputs;
    };
    const auto missing = missing_for_rows(graph_, task);
    if (missing && task.kind != TaskKind::read_source) {
      return {*missing};
    }
    switch (task.kind) {
      case TaskKind::read_source:
        return has_arguments(0, 1) ? verify_read(task)
                                   : Problems{"it does not fill exactly one tile"};
      case TaskKind::gather_source:
      case TaskKind::compute:
        if (!task.program.valid() || task.program.index() >= graph_.programs.size()) {
          return {fmt::format("there is no program p{}", task.program.value)};
        }
        if (!std::all_of(task.outputs.begin(), task.outputs.end(),
                         [&](const Argument& output) { return is_whole(output); })) {
          return {"it makes a part of a tile; kernels make whole ones"};
        }
        return verify_call(graph_, task);
      case TaskKind::copy_box:
      case TaskKind::move: {
        if (!has_arguments(1, 1)) {
          return {"it does not copy one box to one"};
        }
        const bool fits = have_same_layout(type_of(task.inputs[0]), type_of(task.outputs[0]));
        return fits ? Problems{} : Problems{"its boxes differ in shape or dtype"};
      }
      case TaskKind::write_sink:
        return has_arguments(1, 0) ? tensors_.verify_write(task)
                                   : Problems{"it does not write exactly one box"};
      case TaskKind::send:
      case TaskKind::receive:
        return {"it is half of a move; a plan has whole ones"};
    }
    return {"it is of no kind"};
  }

  /// Returns the type of an argument: rows, or a tile's box or the part of it.
  TileType type_of(const Argument& argument) const {
    const TileType& type = graph_.at(argument.tile).type;
    const DenseTile* array = dense_tile(type);
    return array == nullptr ? type : DenseTile{array->dtype, graph_.box_of(argument)};
  }

  bool is_whole(const Argument& argument) const {
    return argument.part == nullptr || graph_.box_of(argument) == graph_.dense(argument.tile).box;
  }

  /// Checks that a read fills a whole tile, in its place.
  Problems verify_read(const TaskInfo& task) {
    const Argument& output = task.outputs[0];
    if (!is_whole(output) ||
        (output.part != nullptr && output.part->origin != output.part->box.origin)) {
      return {"it does not fill a whole tile in its place"};
    }
    return tensors_.verify_read(*task.name, graph_.at(output.tile).type);
  }

  /// Requires that an argument is written. Reports each tile once.
  void require_written(const Argument& argument, Problems& problems) {
    const size_t tile = argument.tile.index();
    const int64_t missing = parts_of(graph_.tiles[tile].type) - written_[tile];
    if (missing > 0) {
      problems.push_back(
          fmt::format("it uses t{} before {} of its elements are written", tile, missing));
      written_[tile] += missing;
    }
  }

  void write(const Argument& output, Problems& problems) {
    const size_t tile = output.tile.index();
    const int64_t all = parts_of(graph_.tiles[tile].type);
    written_[tile] += parts_of(type_of(output));
    if (written_[tile] > all) {
      problems.push_back(fmt::format("it writes t{} again", tile));
      written_[tile] = all;
    }
  }

  void check_last_uses() {
    std::vector<TaskId> last(graph_.tiles.size());
    for (size_t task = 0; task < graph_.tasks.size(); ++task) {
      for (const auto* arguments : {&graph_.tasks[task].inputs, &graph_.tasks[task].outputs}) {
        for (const Argument& argument : *arguments) {
          if (argument.tile.valid() && argument.tile.index() < last.size()) {
            last[argument.tile.index()] = TaskId(static_cast<int64_t>(task));
          }
        }
      }
    }
    for (size_t tile = 0; tile < last.size(); ++tile) {
      if (graph_.tiles[tile].last_use != last[tile]) {
        problems_.push_back(fmt::format("tile t{}: its last use is task %{}, not %{}", tile,
                                        last[tile].value, graph_.tiles[tile].last_use.value));
      }
    }
  }

  void check_memory() {
    const std::vector<MemoryProof> proofs = memory_proofs(graph_);
    for (size_t space = 0; space < proofs.size(); ++space) {
      const std::string whose = proofs.size() == 1 ? "its" : fmt::format("space m{}: its", space);
      const auto check = [&](const char* what, int64_t stated, int64_t counted) {
        if (stated != counted) {
          problems_.push_back(
              fmt::format("{} {} is {} bytes, not {}", whose, what, counted, stated));
        }
      };
      const MemoryProof& stated = graph_.spaces[space].proof;
      const Bytes& peak = proofs[space].peak;
      check("peak", stated.peak.at_most, peak.at_most);
      if (stated.peak.at_most == peak.at_most) {
        check("expected peak", stated.peak.expected, peak.expected);
      }
      check("smallest budget", stated.smallest_budget, proofs[space].smallest_budget);
    }
  }

  const TaskGraph& graph_;
  const expr::FunctionRegistry& functions_;
  TensorVerifier tensors_;
  std::vector<int64_t> written_;  // parts of every tile, so far
  size_t number_ = 0;
  Problems problems_;
};

}  // namespace

std::vector<std::string> verify(const TaskGraph& graph, const expr::FunctionRegistry& functions) {
  return PlanVerifier(graph, functions).run();
}

std::vector<std::string> verify_order(const TaskGraph& graph,
                                      const expr::AggregateRegistry& aggregates) {
  Problems problems;
  for (size_t number = 0; graph.is_reproducible && number < graph.programs.size(); ++number) {
    for (const std::string& problem :
         expr::problems_of_leaves(graph.programs[number].program, aggregates)) {
      problems.push_back(fmt::format("program p{}: {}", number, problem));
    }
  }
  return problems;
}

}  // namespace tessera::plan
