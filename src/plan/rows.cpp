#include "plan/rows.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/error.h"

namespace tessera::plan {

namespace {

bool has_rows(const TaskGraph& graph, const std::vector<Argument>& arguments) {
  return std::any_of(arguments.begin(), arguments.end(), [&](const Argument& argument) {
    return dense_tile(graph.at(argument.tile).type) == nullptr;
  });
}

[[noreturn]] void refuse(size_t number, const TaskInfo& task, const std::string& missing) {
  throw_error(ErrorKind::unsupported, "task %{} ({}): {}", number, task.origin->statement, missing);
}

}  // namespace

std::optional<std::string> missing_for_rows(const TaskGraph& graph, const TaskInfo& task) {
  if (!has_rows(graph, task.inputs) && !has_rows(graph, task.outputs)) {
    return std::nullopt;
  }
  switch (task.kind) {
    case TaskKind::read_source:
      return fmt::format("it reads rows from {}, but sources give arrays only", *task.name);
    case TaskKind::gather_source:
      return fmt::format("it gathers rows from {}, but sources give arrays only", *task.name);
    case TaskKind::compute:
      return "it runs a kernel on rows, but kernels take and make arrays only";
    case TaskKind::write_sink:
      return fmt::format("it writes rows to {}, but results are arrays only", *task.name);
    case TaskKind::copy_box:
    case TaskKind::move:
    case TaskKind::send:
    case TaskKind::receive:
      return std::nullopt;
  }
  return std::nullopt;
}

void refuse_untyped_rows(const TaskGraph& graph) {
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    const TaskInfo& task = graph.tasks[number];
    const std::optional<std::string> missing = missing_for_rows(graph, task);
    if (missing && task.kind != TaskKind::read_source) {
      refuse(number, task, *missing);
    }
  }
}

void refuse_rows(const TaskGraph& graph) {
  for (size_t number = 0; number < graph.tasks.size(); ++number) {
    if (const auto missing = missing_for_rows(graph, graph.tasks[number])) {
      refuse(number, graph.tasks[number], *missing);
    }
  }
}

}  // namespace tessera::plan
