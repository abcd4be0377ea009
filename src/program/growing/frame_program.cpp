#include "program/growing/frame_program.h"

#include <utility>

#include <fmt/format.h>

#include "program/growing/label.h"

namespace tessera::program {

namespace {

einsum::Vertex input_vertex(const std::string& name, const ArrayType& type) {
  einsum::Vertex vertex;
  vertex.op = einsum::Input{};
  vertex.name = name;
  vertex.type = type;
  FreshLabels labels;
  for (const Label& label : labels.of(type.shape)) {
    vertex.labels.push_back(name_of(label));
  }
  return vertex;
}

/// Adds the vertices of a statement; returns the one of its tensor.
einsum::VertexId add_statement(const BoundStatement& statement,
                               const std::vector<einsum::VertexId>& reads, const Origin& origin,
                               einsum::Graph& graph) {
  std::vector<einsum::VertexId> places = reads;  // of the statement's vertices
  const std::vector<einsum::Vertex>& vertices = statement.graph.vertices;
  for (size_t number = statement.num_reads; number < vertices.size(); ++number) {
    einsum::Vertex vertex = vertices[number];
    vertex.name = origin.statement + vertex.name;  // a part of the statement is named ".1"
    vertex.origin = origin;
    for (einsum::VertexId& operand : vertex.operands) {
      operand = places[operand.index()];
    }
    places.push_back(graph.add(std::move(vertex)));
  }
  return places[statement.graph.outputs.front().vertex.index()];
}

}  // namespace

frontend::BoundProgram program_of(const FrameShape& shape, const std::vector<std::string>& names,
                                  const std::string& text_name, int64_t first_line) {
  frontend::BoundProgram program;
  std::vector<einsum::VertexId> tensors;
  for (const ArrayType& input : shape.inputs) {
    tensors.push_back(program.graph.add(input_vertex(names[tensors.size()], input)));
  }
  for (const FrameShape::Member& member : shape.members) {
    const std::string& name = names[tensors.size()];
    const auto line = first_line + static_cast<int64_t>(tensors.size() - shape.inputs.size());
    std::vector<einsum::VertexId> reads;
    for (const size_t read : member.reads) {
      reads.push_back(tensors[read]);
    }
    tensors.push_back(
        add_statement(*member.statement, reads, {name, text_name, line, 1}, program.graph));
    program.defined.insert(name);
  }
  for (const size_t output : shape.outputs) {
    program.graph.outputs.push_back({names[output], tensors[output]});
  }
  return program;
}

std::vector<std::string> names_by_place(size_t num_tensors) {
  std::vector<std::string> names;
  for (size_t place = 1; place <= num_tensors; ++place) {
    names.push_back(fmt::format("X{}", place));
  }
  return names;
}

}  // namespace tessera::program
