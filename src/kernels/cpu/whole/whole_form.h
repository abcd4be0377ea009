#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "kernels/context.h"
#include "kernels/cpu/whole/routine.h"

namespace tessera::kernels {

/// An argument or the result of a call of a function of whole arrays, with its modes.
struct WholeOperand {
  size_t operand = 0;
  DType dtype = DType::f64;
  std::vector<expr::Index> index;        // of every mode, plain or fixed
  std::vector<expr::LabelNumber> inner;  // the labels of one array: columns, then core labels

  int64_t array_elements(std::span<const LabelRange> ranges) const;
};

/// A statement as calls of a routine, one for all positions of the outer labels.
struct WholeForm {
  Routine routine;
  std::vector<expr::LabelNumber> outer;
  std::vector<expr::LabelNumber> columns;  // labels that the first argument lacks
  std::vector<expr::LabelNumber> core;
  std::vector<WholeOperand> arguments;
  WholeOperand result;

  DType dtype() const { return arguments.back().dtype; }
  int64_t num_arrays(std::span<const LabelRange> ranges) const;
};

/// Reads a sound statement (expr/verify.h) in this form, or returns why it has none.
OrRefusal<WholeForm> whole_form_of(const expr::TileProgram& program, const CallShape& shape,
                                   const RoutineRegistry& routines,
                                   const expr::FunctionRegistry& functions);

/// Returns the product of the lengths of labels.
int64_t num_positions(const std::vector<expr::LabelNumber>& labels,
                      std::span<const LabelRange> ranges);

}  // namespace tessera::kernels
