#include "plan/verify_call.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/problems.h"
#include "expr/table_gather.h"

namespace tessera::plan {

namespace {

using expr::LabelNumber;

/// The part of a tensor that an operand holds for a task.
struct OperandPart {
  std::string name;
  DType dtype;
  Box box;
};

class CallVerifier {
 public:
  CallVerifier(const TaskGraph& graph, const TaskInfo& task)
      : graph_(graph), task_(task), program_(graph.programs[task.program.index()].program) {}

  Problems run() && {
    const size_t num_outputs = program_.statements.back().bodies.size();
    const size_t num_sources = task_.kind == TaskKind::gather_source ? 1 : 0;
    if (task_.inputs.size() + num_sources != static_cast<size_t>(program_.num_inputs) ||
        task_.outputs.size() != num_outputs) {
      return {fmt::format("its program reads {} arrays and makes {}, but it has {} and {}",
                          program_.num_inputs, num_outputs, task_.inputs.size(),
                          task_.outputs.size())};
    }
    if (!ranges_fit()) {
      return problems_;
    }
    for (size_t input = 0; input < task_.inputs.size(); ++input) {
      parts_.push_back(part_of(fmt::format("input {}", input), task_.inputs[input]));
    }
    if (task_.kind == TaskKind::gather_source && !add_source()) {
      return problems_;
    }
    for (const expr::TileStatement& statement : program_.statements) {
      check_reads(statement);
      add_results(statement);
    }
    check_outputs();
    if (task_.shape.accumulate && expr::reduction_of(program_.statements.back()) == nullptr) {
      problems_.emplace_back("it accumulates, but its last statement has no aggregate");
    }
    return std::move(problems_);
  }

 private:
  bool ranges_fit() {
    const std::vector<kernels::LabelRange>& ranges = task_.shape.ranges;
    if (ranges.size() != program_.labels.size()) {
      problems_.push_back(fmt::format("its program has {} labels, but it has {} ranges",
                                      program_.labels.size(), ranges.size()));
      return false;
    }
    for (size_t label = 0; label < ranges.size(); ++label) {
      const int64_t extent = program_.labels[label].extent;
      if (ranges[label].begin < 0 || ranges[label].length < 0 ||
          ranges[label].length > extent - ranges[label].begin) {
        problems_.push_back(fmt::format("label {} has {} elements but runs from {} over {}",
                                        program_.labels[label].name, extent, ranges[label].begin,
                                        ranges[label].length));
      }
    }
    return problems_.empty();
  }

  /// Adds the source of a gather, which may be read anywhere. Returns true if the program is a
  /// gather from it.
  bool add_source() {
    const auto source =
        std::find_if(graph_.sources.begin(), graph_.sources.end(),
                     [&](const SourceInfo& known) { return known.name == *task_.name; });
    if (source == graph_.sources.end()) {
      problems_.push_back(fmt::format("there is no source {}", *task_.name));
    } else if (!expr::table_gather_of(program_)) {
      problems_.push_back(fmt::format("its program is no gather by tables from {}", *task_.name));
    } else {
      parts_.push_back({"source " + *task_.name, source->type.dtype, whole(source->type.shape)});
    }
    return problems_.empty();
  }

  OperandPart part_of(std::string name, const Argument& argument) const {
    return {std::move(name),
            graph_.dense(argument.tile).dtype,
            {graph_.origin_of(argument), graph_.box_of(argument).extent}};
  }

  const kernels::LabelRange& range(LabelNumber label) const {
    return task_.shape.ranges[static_cast<size_t>(label)];
  }

  bool never_runs(const expr::TileStatement& statement) const {
    const auto is_empty = [&](LabelNumber label) { return range(label).length == 0; };
    const std::vector<LabelNumber>& over = expr::reduced_labels(statement);
    return std::any_of(statement.out.begin(), statement.out.end(), is_empty) ||
           std::any_of(over.begin(), over.end(), is_empty);
  }

  void check_reads(const expr::TileStatement& statement) {
    const bool is_idle = never_runs(statement);
    expr::for_each_access(statement, [&](const expr::Access& access, DType dtype) {
      check_read(access, dtype, is_idle);
    });
  }

  void check_read(const expr::Access& access, DType dtype, bool never_runs) {
    const OperandPart& operand = parts_[static_cast<size_t>(access.operand)];
    if (operand.dtype != dtype) {
      problems_.push_back(fmt::format("{} is {}, but is read as {}", operand.name,
                                      name_of(operand.dtype), name_of(dtype)));
    }
    if (operand.box.extent.size() != access.index.size()) {
      problems_.push_back(fmt::format("{} has {} modes, but is read with {}", operand.name,
                                      operand.box.extent.size(), access.index.size()));
      return;
    }
    for (size_t mode = 0; mode < access.index.size() && !never_runs; ++mode) {
      check_index(access.index[mode], operand, mode);
    }
  }

  /// Checks an index. A position that is data needs the mode whole. A position outside, which a
  /// boundary defines, needs that end of the mode: only the beginning can be seen here
  /// (ir/tra/infer_kernel.cpp checks the rest).
  void check_index(const expr::Index& index, const OperandPart& operand, size_t mode) {
    const std::optional<expr::Reach> reach = expr::reach_of(index, task_.shape.ranges);
    const __int128 begin = operand.box.origin[mode];
    if (!reach || !std::holds_alternative<expr::Inside>(expr::boundary_of(index))) {
      if (begin != 0 && (!reach || reach->lowest < begin)) {
        problems_.push_back(
            fmt::format("mode {} of {} is read from its beginning, but lies from {}", mode,
                        operand.name, operand.box.origin[mode]));
      }
      return;
    }
    if (reach->lowest < begin || reach->highest >= begin + operand.box.extent[mode]) {
      problems_.push_back(fmt::format(
          "mode {} of {} lies from {} to {}, but is read from {} to {}", mode, operand.name,
          operand.box.origin[mode], operand.box.origin[mode] + operand.box.extent[mode] - 1,
          static_cast<double>(reach->lowest), static_cast<double>(reach->highest)));
    }
  }

  /// Adds the results of a statement, which hold the range of each of its labels.
  void add_results(const expr::TileStatement& statement) {
    Box box;
    for (const LabelNumber label : statement.out) {
      box.origin.push_back(range(label).begin);
      box.extent.push_back(range(label).length);
    }
    for (const expr::Scalar& body : statement.bodies) {
      parts_.push_back({fmt::format("operand {}", parts_.size()), body.dtype(), box});
    }
  }

  void check_outputs() {
    const size_t first = parts_.size() - task_.outputs.size();
    for (size_t output = 0; output < task_.outputs.size(); ++output) {
      const OperandPart written = part_of(fmt::format("output {}", output), task_.outputs[output]);
      const OperandPart& made = parts_[first + output];
      if (written.dtype != made.dtype || written.box != made.box) {
        problems_.push_back(fmt::format(
            "{} is {}{} from {}, but the program makes {}{} from {}", written.name,
            name_of(written.dtype), to_string(written.box.extent), to_string(written.box.origin),
            name_of(made.dtype), to_string(made.box.extent), to_string(made.box.origin)));
      }
    }
  }

  const TaskGraph& graph_;
  const TaskInfo& task_;
  const expr::TileProgram& program_;
  std::vector<OperandPart> parts_;  // inputs, then results
  Problems problems_;
};

}  // namespace

std::vector<std::string> verify_call(const TaskGraph& graph, const TaskInfo& task) {
  return CallVerifier(graph, task).run();
}

}  // namespace tessera::plan
