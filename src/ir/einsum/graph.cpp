#include "ir/einsum/graph.h"

#include "base/error.h"

namespace tessera::einsum {

namespace {

bool equal(const expr::BoundAggregate& a, const expr::BoundAggregate& b) {
  return a.monoid == b.monoid && a.lift == b.lift && a.finalise == b.finalise &&
         a.defined_on_empty == b.defined_on_empty;
}

}  // namespace

bool operator==(const EinSum& a, const EinSum& b) {
  const bool same_reduction =
      a.reduction && b.reduction ? equal(*a.reduction, *b.reduction) : !a.reduction && !b.reduction;
  return a.labels == b.labels && a.out == b.out && a.over == b.over && a.aggregate == b.aggregate &&
         same_reduction && a.body == b.body;
}

const EinSum& einsum_of(const Vertex& vertex) {
  return std::visit(Overload{[&](const Input&) -> const EinSum& {
                               throw_error(ErrorKind::internal, "{} is an input, no statement",
                                           vertex.name);
                             },
                             [](const EinSum& einsum) -> const EinSum& { return einsum; }},
                    vertex.op);
}

std::vector<ir::NamedOutput> named_outputs(const Graph& graph) {
  std::vector<ir::NamedOutput> outputs;
  for (const Output& output : graph.outputs) {
    outputs.push_back({output.name, output.vertex.value});
  }
  return outputs;
}

}  // namespace tessera::einsum
