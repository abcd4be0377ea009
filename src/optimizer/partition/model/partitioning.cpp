#include "optimizer/partition/model/partitioning.h"

#include <algorithm>
#include <utility>

#include "optimizer/partition/model/reading.h"

namespace tessera::optimizer::partition {

namespace {

/// Returns, by label of a statement, the length given for its name, or its whole extent.
std::vector<int64_t> lengths_of(const einsum::Op& statement,
                                const std::map<std::string, int64_t>& piece_lengths) {
  const std::vector<expr::LabelDecl>& labels = einsum::labels_of(statement);
  const std::vector<bool> whole = whole_labels(statement);
  std::vector<int64_t> lengths;
  for (size_t label = 0; label < labels.size(); ++label) {
    const expr::LabelDecl& decl = labels[label];
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
    partitioning.piece_lengths.push_back(lengths_of(vertex.op, piece_lengths));
  }
  return partitioning;
}

}  // namespace tessera::optimizer::partition
