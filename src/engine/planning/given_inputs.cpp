#include "engine/planning/given_inputs.h"

#include <map>

#include <fmt/ranges.h>

#include "base/error.h"
#include "base/suggest.h"

namespace tessera::engine {

namespace {

using Tensors = std::map<std::string, ArrayType>;

void add_inputs(const tra::Op& op, const tra::RelationType& type, Tensors& tensors) {
  for (const tra::SourceTensor& source : tra::sources_of(op, type)) {
    tensors.emplace(source.name, source.type);
  }
}

Tensors inputs_of(const einsum::Graph& graph) {
  Tensors tensors;
  for (const einsum::Vertex& vertex : graph.vertices) {
    std::visit(Overload{[&](const einsum::Input&) { tensors.emplace(vertex.name, vertex.type); },
                        [](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {}},
               vertex.op);
  }
  return tensors;
}

Tensors inputs_of(const tra::Graph& graph) {
  Tensors tensors;
  for (const tra::Node& node : graph.nodes) {
    add_inputs(node.op, node.type, tensors);
  }
  return tensors;
}

Tensors inputs_of(const ia::Graph& graph) {
  Tensors tensors;
  for (const ia::Node& node : graph.nodes) {
    if (const tra::Op* op = ia::local_op(node)) {
      add_inputs(*op, node.type, tensors);
    }
  }
  return tensors;
}

Tensors inputs_of(const plan::TaskGraph& graph) {
  Tensors tensors;
  for (const plan::SourceInfo& source : graph.sources) {
    tensors.emplace(source.name, source.type);
  }
  return tensors;
}

}  // namespace

void check_given(const Start& start, const frontend::Bindings& given) {
  TESSERA_USER_CHECK(given.parameters.empty(),
                     "a value is given for {}, but the text of a stage has no parameters: they are "
                     "numbers in it already",
                     given.parameters.begin()->first);
  const Tensors tensors = std::visit([](const auto& stage) { return inputs_of(stage); }, start);
  std::vector<std::string> known;
  for (const auto& [name, type] : tensors) {
    known.push_back(name);
  }
  for (const auto& [name, type] : given.inputs) {
    const auto tensor = tensors.find(name);
    const std::string suggestion = did_you_mean(name, known);
    TESSERA_USER_CHECK(tensor != tensors.end(),
                       "data is given for {}, which the plan does not read; it reads {}{}", name,
                       known.empty() ? "nothing" : fmt::format("{}", fmt::join(known, ", ")),
                       suggestion.empty() ? "" : "; " + suggestion);
    TESSERA_USER_CHECK(type == tensor->second, "the plan is for {} = {}, but its data are {}", name,
                       to_string(tensor->second), to_string(type));
  }
}

}  // namespace tessera::engine
