#include "engine/planning/first_part.h"

#include <algorithm>
#include <map>
#include <vector>

#include "base/overload.h"
#include "expr/scalar.h"

namespace tessera::engine {

namespace {

bool is_computed(const einsum::Vertex& vertex) {
  return std::visit(
      Overload{[](const einsum::Input&) { return false; },
               [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) { return true; }},
      vertex.op);
}

/// Returns the operands of a vertex that it reads at positions which are data.
std::vector<einsum::VertexId> gathered_from(const einsum::Vertex& vertex) {
  std::vector<einsum::VertexId> operands;
  for (const expr::Scalar* expression : einsum::expressions_of(vertex.op)) {
    for (const expr::Access* access : expr::accesses_of(*expression)) {
      for (const expr::Index& index : access->index) {
        expr::for_each_node(index, [&](int32_t) {
          operands.push_back(vertex.operands[static_cast<size_t>(access->operand)]);
        });
      }
    }
  }
  return operands;
}

class PartFinder {
 public:
  PartFinder(const einsum::Graph& graph, const std::set<std::string>& defined)
      : graph_(graph), defined_(defined), is_made_(graph.vertices.size(), false) {}

  std::optional<einsum::Graph> run() && {
    if (!find_gathered()) {
      return std::nullopt;
    }
    for (size_t number = is_made_.size(); number-- > 0;) {
      for (const einsum::VertexId operand : graph_.vertices[number].operands) {
        is_made_[operand.index()] = is_made_[operand.index()] || is_made_[number];
      }
    }
    return part();
  }

 private:
  /// Marks the tensors that are gathered from, except those that need another one.
  bool find_gathered() {
    std::vector<bool> is_behind(graph_.vertices.size(), false);
    bool any = false;
    for (size_t number = 0; number < graph_.vertices.size(); ++number) {
      const einsum::Vertex& vertex = graph_.vertices[number];
      for (const einsum::VertexId operand : vertex.operands) {
        is_behind[number] = is_behind[number] || is_behind[operand.index()];
      }
      for (const einsum::VertexId operand : gathered_from(vertex)) {
        const einsum::Vertex& read = graph_.at(operand);
        if (is_computed(read) && defined_.contains(read.name)) {
          const bool is_first = !is_behind[operand.index()];
          is_made_[operand.index()] = is_made_[operand.index()] || is_first;
          is_behind[number] = true;
          any = any || is_first;
        }
      }
    }
    return any;
  }

  /// True if a vertex outside of the part reads it, or it is a result.
  bool is_wanted(size_t number) const {
    const einsum::VertexId id(static_cast<int64_t>(number));
    for (size_t reader = number + 1; reader < graph_.vertices.size(); ++reader) {
      const std::vector<einsum::VertexId>& operands = graph_.vertices[reader].operands;
      if (!is_made_[reader] && std::count(operands.begin(), operands.end(), id) > 0) {
        return true;
      }
    }
    return std::any_of(graph_.outputs.begin(), graph_.outputs.end(),
                       [&](const einsum::Output& output) { return output.vertex == id; });
  }

  /// Returns the part. Inputs stay: the caller has data for all of them.
  einsum::Graph part() const {
    einsum::Graph part;
    std::map<einsum::VertexId, einsum::VertexId> ids;
    for (size_t number = 0; number < graph_.vertices.size(); ++number) {
      einsum::Vertex vertex = graph_.vertices[number];
      if (is_computed(vertex) && !is_made_[number]) {
        continue;
      }
      for (einsum::VertexId& operand : vertex.operands) {
        operand = ids.at(operand);
      }
      const einsum::VertexId id(static_cast<int64_t>(number));
      const bool is_left =
          is_computed(vertex) && defined_.contains(vertex.name) && is_wanted(number);
      const std::string name = vertex.name;
      ids.emplace(id, part.add(std::move(vertex)));
      if (is_left) {
        part.outputs.push_back({name, ids.at(id)});
      }
    }
    return part;
  }

  const einsum::Graph& graph_;
  const std::set<std::string>& defined_;
  std::vector<bool> is_made_;  // by vertex
};

}  // namespace

std::optional<einsum::Graph> first_part(const einsum::Graph& graph,
                                        const std::set<std::string>& defined) {
  return PartFinder(graph, defined).run();
}

}  // namespace tessera::engine
