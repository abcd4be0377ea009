#include "engine/checkpoints/parts.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/overload.h"
#include "engine/checkpoints/cuts.h"

namespace tessera::engine {

namespace {

/// A search for the vertices that a part makes and reads, from its required results back.
class PartBuilder {
 public:
  PartBuilder(const einsum::Graph& graph, size_t begin, const std::function<bool(size_t)>& is_kept)
      : graph_(graph), begin_(begin), is_kept_(is_kept) {}

  /// Makes a vertex, even if it is kept.
  void make(size_t root) {
    waiting_.push_back(root);
    seen_.insert(root);
    made_.insert(root);
    follow();
  }
  /// Reads a vertex if it is kept, else makes it.
  void need(size_t vertex) {
    note(vertex);
    follow();
  }

  ProgramPart build() && {
    ProgramPart part;
    part.made.assign(made_.begin(), made_.end());
    part.reads.assign(reads_.begin(), reads_.end());
    return part;
  }

 private:
  void follow() {
    while (!waiting_.empty()) {
      const size_t vertex = waiting_.back();
      waiting_.pop_back();
      for (const einsum::VertexId operand : graph_.vertices[vertex].operands) {
        note(operand.index());
      }
    }
  }

  void note(size_t vertex) {
    if (!seen_.insert(vertex).second) {
      return;
    }
    const bool is_given = is_input(graph_.vertices[vertex]);
    if (!is_given && (vertex < begin_ || is_kept_(vertex))) {
      reads_.insert(vertex);
      return;
    }
    made_.insert(vertex);
    waiting_.push_back(vertex);
  }

  const einsum::Graph& graph_;
  size_t begin_;
  const std::function<bool(size_t)>& is_kept_;
  std::set<size_t> seen_;
  std::set<size_t> made_;
  std::set<size_t> reads_;
  std::vector<size_t> waiting_;  // made, their operands not noted yet
};

/// Returns the results that a run without checkpoints leaves of the vertices between two cuts.
std::vector<size_t> leaves_between(const std::vector<size_t>& read_until, size_t begin,
                                   size_t end) {
  std::vector<size_t> leaves;
  for (size_t vertex = begin; vertex < end; ++vertex) {
    if (read_until[vertex] >= end) {
      leaves.push_back(vertex);
    }
  }
  return leaves;
}

ProgramPart last_part(const einsum::Graph& graph, size_t begin,
                      const std::function<bool(size_t)>& is_kept) {
  PartBuilder builder(graph, begin, is_kept);
  for (const einsum::Output& output : graph.outputs) {
    builder.need(output.vertex.index());
  }
  ProgramPart part = std::move(builder).build();
  part.is_last = true;
  return part;
}

ProgramPart part_with(const einsum::Graph& graph, size_t begin, std::vector<size_t> leaves,
                      const std::function<bool(size_t)>& is_kept) {
  PartBuilder builder(graph, begin, is_kept);
  for (const size_t leaf : leaves) {
    builder.make(leaf);
  }
  ProgramPart part = std::move(builder).build();
  part.leaves = std::move(leaves);
  return part;
}

}  // namespace

bool is_input(const einsum::Vertex& vertex) {
  return std::visit(Overload{[](const einsum::Input&) { return true; },
                             [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {
                               return false;
                             }},
                    vertex.op);
}

std::vector<size_t> read_until(const einsum::Graph& graph) {
  std::vector<size_t> last(graph.vertices.size(), 0);
  for (size_t reader = 0; reader < graph.vertices.size(); ++reader) {
    for (const einsum::VertexId operand : graph.vertices[reader].operands) {
      last[operand.index()] = reader;
    }
  }
  for (const einsum::Output& output : graph.outputs) {
    last[output.vertex.index()] = kUntilTheEnd;
  }
  for (size_t vertex = 0; vertex < last.size(); ++vertex) {
    last[vertex] = is_input(graph.vertices[vertex]) ? 0 : last[vertex];
  }
  return last;
}

std::vector<ProgramPart> parts_to_run(const einsum::Graph& graph, const std::vector<size_t>& cuts,
                                      const std::function<bool(size_t)>& is_kept) {
  const std::vector<size_t> last_reader = read_until(graph);
  std::vector<ProgramPart> parts = {last_part(graph, cuts.empty() ? 0 : cuts.back(), is_kept)};
  std::set<size_t> wanted(parts.front().reads.begin(), parts.front().reads.end());
  for (size_t number = cuts.size(); number-- > 0;) {
    const size_t begin = number == 0 ? 0 : cuts[number - 1];
    const auto is_missing = [&](size_t vertex) {
      return wanted.contains(vertex) && !is_kept(vertex);
    };
    std::vector<size_t> leaves = leaves_between(last_reader, begin, cuts[number]);
    if (std::any_of(leaves.begin(), leaves.end(), is_missing)) {
      parts.push_back(part_with(graph, begin, std::move(leaves), is_kept));
      wanted.insert(parts.back().reads.begin(), parts.back().reads.end());
    }
  }
  std::reverse(parts.begin(), parts.end());
  return parts;
}

std::string kept_name(const einsum::Vertex& vertex) {
  return vertex.name + ".checkpoint";
}

einsum::Graph graph_of(const ProgramPart& part, const einsum::Graph& whole) {
  einsum::Graph graph;
  std::map<size_t, einsum::VertexId> ids;  // of the part, by number in the whole
  const auto add = [&](size_t number, einsum::Vertex vertex) {
    for (einsum::VertexId& operand : vertex.operands) {
      operand = ids.at(operand.index());
    }
    ids.emplace(number, graph.add(std::move(vertex)));
  };
  for (const size_t number : part.reads) {
    einsum::Vertex vertex = whole.vertices[number];
    vertex.op = einsum::Input{};
    vertex.operands.clear();
    vertex.name = kept_name(vertex);
    add(number, std::move(vertex));
  }
  for (const size_t number : part.made) {
    add(number, whole.vertices[number]);
  }
  for (const size_t number : part.leaves) {
    graph.outputs.push_back({kept_name(whole.vertices[number]), ids.at(number)});
  }
  if (part.is_last) {
    for (const einsum::Output& output : whole.outputs) {
      graph.outputs.push_back({output.name, ids.at(output.vertex.index())});
    }
  }
  return graph;
}

}  // namespace tessera::engine
