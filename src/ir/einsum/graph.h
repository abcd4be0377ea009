#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/id.h"
#include "expr/monoid.h"
#include "expr/tile_program.h"
#include "ir/named_outputs.h"
#include "types/array_type.h"
#include "types/origin.h"
#include "types/storage_order.h"

namespace tessera::einsum {

struct Graph;
using VertexId = Id<Graph>;

/// A tensor that the user supplies; known by its name.
struct Input {
  StorageOrder order = StorageOrder::row_major;  // of its file
  friend bool operator==(const Input&, const Input&) = default;
};

/// result[out] = aggregate over labels of body, in the extended Einstein notation (EinDecomp §3;
/// any number of operands).
///
/// Labels belong to this vertex alone. `over` is empty exactly if there is no aggregate. Labels of
/// no operand are allowed: the result is repeated along them, or the body reads their index().
struct EinSum {
  std::vector<expr::LabelDecl> labels;
  std::vector<expr::LabelNumber> out;
  std::vector<expr::LabelNumber> over;
  std::string aggregate;                          // its name: "sum"; empty without one
  std::optional<expr::BoundAggregate> reduction;  // the aggregate bound to the body's dtype
  expr::Scalar body;  // accesses: operand numbers are positions in Vertex::operands
  /// True if the body is a gather by tables (expr/table_gather.h) of an input, of which only the
  /// elements named by the tables are read, when they are needed: no tile is made of it.
  bool gathers_source = false;
};
bool operator==(const EinSum& a, const EinSum& b);

/// result[out] = the running states of a monoid along a label of the result, each read by `result`.
///
/// A body for each entry of the state is merged at a position; `result` is over the entries
/// (Parameters 0..n-1) and may read operands at the labels of the result. The merge is that of a
/// Scan of a tile program (expr/tile_program.h); the monoid need not be commutative.
struct Scan {
  std::vector<expr::LabelDecl> labels;
  std::vector<expr::LabelNumber> out;  // all labels, in the order of the result's modes
  expr::Scan what;
  std::vector<expr::Scalar> bodies;
  expr::Scalar result;
  friend bool operator==(const Scan&, const Scan&) = default;
};

/// result[out] = a function of whole arrays of its operands, by a statement of tile programs of
/// this kind (expr/tile_program.h): no core label is cut.
struct Whole {
  std::vector<expr::LabelDecl> labels;
  std::vector<expr::LabelNumber> out;
  expr::Whole what;
  expr::Scalar body;
  friend bool operator==(const Whole&, const Whole&) = default;
};

/// The closed set of operations on whole tensors. To add one, see ir/README.md.
using Op = std::variant<Input, EinSum, Scan, Whole>;

struct Vertex {
  Op op;
  std::vector<VertexId> operands;
  std::string
      name;  // the user's, or made up for a part of an expression ("T1.2"); unique in the graph
  ArrayType type;
  std::vector<std::string> labels;  // one name per mode, as the user wrote them
  Origin origin;
  friend bool operator==(const Vertex&, const Vertex&) = default;
};

/// Returns the einsum of a vertex. REQUIRES it is one: another operator is an internal Error.
const EinSum& einsum_of(const Vertex& vertex);

/// Returns the labels of a statement; an input has none of its own.
const std::vector<expr::LabelDecl>& labels_of(const Op& op);

/// Returns the expressions of a statement, whose accesses read its operands.
std::vector<const expr::Scalar*> expressions_of(const Op& op);

/// Return the labels of a statement's result, and the other labels that it runs over.
const std::vector<expr::LabelNumber>& result_labels(const Op& op);
const std::vector<expr::LabelNumber>& reduced_labels(const Op& op);

/// Returns the operand that a statement gathers from its source, if it does.
std::optional<int32_t> source_operand(const Op& op);

/// Returns the monoid that a statement merges by; null if it merges nothing.
const expr::Monoid* monoid_of(const Op& op);

struct Output {
  std::string name;
  VertexId vertex;
  friend bool operator==(const Output&, const Output&) = default;
};

/// A program over whole tensors: vertices in topological order. A value: built once, never edited
/// in place.
struct Graph {
  std::vector<Vertex> vertices;
  std::vector<Output> outputs;

  const Vertex& at(VertexId id) const { return vertices[id.index()]; }
  VertexId add(Vertex vertex) {
    vertices.push_back(std::move(vertex));
    return VertexId(static_cast<int64_t>(vertices.size()) - 1);
  }
  friend bool operator==(const Graph&, const Graph&) = default;
};

/// Returns the results in the form of ir/named_outputs.h.
std::vector<ir::NamedOutput> named_outputs(const Graph& graph);

}  // namespace tessera::einsum
