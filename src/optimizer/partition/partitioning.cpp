#include "optimizer/partition/partitioning.h"

#include <algorithm>
#include <utility>
#include <variant>

#include "optimizer/partition/reading.h"

namespace tessera::optimizer {

Partitioning uncut_partitioning(const einsum::Graph& graph) {
  return partitioning_by_label(graph, {});
}

Partitioning partitioning_by_label(const einsum::Graph& graph,
                                   const std::map<std::string, int64_t>& piece_lengths) {
  Partitioning partitioning;
  for (const einsum::Vertex& vertex : graph.vertices) {
    std::vector<int64_t> lengths;
    if (const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op)) {
      const std::vector<bool> whole = whole_labels(*einsum);
      for (size_t label = 0; label < einsum->labels.size(); ++label) {
        const expr::LabelDecl& decl = einsum->labels[label];
        const auto wanted = piece_lengths.find(decl.name);
        const bool cut = wanted != piece_lengths.end() && !whole[label];
        lengths.push_back(cut ? wanted->second : std::max<int64_t>(decl.extent, 1));
      }
    }
    partitioning.piece_lengths.push_back(std::move(lengths));
  }
  return partitioning;
}

}  // namespace tessera::optimizer
