#include "optimizer/einsum/input_part.h"

#include <algorithm>

#include "optimizer/einsum/product.h"

namespace tessera::optimizer {

size_t num_leading_fixed(const expr::Access& access) {
  const auto first =
      std::find_if(access.index.begin(), access.index.end(), [](const expr::Index& index) {
        return !expr::is_plain_or_fixed(index) || expr::is_plain(index);
      });
  return static_cast<size_t>(first - access.index.begin());
}

bool is_part_source(const einsum::Vertex& vertex) {
  return std::visit(
      Overload{
          [](const einsum::Input& input) { return input.order == StorageOrder::row_major; },
          [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) { return false; }},
      vertex.op);
}

bool reads_part(const expr::Access& access) {
  const size_t num_fixed = num_leading_fixed(access);
  const bool are_plain =
      std::all_of(access.index.begin() + static_cast<std::ptrdiff_t>(num_fixed), access.index.end(),
                  [](const expr::Index& index) { return expr::is_plain(index); });
  return num_fixed > 0 && are_plain && labels_of(access).size() + num_fixed == access.index.size();
}

bool copies_part_of_input(const einsum::Vertex& vertex, const einsum::Graph& graph) {
  const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op);
  if (einsum == nullptr || einsum->reduction || einsum->body.nodes.size() != 1) {
    return false;
  }
  const auto* access = std::get_if<expr::Access>(&einsum->body.nodes[0].op);
  return access != nullptr && reads_part(*access) &&
         is_part_source(graph.at(vertex.operands[static_cast<size_t>(access->operand)]));
}

}  // namespace tessera::optimizer
