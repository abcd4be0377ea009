#include "later_stages.h"

#include <algorithm>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include <fmt/ranges.h>

#include "base/error.h"
#include "ir/einsum/text.h"
#include "ir/einsum/verify.h"
#include "ir/ia/text.h"
#include "ir/ia/verify.h"
#include "ir/tra/text.h"
#include "ir/tra/verify.h"
#include "optimizer/einsum/driver.h"
#include "optimizer/lowering/to_ia.h"
#include "optimizer/lowering/to_tra.h"
#include "plan/text.h"
#include "plan/to_tasks.h"
#include "plan/verify.h"
#include "runtime/executor.h"
#include "store/memory_tensor.h"

namespace tessera::fuzz {

namespace {

// What runs in about a millisecond under the sanitizers.
constexpr double kMostElements = 2048;
constexpr size_t kMostNodes = 64;
constexpr size_t kMostTasks = 512;

bool is_small(const std::vector<expr::LabelDecl>& labels) {
  double space = 1;
  for (const expr::LabelDecl& label : labels) {
    space *= static_cast<double>(label.extent);
  }
  return space <= kMostElements;
}

bool is_small(const Shape& shape) {
  double elements = 1;
  for (const int64_t extent : shape) {
    elements *= static_cast<double>(extent);
  }
  return elements <= kMostElements;
}

bool is_small(const einsum::Graph& graph) {
  return graph.vertices.size() <= kMostNodes &&
         std::all_of(graph.vertices.begin(), graph.vertices.end(),
                     [](const einsum::Vertex& vertex) {
                       const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op);
                       return is_small(vertex.type.shape) &&
                              (einsum == nullptr || is_small(einsum->labels));
                     });
}

bool is_small(const tra::RelationType& type) {
  return tra::num_keys(type.key) <= static_cast<int64_t>(kMostTasks) &&
         std::all_of(type.columns.begin(), type.columns.end(), [](const tra::Column& column) {
           Shape shape;
           for (const tra::Mode& mode : column.modes) {
             shape.push_back(mode.extent);
           }
           return is_small(shape);
         });
}

bool is_small(const tra::Graph& graph) {
  return graph.nodes.size() <= kMostNodes &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const tra::Node& node) { return is_small(node.type); });
}

bool is_small(const ia::Graph& graph) {
  return graph.nodes.size() <= kMostNodes &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const ia::Node& node) { return is_small(node.type); });
}

bool is_small(const plan::TaskInfo& task) {
  Shape lengths;
  for (const kernels::LabelRange& range : task.shape.ranges) {
    lengths.push_back(range.length);
  }
  return is_small(lengths);
}

bool is_small(const plan::TaskGraph& graph) {
  const auto small_tile = [](const plan::TileInfo& tile) {
    const DenseTile* array = dense_tile(tile.type);
    return array == nullptr || is_small(array->box.extent);  // rows are refused before they run
  };
  const auto small_task = [](const plan::TaskInfo& task) { return is_small(task); };
  const auto small_sink = [](const plan::SinkInfo& sink) { return is_small(sink.type.shape); };
  return graph.tasks.size() <= kMostTasks && graph.tiles.size() <= kMostTasks &&
         std::all_of(graph.tiles.begin(), graph.tiles.end(), small_tile) &&
         std::all_of(graph.tasks.begin(), graph.tasks.end(), small_task) &&
         std::all_of(graph.sinks.begin(), graph.sinks.end(), small_sink);
}

/// Whether a graph is what its text reads back to; false also where the text is refused.
template <class Graph, class Parse>
bool is_read_back(const Graph& graph, const SourceText& text, Parse parse) {
  try {
    return parse(text, registries().functions, registries().aggregates) == graph;
  } catch (const Error&) {
    return false;
  }
}

/// A stage's value verifies and is read back from its text.
template <class Graph, class Parse>
void check_stage(const Graph& graph, Parse parse) {
  const std::vector<std::string> problems = verify(graph, registries().functions);
  TESSERA_CHECK(problems.empty(), "{}", fmt::join(problems, "\n"));
  const SourceText text{"printed", to_text(describe(graph, registries().aggregates))};
  TESSERA_CHECK(is_read_back(graph, text, parse), "reads back otherwise:\n{}", text.text);
}

