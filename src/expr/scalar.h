#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::expr {

/// A label of the statement that the expression stands in: a position in its label table.
using LabelNumber = int32_t;

/// Where one mode of an operand is read: offset + sum(coefficient * label).
///
/// A plain label is one term with coefficient 1. No terms and offset 0 reads the only element of a
/// mode of extent 1 that is broadcast. Two modes with the same label are a diagonal.
struct AffineIndex {
  struct Term {
    LabelNumber label = 0;
    int64_t coefficient = 1;
    friend bool operator==(const Term&, const Term&) = default;
  };
  std::vector<Term> terms;
  int64_t offset = 0;
  friend bool operator==(const AffineIndex&, const AffineIndex&) = default;
};

AffineIndex plain(LabelNumber label);
bool is_plain(const AffineIndex& index);

/// An element of an operand; one index per mode.
struct Access {
  int32_t operand = 0;
  std::vector<AffineIndex> index;
  friend bool operator==(const Access&, const Access&) = default;
};

/// A number. Its value is converted to the node's dtype.
struct Constant {
  Literal value;
};
/// Equal to the last bit: 0.0 is not -0.0, and a NaN equals every NaN.
bool operator==(const Constant& a, const Constant& b);

/// The position along a label, in the whole tensor (not in the tile). The node's dtype is i64.
struct IndexOf {
  LabelNumber label = 0;
  friend bool operator==(const IndexOf&, const IndexOf&) = default;
};

/// Argument number `position` of a monoid's combine or of a macro-like scalar body.
struct Parameter {
  int32_t position = 0;
  friend bool operator==(const Parameter&, const Parameter&) = default;
};

/// A registered function (expr/function.h) of earlier nodes. All arguments have the dtypes the
/// function asks for.
struct Call {
  std::string function;
  std::vector<int32_t> arguments;  // positions of earlier nodes
  friend bool operator==(const Call&, const Call&) = default;
};

/// Converts an earlier node to the node's dtype, as numpy's astype does.
struct Cast {
  int32_t argument = 0;
  friend bool operator==(const Cast&, const Cast&) = default;
};

struct Node {
  std::variant<Constant, Access, IndexOf, Parameter, Call, Cast> op;
  DType dtype = DType::f32;
  friend bool operator==(const Node&, const Node&) = default;
};

/// A scalar expression: a directed acyclic graph in a vector, every node after its arguments, the
/// result last.
///
/// Every dtype is resolved; conversions are explicit Cast nodes, so nothing below the front ends
/// promotes. Nodes of dtype f16 or bf16 are computed in f32 and rounded where the result is stored.
struct Scalar {
  std::vector<Node> nodes;

  DType dtype() const { return nodes.back().dtype; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// Builds a Scalar bottom-up; equal nodes are made once.
class ScalarBuilder {
 public:
  int32_t add(Node node);
  int32_t constant(Literal value, DType dtype) { return add({Constant{value}, dtype}); }
  int32_t access(Access access, DType dtype) { return add({std::move(access), dtype}); }
  int32_t index_of(LabelNumber label) { return add({IndexOf{label}, DType::i64}); }
  int32_t parameter(int32_t position, DType dtype) { return add({Parameter{position}, dtype}); }
  int32_t call(std::string function, std::vector<int32_t> arguments, DType dtype) {
    return add({Call{std::move(function), std::move(arguments)}, dtype});
  }
  /// A Cast to `dtype`, or the node itself where it has that dtype already.
  int32_t cast(int32_t node, DType dtype);
  /// Copies every node of another scalar, its Parameters replaced by `arguments` (nodes of this
  /// builder); returns where its result now is.
  int32_t inline_scalar(const Scalar& scalar, const std::vector<int32_t>& arguments);

  DType dtype_of(int32_t node) const { return nodes_[static_cast<size_t>(node)].dtype; }
  const Node& node(int32_t number) const { return nodes_[static_cast<size_t>(number)]; }

  /// The expression whose result is `root`; nodes that it does not need are left out. The order of
  /// the nodes depends on the expression alone (arguments from left to right, then the call), not
  /// on the order they were added in, so equal expressions are equal values.
  Scalar finish(int32_t root) const;

 private:
  std::vector<Node> nodes_;
};

/// A scalar that is one access.
Scalar scalar_of(Access access, DType dtype);

/// Every access of the expression, in node order.
std::vector<const Access*> accesses_of(const Scalar& scalar);

/// Whether the expression depends on a label, by an access or by index().
bool mentions_label(const Scalar& scalar, LabelNumber label);

}  // namespace tessera::expr
