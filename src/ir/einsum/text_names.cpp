#include "ir/einsum/text_names.h"

#include <set>

#include <fmt/format.h>

namespace tessera::einsum {

std::vector<std::string> operand_names(const Graph& graph, const std::vector<VertexId>& operands) {
  std::vector<std::string> names;
  for (const VertexId operand : operands) {
    names.push_back(graph.at(operand).name);
  }
  if (std::set<std::string>(names.begin(), names.end()).size() < names.size()) {
    for (size_t position = 0; position < names.size(); ++position) {
      names[position] = fmt::format("x{}", position);
    }
  }
  return names;
}

std::vector<Shape> operand_shapes(const Graph& graph, const std::vector<VertexId>& operands) {
  std::vector<Shape> shapes;
  for (const VertexId operand : operands) {
    shapes.push_back(graph.at(operand).type.shape);
  }
  return shapes;
}

std::vector<std::string> entry_names(size_t num_entries) {
  std::vector<std::string> names;
  for (size_t entry = 0; entry < num_entries; ++entry) {
    names.push_back(fmt::format("a{}", entry));
  }
  return names;
}

}  // namespace tessera::einsum
