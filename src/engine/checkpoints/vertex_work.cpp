#include "engine/checkpoints/vertex_work.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "base/error.h"
#include "engine/checkpoints/parts.h"
#include "engine/planning/frame_plans.h"

namespace tessera::engine {

namespace {

/// The rate of reading a written file, in the system's cache, and summing it up, by one thread:
/// CRC-32 of ISA-L 2.30, measured on an EPYC, 2026-11, as CPU seconds.
constexpr double kSummedBytesPerSecond = 9.9e9;

/// The vertices that the words of tasks name. A call that runs statements together names the
/// user's: "largest+E+Y", where Y.1, a part of the expression of Y, has no tasks of its own.
class Words {
 public:
  Words(const einsum::Graph& graph, const std::map<std::string, double>& seconds) {
    for (size_t number = 0; number < graph.vertices.size(); ++number) {
      const std::string& name = graph.vertices[number].name;
      if (!is_input(graph.vertices[number])) {
        const bool has_tasks = seconds.contains(name);
        vertices_[has_tasks ? name : name.substr(0, name.find('.'))].push_back(number);
      }
    }
  }

  /// Returns the vertices in order; none if the words name inputs.
  std::vector<size_t> vertices(const std::string& words) const {
    std::vector<size_t> vertices;
    for (size_t begin = 0; begin <= words.size();) {
      const size_t end = std::min(words.find('+', begin), words.size());
      const auto known = vertices_.find(words.substr(begin, end - begin));
      if (known != vertices_.end()) {
        vertices.insert(vertices.end(), known->second.begin(), known->second.end());
      }
      begin = end + 1;
    }
    std::sort(vertices.begin(), vertices.end());
    return vertices;
  }

 private:
  std::map<std::string, std::vector<size_t>> vertices_;  // by word
};

/// Returns the seconds of all tasks of a plan, by the words they come from.
std::map<std::string, double> seconds_by_words(const Stages& stages, const Setup& setup) {
  std::map<std::string, double> seconds;
  for_each_frame(stages, setup, [&](const FramePlan& part) {
    for (const plan::TaskInfo& task : part.plan.tasks.tasks) {
      seconds[(*task.origin).statement] += task.seconds;
    }
  });
  return seconds;
}

}  // namespace

const einsum::Graph& checkpointed_program(const Stages& stages) {
  if (stages.choices() == nullptr || !stages.is_planned()) {
    throw_error(ErrorKind::unsupported,
                "checkpoints are kept of a program over whole tensors; this plan starts from the "
                "text of a later stage, or has no tasks");
  }
  return stages.choices()->optimized;
}

VertexWork work_of_vertices(const Stages& stages, const Setup& setup) {
  const einsum::Graph& graph = checkpointed_program(stages);
  const std::map<std::string, double> seconds = seconds_by_words(stages, setup);
  const Words words(graph, seconds);
  const auto workers = static_cast<double>(setup.budget().workers * setup.settings().num_sites);
  VertexWork work{std::vector<double>(graph.vertices.size(), 0.0),
                  std::vector<bool>(graph.vertices.size(), false)};
  for (const auto& [text, taken] : seconds) {
    const std::vector<size_t> vertices = words.vertices(text);
    if (!vertices.empty()) {
      work.seconds[vertices.back()] += taken / workers;
      std::fill(work.is_joined.begin() + static_cast<std::ptrdiff_t>(vertices.front()) + 1,
                work.is_joined.begin() + static_cast<std::ptrdiff_t>(vertices.back()) + 1, true);
    }
  }
  return work;
}

double seconds_to_keep(const ArrayType& type, const Setup& setup) {
  const FileCosts& files = setup.machine().files;
  const auto bytes = static_cast<double>(size_in_bytes(type));
  return bytes / files.bytes_per_second + bytes / files.span_bytes_written_per_second +
         bytes / files.span_bytes_read_per_second +
         bytes / kSummedBytesPerSecond / static_cast<double>(setup.budget().workers);
}

}  // namespace tessera::engine
