#include "placement/bounds/lower_bound.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/overload.h"
#include "expr/scalar.h"
#include "placement/bounds/least_projections.h"
#include "types/dtype.h"

namespace tessera::placement {

namespace {

using Labels = std::vector<int32_t>;

/// The part of a subtracted number that may be rounding.
constexpr double kNothing = 1e-9;
/// The growth of the number of turns between trials: one in this many.
constexpr int64_t kMoreTurns = 6;

/// A tensor of a statement: the elements at the labels of every access of it, or of the result.
struct Tensor {
  einsum::VertexId vertex{0};
  double element_bytes = 0;
  double elements = 0;           // of the whole tensor
  std::vector<Labels> accesses;  // different ones
};

struct Statement {
  std::vector<int64_t> extents;  // by label
  double points = 1;
  std::vector<Tensor> tensors;  // the operands, then the result
};

double product_of(const std::vector<int64_t>& extents, const Labels& labels) {
  double product = 1;
  for (const int32_t label : labels) {
    product *= static_cast<double>(extents[static_cast<size_t>(label)]);
  }
  return product;
}

/// Returns the labels of an access whose indices are all plain or fixed; nothing for any other.
std::optional<Labels> labels_of(const expr::Access& access) {
  Labels labels;
  for (const expr::Index& index : access.index) {
    if (!expr::is_plain_or_fixed(index)) {
      return std::nullopt;
    }
    if (const std::optional<expr::LabelNumber> label = expr::plain_label(index)) {
      labels.push_back(*label);
    }
  }
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
  return labels;
}

void add_access(Statement& statement, const einsum::Graph& graph, einsum::VertexId read,
                Labels labels) {
  const auto known = std::find_if(statement.tensors.begin(), statement.tensors.end(),
                                  [&](const Tensor& tensor) { return tensor.vertex == read; });
  if (known == statement.tensors.end()) {
    const ArrayType& type = graph.at(read).type;
    const auto bytes = static_cast<double>(size_of(type.dtype));
    statement.tensors.push_back(
        {read, bytes, static_cast<double>(size_in_bytes(type)) / bytes, {std::move(labels)}});
  } else if (std::find(known->accesses.begin(), known->accesses.end(), labels) ==
             known->accesses.end()) {
    known->accesses.push_back(std::move(labels));
  }
}

/// Makes the result of a statement. A merged result moves as its states.
Tensor result_of(const Statement& statement, const einsum::Vertex& vertex, einsum::VertexId id) {
  auto bytes = static_cast<double>(size_of(vertex.type.dtype));
  const expr::Monoid* const monoid = einsum::monoid_of(vertex.op);
  if (monoid != nullptr && !einsum::reduced_labels(vertex.op).empty()) {
    bytes = 0;
    for (const DType dtype : monoid->state) {
      bytes += static_cast<double>(size_of(dtype));
    }
  }
  const std::vector<expr::LabelNumber>& labels = einsum::result_labels(vertex.op);
  const Labels out(labels.begin(), labels.end());
  return {id, bytes, product_of(statement.extents, out), {out}};
}

Statement statement_of(const einsum::Graph& graph, einsum::VertexId id) {
  const einsum::Vertex& vertex = graph.at(id);
  Statement statement;
  for (const expr::LabelDecl& label : einsum::labels_of(vertex.op)) {
    statement.extents.push_back(label.extent);
    statement.points *= static_cast<double>(label.extent);
  }
  for (const expr::Scalar* expression : einsum::expressions_of(vertex.op)) {
    expr::for_each_access(*expression, [&](const expr::Access& access, DType) {
      if (std::optional<Labels> labels = labels_of(access)) {
        add_access(statement, graph, vertex.operands[static_cast<size_t>(access.operand)],
                   std::move(*labels));
      }
    });
  }
  statement.tensors.push_back(result_of(statement, vertex, id));
  return statement;
}

/// The parts of tensors' copies that count for a statement, by tensor of it.
using Parts = std::vector<double>;

/// The bounds of one statement, with parts of its tensors.
class StatementBound {
 public:
  StatementBound(const Statement& statement, const Parts& parts, const SiteShare& share)
      : statement_(statement), share_(share) {
    for (size_t number = 0; number < statement.tensors.size(); ++number) {
      const Tensor& tensor = statement.tensors[number];
      const double bytes = parts[number] * tensor.element_bytes;
      double elements = 0;
      for (const Labels& labels : tensor.accesses) {
        // The mean of several accesses of one tensor: a site needs no less than the largest.
        projections_.push_back({labels, bytes / static_cast<double>(tensor.accesses.size())});
        elements += product_of(statement.extents, labels);
      }
      begin_with_ += bytes * std::min(tensor.elements, elements);
    }
  }

