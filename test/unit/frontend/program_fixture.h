#pragma once

#include <string>

#include "expr/text/text.h"
#include "frontend/einsum/einsum.h"
#include "unit/expr/registries.h"

namespace tessera::frontend {

inline const Vocabulary& test_vocabulary() {
  static const Vocabulary vocabulary{expr::all_functions(), expr::all_aggregates()};
  return vocabulary;
}

/// Bindings from texts: {{"X", "f32[3,4]"}}.
inline Bindings data(const std::map<std::string, std::string>& types,
                     const std::map<std::string, Literal>& parameters = {}) {
  Bindings bindings;
  for (const auto& [name, type] : types) {
    bindings.inputs[name] = parse_array_type(type).value();
  }
  bindings.parameters = parameters;
  return bindings;
}

inline Result<einsum::Graph> bind_text(const std::string& text, const Bindings& bindings) {
  Result<BoundProgram> bound = bind_program({"p.ein", text}, bindings, test_vocabulary());
  if (!bound.ok()) {
    return bound.diagnostics();
  }
  const Diagnostics* warnings = bound.warnings();
  return warnings == nullptr ? Result(bound.value().graph) : Result(bound.value().graph, *warnings);
}

/// A vertex as `T1.1: f32[i=2,j=3] = sum[k] x0[i,k] * x1[k,j] (A, B)`.
inline std::string vertex_text(const einsum::Graph& graph, const einsum::Vertex& vertex) {
  std::string text = vertex.name + ": " + std::string(name_of(vertex.type.dtype)) + "[";
  for (size_t mode = 0; mode < vertex.labels.size(); ++mode) {
    text += (mode == 0 ? "" : ",") + vertex.labels[mode] + "=" +
            std::to_string(vertex.type.shape[mode]);
  }
  text += "]";
  if (const auto* einsum = std::get_if<einsum::EinSum>(&vertex.op)) {
    expr::Names names;
    for (const expr::LabelDecl& label : einsum->labels) {
      names.labels.push_back(label.name);
    }
    for (const einsum::VertexId operand : vertex.operands) {
      names.operands.push_back(graph.at(operand).name);
    }
    text += " = ";
    if (!einsum->over.empty()) {
      text += einsum->aggregate + "[";
      for (size_t at = 0; at < einsum->over.size(); ++at) {
        const expr::LabelDecl& label = einsum->labels[static_cast<size_t>(einsum->over[at])];
        text += (at == 0 ? "" : ",") + label.name + "=" + std::to_string(label.extent);
      }
      text += "] ";
    }
    text += expr::to_text(einsum->body, names);
  }
  return text;
}

/// Every vertex but the inputs, one a line, then the outputs; or the findings.
inline std::string bound(const std::string& text, const Bindings& bindings = {}) {
  Result<einsum::Graph> result = bind_text(text, bindings);
  if (!result.ok()) {
    return result.diagnostics().render();
  }
  const einsum::Graph& graph = result.value();
  std::string lines;
  for (const einsum::Vertex& vertex : graph.vertices) {
    if (!std::holds_alternative<einsum::Input>(vertex.op)) {
      lines += vertex_text(graph, vertex) + "\n";
    }
  }
  lines += "output";
  for (const einsum::Output& output : graph.outputs) {
    lines += " " + output.name;
  }
  return lines;
}

}  // namespace tessera::frontend