/// Every label that some vertex has, in pieces of that length.
optimizer::partition::Partitioning cut_all(const einsum::Graph& graph, int64_t length) {
  std::map<std::string, int64_t> lengths;
  for (const einsum::Vertex& vertex : graph.vertices) {
    if (const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op)) {
      for (const expr::LabelDecl& label : einsum->labels) {
        lengths[label.name] = length;
      }
    }
  }
  return optimizer::partition::partitioning_by_label(graph, lengths);
}

void run(const plan::TaskGraph& graph) {
  std::map<std::string, std::unique_ptr<store::MemoryTensor>> tensors;
  std::map<std::string, const store::TileSource*> sources;
  std::map<std::string, store::TileSink*> sinks;
  for (const auto& [name, type] : graph.sources) {
    if (!is_small(type.shape)) {
      return;
    }
    auto& tensor = tensors["source " + name] = std::make_unique<store::MemoryTensor>(type);
    sources[name] = tensor.get();
  }
  for (const plan::SinkInfo& sink : graph.sinks) {
    auto& tensor = tensors["sink " + sink.name] = std::make_unique<store::MemoryTensor>(sink.type);
    sinks[sink.name] = tensor.get();
  }
  std::list<store::TileStore> stores;
  runtime::RunContext context{{}, registries().context, sources, sinks};
  for (size_t space = 0; space < graph.spaces.size(); ++space) {
    context.stores.push_back(&stores.emplace_back(int64_t{1} << 30));
  }
  runtime::make_serial_executor()->run(graph, context);
}

/// Runs what may refuse a program: an Error for the user is an answer, an internal one is not.
template <class Stage>
void run_stage(Stage stage) {
  try {
    stage();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::user && error.kind() != ErrorKind::unsupported) {
      throw;
    }
  }
}

void check_and_run(const plan::TaskGraph& graph) {
  check_stage(graph, plan::parse_graph);
  run_stage([&] { run(graph); });
}

void plan_and_run_tiled(const einsum::Graph& graph,
                        const optimizer::partition::Partitioning& partitioning) {
  const tra::Graph relations = optimizer::to_tra(graph, partitioning);
  check_stage(relations, tra::parse_graph);
  check_stage(optimizer::to_ia(relations, 3), ia::parse_graph);
  const ia::Graph placed = optimizer::to_ia(relations, 1);
  check_stage(placed, ia::parse_graph);
  if (is_small(placed)) {
    check_and_run(plan::to_tasks(placed, registries().context));
  }
}

}  // namespace

Registries::Registries() {
  expr::register_all_functions(functions);
  expr::register_all_aggregates(aggregates);
  optimizer::register_all_rules(rules);
  kernels::register_all_kernels(kernels);
}

const Registries& registries() {
  static const Registries all;
  return all;
}

void plan_and_run(const einsum::Graph& graph) {
  if (!is_small(graph)) {
    return;
  }
  check_stage(graph, einsum::parse_graph);
  const einsum::Graph optimized =
      optimizer::optimize(graph, registries().rules, registries().context, {}).graph;
  check_stage(optimized, einsum::parse_graph);
  if (!is_small(optimized)) {
    return;
  }
  plan_and_run_tiled(optimized, optimizer::partition::uncut_partitioning(optimized));
  plan_and_run_tiled(optimized, cut_all(optimized, 2));
}

void plan_and_run(const tra::Graph& graph) {
  if (is_small(graph)) {
    check_stage(optimizer::to_ia(graph, 3), ia::parse_graph);
    plan_and_run(optimizer::to_ia(graph, 1));
  }
}

void plan_and_run(const ia::Graph& graph) {
  if (is_small(graph)) {
    check_stage(graph, ia::parse_graph);
    run_stage([&] {
      const plan::TaskGraph tasks = plan::to_tasks(graph, registries().context);
      plan_and_run(tasks);
    });
  }
}

void plan_and_run(const plan::TaskGraph& graph) {
  if (is_small(graph)) {
    check_and_run(graph);
  }
}

}  // namespace tessera::fuzz
