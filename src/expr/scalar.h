#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "base/overload.h"
#include "expr/index.h"
#include "types/dtype.h"
#include "types/literal.h"

namespace tessera::expr {

/// An element of an operand; one index per mode.
struct Access {
  int32_t operand = 0;
  std::vector<Index> index;
  friend bool operator==(const Access&, const Access&) = default;
};

/// A number. Its value is converted to the node's dtype. Values are equal to the last bit.
struct Constant {
  Literal value;
  friend bool operator==(const Constant& a, const Constant& b) {
    return same_bits(a.value, b.value);
  }
};

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

/// A call of a registered function (expr/function.h) on earlier nodes. All arguments have the
/// dtypes that the function requires.
struct Call {
  std::string function;
  std::vector<int32_t> arguments;  // positions of earlier nodes
  friend bool operator==(const Call&, const Call&) = default;
};

/// A conversion of an earlier node to the node's dtype, like numpy's astype.
struct Cast {
  int32_t argument = 0;
  friend bool operator==(const Cast&, const Cast&) = default;
};

struct Node {
  std::variant<Constant, Access, IndexOf, Parameter, Call, Cast> op;
  DType dtype = DType::f32;
  friend bool operator==(const Node&, const Node&) = default;
};

/// Calls visit(argument) for every earlier node that a node reads, in written order. If the node is
/// not const, visit may change the argument.
template <SameBut<Node> AnyNode, class Visit>
void for_each_argument(AnyNode& node, Visit visit) {
  std::visit(Overload{[](SameBut<Constant> auto&) {},
                      [&](SameBut<Access> auto& access) {
                        for (auto& index : access.index) {
                          for_each_node(index, visit);
                        }
                      },
                      [](SameBut<IndexOf> auto&) {}, [](SameBut<Parameter> auto&) {},
                      [&](SameBut<Call> auto& call) {
                        for (auto& argument : call.arguments) {
                          visit(argument);
                        }
                      },
                      [&](SameBut<Cast> auto& cast) { visit(cast.argument); }},
             node.op);
}

/// Calls visit(label) for every label that a node itself names, without those of its arguments.
template <SameBut<Node> AnyNode, class Visit>
void for_each_label(AnyNode& node, Visit visit) {
  std::visit(Overload{[](SameBut<Constant> auto&) {},
                      [&](SameBut<Access> auto& access) {
                        for (auto& index : access.index) {
                          for_each_label(index, visit);
                        }
                      },
                      [&](SameBut<IndexOf> auto& index_of) { visit(index_of.label); },
                      [](SameBut<Parameter> auto&) {}, [](SameBut<Call> auto&) {},
                      [](SameBut<Cast> auto&) {}},
             node.op);
}

/// Returns the node in another statement: with its labels and its operand renumbered.
Node renumbered(Node node, std::span<const LabelNumber> labels, std::span<const int32_t> operands);

/// Returns the node with every argument replaced by `where[argument]`.
Node with_arguments(Node node, std::span<const int32_t> where);

/// A scalar expression: a directed acyclic graph in a vector, every node after its arguments, the
/// result last.
///
/// Every dtype is resolved; conversions are explicit Cast nodes, so nothing below the front ends
/// promotes. A Call of dtype f16 or bf16 is computed in f32; a Cast to it, of its own dtype,
/// rounds.
struct Scalar {
  std::vector<Node> nodes;

  DType dtype() const { return nodes.back().dtype; }
  friend bool operator==(const Scalar&, const Scalar&) = default;
};

/// A builder of a Scalar, bottom-up; equal nodes are made once.
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
  /// Adds a Cast to `dtype`, or returns the node itself if it has that dtype already.
  int32_t cast(int32_t node, DType dtype);
  /// Copies every node of another scalar, with its Parameters replaced by `arguments` (nodes of
  /// this builder). Returns the node of its result.
  int32_t inline_scalar(const Scalar& scalar, const std::vector<int32_t>& arguments);

  DType dtype_of(int32_t node) const { return nodes_[static_cast<size_t>(node)].dtype; }
  const Node& node(int32_t number) const { return nodes_[static_cast<size_t>(number)]; }

  /// Returns the expression whose result is `root`, without nodes that it does not need. The order
  /// of the nodes depends on the expression alone (arguments from left to right, then the call),
  /// not on the order of adding, so equal expressions are equal values.
  Scalar finish(int32_t root) const;

 private:
  std::vector<Node> nodes_;
};

/// Returns a scalar that is one access.
Scalar scalar_of(Access access, DType dtype);

/// Returns every access of the expression, in node order.
std::vector<const Access*> accesses_of(const Scalar& scalar);

/// Calls visit(access, dtype) for every access of the expression, in node order. If it is not
/// const, visit may change the access.
template <SameBut<Scalar> AnyScalar, class Visit>
void for_each_access(AnyScalar& scalar, Visit visit) {
  for (auto& node : scalar.nodes) {
    if (auto* access = std::get_if<Access>(&node.op)) {
      visit(*access, node.dtype);
    }
  }
}

/// True if the expression depends on a label, by an access or by index().
bool mentions_label(const Scalar& scalar, LabelNumber label);

/// True if a node is computed from others: a call or a cast.
bool is_computed(const Node& node);

/// True if a node is the constant of that value, in any dtype.
bool is_constant(const Node& node, double value);

/// Returns the labels that a node depends on, by itself or by its arguments, each once, rising.
std::vector<LabelNumber> labels_below(const Scalar& scalar, int32_t node);

/// Counts the elements of its operand that an access of the expression reads if label l has
/// length_of(l) positions: the product over its modes, with a gathered one counted once for every
/// value of the labels that its node depends on.
template <class LengthOf>
double num_read(const Scalar& scalar, const Access& access, LengthOf length_of) {
  double elements = 1;
  for (const Index& index : access.index) {
    elements *= static_cast<double>(num_read(index, length_of));
    for_each_node(index, [&](int32_t node) {
      for (const LabelNumber label : labels_below(scalar, node)) {
        elements *= static_cast<double>(length_of(label));
      }
    });
  }
  return elements;
}

}  // namespace tessera::expr
