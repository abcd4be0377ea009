#pragma once

#include <span>
#include <vector>

#include "expr/scalar.h"
#include "kernels/block_function.h"
#include "kernels/kernel.h"
#include "kernels/reference/element.h"
#include "types/tile_view.h"

namespace tessera::kernels {

/// The place of an operand's elements: a TileView whose shape, strides and origin are kept
/// elsewhere, so that one can be made during a call, which may not allocate.
struct OperandView {
  std::byte* data = nullptr;
  DType dtype = DType::f32;
  const int64_t* shape = nullptr;
  const int64_t* strides = nullptr;
  const int64_t* origin = nullptr;
};

OperandView operand_view_of(const TileView& view) noexcept;

/// The environment of an expression.
struct ScalarContext {
  std::span<const int64_t> labels;        // the value of every label, in the whole tensor
  std::span<const OperandView> operands;  // inputs, then the results of the statements
  const Element* parameters = nullptr;    // of a monoid's combine: left state, right state
  DataFault* out_of_range = nullptr;      // to note the faulty read; may be null
};

/// An expression compiled for evaluation element by element: constants are converted, functions
/// looked up. Threads: evaluate() may run in any number at once, each with its own `values`.
class ScalarCode {
 public:
  /// Throws an internal Error if a call has no code for its dtypes.
  explicit ScalarCode(const expr::Scalar& scalar, Isa isa = Isa::scalar);

  /// Returns the number of Elements that evaluate() needs, one per node.
  size_t num_values() const { return scalar_.nodes.size(); }
  DType dtype() const { return scalar_.dtype(); }

  /// Evaluates every node in order into `values`; the result is the last one. No allocation, no
  /// throw.
  Status evaluate(const ScalarContext& context, std::span<Element> values) const noexcept;

 private:
  Status evaluate_node(size_t number, const ScalarContext& context,
                       std::span<Element> values) const noexcept;
  /// `values` has those of the nodes that the access reads.
  Status read(const expr::Access& access, const ScalarContext& context,
              std::span<const Element> values, Element& to) const noexcept;
  /// Notes which mode of the access is out of range, if anyone asks.
  void note_out_of_range(const expr::Access& access, const ScalarContext& context,
                         std::span<const Element> values) const noexcept;

  /// Runs the function of a node.
  Status call(size_t number, std::span<const int32_t> arguments,
              std::span<Element> values) const noexcept;

  expr::Scalar scalar_;
  Isa isa_;
  std::vector<BlockFunction> functions_;  // one per node; null if the node is no call and no cast
  std::vector<Element> constants_;        // one per node
};

/// Returns the address of the element of `view` at linear indices, or null if it lies outside the
/// view.
std::byte* locate(const OperandView& view, const std::vector<expr::Index>& index,
                  std::span<const int64_t> labels) noexcept;

}  // namespace tessera::kernels
