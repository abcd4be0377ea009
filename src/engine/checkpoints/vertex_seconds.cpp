#include "engine/checkpoints/vertex_seconds.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>

#include "engine/planning/frame_plans.h"

namespace tessera::engine {

namespace {

/// To read what was written and sum it up, by one thread: CRC-32 of zlib 1.2.13, measured,
/// bench/checkpoints.
constexpr double kSummedBytesPerSecond = 1.0e9;

/// The last of the vertices that a statement's words name: "largest+E+Y" of what is fused.
std::optional<size_t> last_named(const std::string& statement,
                                 const std::map<std::string, size_t>& numbers) {
  std::optional<size_t> last;
  for (size_t begin = 0; begin <= statement.size();) {
    const size_t end = std::min(statement.find('+', begin), statement.size());
    const auto known = numbers.find(statement.substr(begin, end - begin));
    if (known != numbers.end()) {
      last = std::max(last.value_or(0), known->second);
    }
    begin = end + 1;
  }
  return last;
}

}  // namespace

std::vector<double> seconds_of_vertices(const Stages& stages, const Setup& setup) {
  const einsum::Graph& graph = stages.choices()->optimized;
  std::map<std::string, size_t> numbers;
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    numbers[graph.vertices[number].name] = number;
  }
  std::vector<double> seconds(graph.vertices.size(), 0.0);
  for_each_frame(stages, setup, [&](const FramePlan& part) {
    for (const plan::TaskInfo& task : part.plan.tasks.tasks) {
      if (const auto vertex = last_named((*task.origin).statement, numbers)) {
        seconds[*vertex] += task.seconds;
      }
    }
  });
  const auto workers = static_cast<double>(setup.budget().workers * setup.settings().num_sites);
  for (size_t number = 0; number < seconds.size(); ++number) {
    const bool is_input = std::holds_alternative<einsum::Input>(graph.vertices[number].op);
    seconds[number] = is_input ? 0 : seconds[number] / workers;
  }
  return seconds;
}

double seconds_to_keep(const ArrayType& type, const Setup& setup) {
  const FileCosts& files = setup.machine().files;
  const auto bytes = static_cast<double>(size_in_bytes(type));
  return bytes / files.bytes_per_second + bytes / files.span_bytes_written_per_second +
         bytes / files.span_bytes_read_per_second +
         bytes / kSummedBytesPerSecond / static_cast<double>(setup.budget().workers);
}

}  // namespace tessera::engine
