#include "engine/planning/copied_results.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/overload.h"
#include "optimizer/partition/model/reading.h"

namespace tessera::engine {

namespace {

/// True if the first reader of an input, which determines its cuts, cuts all of its modes.
bool is_read_in_pieces(const einsum::Graph& graph, einsum::VertexId input) {
  for (const einsum::Vertex& vertex : graph.vertices) {
    for (const auto& reading : optimizer::partition::readings_of(vertex.op)) {
      if (vertex.operands[static_cast<size_t>(reading.operand)] == input) {
        return std::all_of(reading.cuts.begin(), reading.cuts.end(),
                           [](const auto& cut) { return cut.has_value(); });
      }
    }
  }
  return false;
}

bool needs_copy(const einsum::Graph& graph, einsum::VertexId id) {
  const einsum::Vertex& vertex = graph.at(id);
  const bool is_input = std::visit(
      Overload{
          [](const einsum::Input&) { return true; },
          [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) { return false; }},
      vertex.op);
  return is_input && !vertex.type.shape.empty() && !is_read_in_pieces(graph, id);
}

/// Returns the labels of an input, each once: A[i,i] has two.
std::vector<expr::LabelDecl> distinct_labels(const einsum::Vertex& input) {
  std::vector<expr::LabelDecl> labels;
  std::set<std::string> taken;
  for (size_t mode = 0; mode < input.labels.size(); ++mode) {
    std::string name = input.labels[mode];
    for (int copy = 2; !taken.insert(name).second; ++copy) {
      name = fmt::format("{}_{}", input.labels[mode], copy);
    }
    labels.push_back({name, input.type.shape[mode]});
  }
  return labels;
}

einsum::Vertex copy_of(const einsum::Vertex& input, einsum::VertexId id, std::string name) {
  einsum::Vertex copy = input;
  copy.name = std::move(name);
  copy.operands = {id};
  copy.labels.clear();
  einsum::EinSum einsum;
  einsum.labels = distinct_labels(input);
  std::vector<expr::Index> index;
  for (size_t mode = 0; mode < einsum.labels.size(); ++mode) {
    const auto label = static_cast<expr::LabelNumber>(mode);
    copy.labels.push_back(einsum.labels[mode].name);
    einsum.out.push_back(label);
    index.push_back(expr::plain(label));
  }
  einsum.body = expr::scalar_of({0, std::move(index)}, input.type.dtype);
  copy.op = std::move(einsum);
  return copy;
}

}  // namespace

einsum::Graph with_copied_results(einsum::Graph graph) {
  std::set<std::string> names;
  for (const einsum::Vertex& vertex : graph.vertices) {
    names.insert(vertex.name);
  }
  std::map<einsum::VertexId, einsum::VertexId> copies;
  for (einsum::Output& output : graph.outputs) {
    const einsum::VertexId id = output.vertex;
    if (!copies.contains(id) && needs_copy(graph, id)) {
      const std::string name = names.contains(output.name) ? output.name + ".copy" : output.name;
      copies.emplace(id, graph.add(copy_of(graph.at(id), id, name)));
    }
    const auto copy = copies.find(id);
    output.vertex = copy == copies.end() ? id : copy->second;
  }
  return graph;
}

}  // namespace tessera::engine