  CommunicationBound run() const {
    if (statement_.points < 1) {
      return {};
    }
    const double most_points = std::max(1.0, share_.work * statement_.points);
    const double shares = statement_.points / most_points;
    CommunicationBound bound;
    bound.moved_bytes = beyond_begin(shares * least(most_points));
    bound.moved_or_paged_bytes = bound.moved_bytes;
    if (share_.memory_bytes) {
      bound.moved_or_paged_bytes =
          std::max(bound.moved_bytes, beyond_begin(shares * in_turns(most_points)));
    }
    return bound;
  }

 private:
  double least(double points) const {
    return least_projections(statement_.extents, projections_, points);
  }

  /// Returns the bytes that enter and leave a site's memory while it does `points` points, for the
  /// number of turns that gives most. Turns that fit into memory give nothing.
  double in_turns(double points) const {
    const auto memory = static_cast<double>(*share_.memory_bytes);
    double most = 0;
    for (int64_t turns = 1; static_cast<double>(turns) <= points; turns += 1 + turns / kMoreTurns) {
      const double of_turn = least(points / static_cast<double>(turns)) - memory;
      if (of_turn <= 0) {
        break;
      }
      most = std::max(most, static_cast<double>(turns) * of_turn - memory);
    }
    return most;
  }

  double beyond_begin(double bytes) const {
    const double beyond = bytes - begin_with_;
    return beyond > kNothing * begin_with_ ? beyond : 0;
  }

  const Statement& statement_;
  const SiteShare& share_;
  std::vector<Projection> projections_;
  double begin_with_ = 0;  // bytes of all tensors in one copy
};

/// The statements of a graph, and the points of all readers of a tensor.
struct Statements {
  std::vector<std::optional<Statement>> by_vertex;  // nothing for an input
  std::map<einsum::VertexId, double> points_of_readers;

  /// An operand counts in proportion to the points, the partial results are a statement's own.
  Parts parts_of(const Statement& statement) const {
    Parts parts;
    for (const Tensor& tensor : statement.tensors) {
      const bool is_result = parts.size() + 1 == statement.tensors.size();
      const double all = is_result ? 0 : points_of_readers.at(tensor.vertex);
      parts.push_back(all > 0 ? statement.points / all : 1);
    }
    return parts;
  }
};

Statements statements_of(const einsum::Graph& graph) {
  Statements statements;
  for (size_t number = 0; number < graph.vertices.size(); ++number) {
    const einsum::VertexId id(static_cast<int64_t>(number));
    statements.by_vertex.push_back(
        std::visit(Overload{[](const einsum::Input&) { return std::optional<Statement>(); },
                            [&](const Among<einsum::EinSum, einsum::Scan, einsum::Whole> auto&) {
                              return std::optional(statement_of(graph, id));
                            }},
                   graph.at(id).op));
    if (const std::optional<Statement>& made = statements.by_vertex.back()) {
      for (size_t tensor = 0; tensor + 1 < made->tensors.size(); ++tensor) {
        statements.points_of_readers[made->tensors[tensor].vertex] += made->points;
      }
    }
  }
  return statements;
}

}  // namespace

CommunicationBounds communication_bounds(const einsum::Graph& graph, const SiteShare& share) {
  const Statements statements = statements_of(graph);
  CommunicationBounds bounds;
  CommunicationBound most;
  CommunicationBound sum;
  for (const std::optional<Statement>& statement : statements.by_vertex) {
    bounds.statements.emplace_back();
    if (!statement) {
      continue;
    }
    CommunicationBound& alone = bounds.statements.back();
    alone = StatementBound(*statement, Parts(statement->tensors.size(), 1), share).run();
    most = {std::max(most.moved_bytes, alone.moved_bytes),
            std::max(most.moved_or_paged_bytes, alone.moved_or_paged_bytes)};
    const CommunicationBound part =
        StatementBound(*statement, statements.parts_of(*statement), share).run();
    sum = {sum.moved_bytes + part.moved_bytes,
           sum.moved_or_paged_bytes + part.moved_or_paged_bytes};
  }
  bounds.program = {std::max(most.moved_bytes, sum.moved_bytes),
                    std::max(most.moved_or_paged_bytes, sum.moved_or_paged_bytes)};
  return bounds;
}

}  // namespace tessera::placement
