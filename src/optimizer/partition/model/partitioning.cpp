#include "optimizer/partition/model/partitioning.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer::partition {

namespace {

/// By label of a statement: the length that is wanted for its name, or all of it.
std::vector<int64_t> lengths_of(const einsum::EinSum& einsum,
                                const std::map<std::string, int64_t>& piece_lengths) {
  const std::vector<bool> whole = whole_labels(einsum);
  std::vector<int64_t> lengths;
  for (size_t label = 0; label < einsum.labels.size(); ++label) {
    const expr::LabelDecl& decl = einsum.labels[label];
    const auto wanted = piece_lengths.find(decl.name);
    const bool cut = wanted != piece_lengths.end() && !whole[label];
    lengths.push_back(cut ? wanted->second : std::max<int64_t>(decl.extent, 1));
  }
  return lengths;
}

}  // namespace

Partitioning uncut_partitioning(const einsum::Graph& graph) {
  return partitioning_by_label(graph, {});
}

Partitioning partitioning_by_label(const einsum::Graph& graph,
                                   const std::map<std::string, int64_t>& piece_lengths) {
  Partitioning partitioning;
  for (const einsum::Vertex& vertex : graph.vertices) {
    partitioning.piece_lengths.push_back(std::visit(
        Overload{[](const einsum::Input&) { return std::vector<int64_t>{}; },
                 [&](const einsum::EinSum& einsum) { return lengths_of(einsum, piece_lengths); }},
        vertex.op));
  }
  return partitioning;
}

}  // namespace tessera::optimizer::partition
