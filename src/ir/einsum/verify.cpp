#include "ir/einsum/verify.h"

#include <set>

#include <fmt/format.h>

#include "base/problems.h"
#include "expr/guard.h"
#include "expr/table_gather.h"
#include "expr/verify.h"

namespace tessera::einsum {

namespace {

/// A verifier of one vertex, whose operands stand before it.
class VertexVerifier {
 public:
  VertexVerifier(const Graph& graph, const Vertex& vertex, const expr::FunctionRegistry& functions)
      : graph_(graph), vertex_(vertex), functions_(functions) {}

  Problems run() && {
    if (vertex_.name.empty()) {
      problems_.emplace_back("it has no name");
    }
    if (vertex_.labels.size() != vertex_.type.shape.size()) {
      problems_.push_back(fmt::format("it has {} modes but {} names of modes",
                                      vertex_.type.shape.size(), vertex_.labels.size()));
    }
    add(expr::verify(vertex_.type));
    std::visit([&](const auto& op) { check(op); }, vertex_.op);
    return std::move(problems_);
  }

 private:
  void add(const Problems& found) { problems_.insert(problems_.end(), found.begin(), found.end()); }

  void check(const Input&) {
    if (!vertex_.operands.empty()) {
      problems_.emplace_back("an input reads other vertices");
    }
  }

  void check(const EinSum& einsum) {
    const size_t before = problems_.size();
    add(expr::verify(einsum.labels));
    add(expr::verify_labels(einsum.labels, einsum.out, einsum.over));
    if (problems_.size() > before) {
      return;  // the rest looks labels up
    }
    check_body(einsum);
    check_reduction(einsum);
    check_type(einsum);
    if (einsum.gathers_source && problems_.size() == before) {
      check_gather(einsum);
    }
  }

  void check_gather(const EinSum& einsum) {
    const std::optional<expr::TableGather> gather = expr::table_gather_of(einsum.body);
    const auto is_input = [&](int32_t operand) {
      const VertexId read = vertex_.operands[static_cast<size_t>(operand)];
      return std::visit(Overload{[](const Input&) { return true; },
                                 [](const Among<EinSum, Scan, Whole> auto&) { return false; }},
                        graph_.at(read).op);
    };
    if (einsum.reduction || !gather || gather->labels != einsum.out ||
        !is_input(gather->copied.operand)) {
      problems_.emplace_back("what is read from a source is an input, gathered in order");
    }
  }

  void check(const Scan& scan) {
    const size_t before = problems_.size();
    add(expr::verify(scan.labels));
    add(expr::verify_labels(scan.labels, scan.out, {}));
    if (problems_.size() > before) {
      return;  // the rest looks labels up
    }
    expr::Scope scope = scope_of(scan.labels, scan.out);
    add(expr::verify_statement({scan.out, scan.bodies, scan.what}, scope, functions_));
    if (problems_.size() > before) {
      return;
    }
    scope.parameters = scan.what.monoid.state;
    add(expr::verify(scan.result, scope, functions_));
    if (!scan.result.nodes.empty()) {
      check_type(scan.result.dtype(), scan.labels, scan.out);
    }
  }

  void check(const Whole& whole) {
    const size_t before = problems_.size();
    add(expr::verify(whole.labels));
    add(expr::verify_labels(whole.labels, whole.out, whole.what.over));
    if (problems_.size() > before) {
      return;  // the rest looks labels up
    }
    std::vector<expr::LabelNumber> bound = whole.out;
    bound.insert(bound.end(), whole.what.over.begin(), whole.what.over.end());
    add(expr::verify_statement({whole.out, {whole.body}, whole.what}, scope_of(whole.labels, bound),
                               functions_));
    if (problems_.size() == before) {
      check_type(whole.body.dtype(), whole.labels, whole.out);
    }
  }

  /// Returns the scope of a statement's expressions: what they may read.
  expr::Scope scope_of(const std::vector<expr::LabelDecl>& labels,
                       const std::vector<expr::LabelNumber>& bound) const {
    expr::Scope scope{labels, bound, {}, {}};
    for (const VertexId operand : vertex_.operands) {
      scope.operands.push_back(graph_.at(operand).type);
    }
    return scope;
  }

  void check_body(const EinSum& einsum) {
    std::vector<expr::LabelNumber> bound = einsum.out;
    bound.insert(bound.end(), einsum.over.begin(), einsum.over.end());
    add(expr::verify(einsum.body, scope_of(einsum.labels, bound), functions_));
    const bool is_guarded = expr::guard_of(einsum.body).has_value();
    if (expr::has_inner_guard(einsum.body) || (is_guarded && !einsum.reduction)) {
      problems_.emplace_back("only() stands anywhere but at the root of what an aggregate takes");
    }
  }

  void check_reduction(const EinSum& einsum) {
    const bool reduces = einsum.reduction.has_value();
    if (reduces == einsum.over.empty() || reduces == einsum.aggregate.empty()) {
      problems_.emplace_back("an aggregate stands without labels, or labels without an aggregate");
    }
    if (reduces && !einsum.body.nodes.empty()) {
      for (const std::string& problem :
           expr::verify(*einsum.reduction, einsum.body.dtype(), functions_)) {
        problems_.push_back(fmt::format("aggregate {}: {}", einsum.aggregate, problem));
      }
    }
  }

  void check_type(const EinSum& einsum) {
    if (einsum.body.nodes.empty() ||
        (einsum.reduction && einsum.reduction->finalise.nodes.empty())) {
      return;  // reported already
    }
    check_type(einsum.reduction ? einsum.reduction->result() : einsum.body.dtype(), einsum.labels,
               einsum.out);
  }

  void check_type(DType dtype, const std::vector<expr::LabelDecl>& labels,
                  const std::vector<expr::LabelNumber>& out) {
    ArrayType inferred{dtype, {}};
    for (const expr::LabelNumber label : out) {
      inferred.shape.push_back(labels[static_cast<size_t>(label)].extent);
    }
    if (inferred != vertex_.type) {
      problems_.push_back(fmt::format("its type is given as {} but follows as {}",
                                      to_string(vertex_.type), to_string(inferred)));
    }
  }

  const Graph& graph_;
  const Vertex& vertex_;
  const expr::FunctionRegistry& functions_;
  Problems problems_;
};

std::string name_of_vertex(const Graph& graph, size_t number) {
  return fmt::format("vertex %{} ({})", number, graph.vertices[number].name);
}

Problems verify_vertex(const Graph& graph, size_t number, const expr::FunctionRegistry& functions) {
  const Vertex& vertex = graph.vertices[number];
  for (const VertexId operand : vertex.operands) {
    if (!operand.valid() || operand.index() >= number) {
      return {fmt::format("it reads vertex %{}, which is not before it", operand.value)};
    }
  }
  return VertexVerifier(graph, vertex, functions).run();
}

}  // namespace

std::vector<std::string> verify(const Graph& graph, const expr::FunctionRegistry& functions) {
  Problems problems;
  std::set<std::string> names;
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    for (const std::string& problem : verify_vertex(graph, number, functions)) {
      problems.push_back(name_of_vertex(graph, number) + ": " + problem);
    }
    if (!names.insert(graph.vertices[number].name).second) {
      problems.push_back(name_of_vertex(graph, number) + ": an earlier vertex has that name");
    }
  }
  const Problems outputs = ir::problems_of_outputs(
      named_outputs(graph), static_cast<int64_t>(graph.vertices.size()), "vertex");
  problems.insert(problems.end(), outputs.begin(), outputs.end());
  return problems;
}

}  // namespace tessera::einsum
