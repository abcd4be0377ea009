#include "engine/checkpoints/names.h"

#include <algorithm>
#include <functional>

#include <fmt/format.h>

#include "base/overload.h"
#include "engine/processes/samples.h"
#include "ir/einsum/text.h"

namespace tessera::engine {

namespace {

/// The version of names: a change of checkpoints, or of the meaning of their names, increases it.
constexpr int kNamesVersion = 1;

std::string digest(const std::string& text) {
  const std::hash<std::string> hash;
  return fmt::format("{:016x}{:016x}", hash(text), hash("other half\n" + text));
}

/// Returns a statement by itself as text, without its name and those of its operands.
std::string text_of_statement(const einsum::Graph& graph, const einsum::Vertex& vertex,
                              const Setup& setup) {
  einsum::Graph alone;
  einsum::Vertex statement = vertex;
  statement.operands.clear();
  for (const einsum::VertexId operand : vertex.operands) {
    einsum::Vertex read = graph.at(operand);
    read.op = einsum::Input{};
    read.operands.clear();
    read.name = fmt::format("x{}", alone.vertices.size());
    read.labels.clear();
    read.origin = {};
    statement.operands.push_back(alone.add(std::move(read)));
  }
  statement.name = "o";
  statement.origin = {};
  alone.add(std::move(statement));
  return ir::to_text(einsum::describe(alone, setup.aggregates()));
}

/// A generator of names for one vertex after the other.
class Namer {
 public:
  Namer(const einsum::Graph& graph, const std::map<std::string, std::string>& identities,
        const Setup& setup)
      : graph_(graph), identities_(identities), setup_(setup), settings_(settings_text(setup)) {}

  std::vector<std::string> names() && {
    for (const einsum::Vertex& vertex : graph_.vertices) {
      names_.push_back(
          std::visit(Overload{[&](const einsum::Input&) { return name_of_input(vertex); },
                              [&](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {
                                return name_of_statement(vertex);
                              }},
                     vertex.op));
    }
    return std::move(names_);
  }

 private:
  std::string name_of_input(const einsum::Vertex& vertex) const {
    const auto known = identities_.find(vertex.name);
    return known == identities_.end() ? "" : digest(to_string(vertex.type) + "\n" + known->second);
  }

  std::string name_of_statement(const einsum::Vertex& vertex) const {
    std::string text = settings_ + "\n" + text_of_statement(graph_, vertex, setup_);
    for (const einsum::VertexId operand : vertex.operands) {
      const std::string& name = names_[operand.index()];
      if (name.empty()) {
        return "";
      }
      text += "\n" + name;
    }
    return digest(text);
  }

  const einsum::Graph& graph_;
  const std::map<std::string, std::string>& identities_;
  const Setup& setup_;
  std::string settings_;
  std::vector<std::string> names_;  // of the vertices so far
};

}  // namespace

std::string settings_text(const Setup& setup) {
  const Settings& settings = setup.settings();
  return fmt::format("checkpoint {} of tessera {}; {}; kernel {}; {}; {}", kNamesVersion,
                     TESSERA_VERSION, settings.reproducible ? "reproducible" : "any order",
                     settings.kernel.value_or("any"), name_of(setup.machine().isa),
                     kernels::name_of(settings.precision));
}

std::map<std::string, std::string> identities_of(const Sources& sources) {
  std::map<std::string, std::string> identities;
  for (const auto& [name, source] : sources) {
    identities[name] = fmt::format("{}; {}; {:016x}", to_string(source->type()), source->stamp(),
                                   hash_of_samples(*source));
  }
  return identities;
}

std::vector<std::string> names_of_vertices(const einsum::Graph& graph,
                                           const std::map<std::string, std::string>& identities,
                                           const Setup& setup) {
  return Namer(graph, identities, setup).names();
}

}  // namespace tessera::engine
