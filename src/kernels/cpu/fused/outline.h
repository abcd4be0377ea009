#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/fused/statements.h"

namespace tessera::kernels {

/// A result of a statement: the statements between which it lives, and the later result that
/// overwrites it in place, or -1.
struct FusedResult {
  int statement = 0;
  DType dtype = DType::f32;
  int last_reader = 0;
  int overwritten_by = -1;
};

/// The facts that are the same for every band length: the statements that run per band, and the
/// lifetimes of their results. Borrows the program, its parts and the shape.
struct Outline {
  const expr::TileProgram& program;
  const CallShape& shape;
  const std::vector<StatementPart>& parts;  // by statement
  BandLabels bands;
  std::vector<FusedResult> results;  // by operand, without the inputs
  std::vector<int> num_reading;      // by input: the statements run per band that read it

  int last() const { return static_cast<int>(parts.size()) - 1; }
  bool runs_per_band(int statement) const {
    return bands.runs_per_band[static_cast<size_t>(statement)];
  }
  const expr::TileStatement& statement(int number) const {
    return program.statements[static_cast<size_t>(number)];
  }
  bool is_band_label(expr::LabelNumber label) const;
};

/// Makes the outline of a program whose statements run over bands of the given labels. An
/// element-wise statement overwrites a result of its dtype and labels that nothing reads later.
Outline outline_of(const expr::TileProgram& program, const CallShape& shape,
                   const std::vector<StatementPart>& parts, const BandLabels& bands);

}  // namespace tessera::kernels
