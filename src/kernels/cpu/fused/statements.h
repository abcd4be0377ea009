#pragma once

#include <optional>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// One statement of a program as a program of its own: it has the labels and the operands that it
/// uses, numbered anew.
struct StatementPart {
  expr::TileProgram program;
  std::vector<expr::LabelNumber> labels;  // of the whole program, for each label of `program`
  std::vector<int32_t> operands;          // of the whole program, for each input of `program`
  int32_t first_result = 0;               // the operand of the whole program that it makes first

  int32_t num_results() const { return static_cast<int32_t>(program.statements[0].bodies.size()); }
};

/// The statements of a program, in order.
std::vector<StatementPart> split_statements(const expr::TileProgram& program);

/// The statement that makes an operand, or -1 for an input of the program.
int statement_of(const std::vector<StatementPart>& parts, int32_t operand);

/// The calls' ranges of the labels that a part has.
CallShape shape_of_part(const StatementPart& part, const std::vector<LabelRange>& ranges,
                        bool accumulate);

/// Labels over whose parts, one after the other, all statements of a program may run, and the
/// statements that must be run before, whole.
///
/// A statement with all these labels in its result runs over a part. Of what another such statement
/// made it may read only the same part: at these labels, plainly. A statement that lacks one of
/// them runs before, so it reads only inputs and results of its like. The last statement has all.
struct BandLabels {
  std::vector<expr::LabelNumber> labels;  // in the order of the last statement's result
  std::vector<bool> runs_per_band;        // by statement
};

/// Sets of band labels to choose from: each starts with one label, and takes the others with which
/// no more statements have to run before. No labels, where there are none.
std::vector<BandLabels> band_label_choices(const expr::TileProgram& program,
                                           const std::vector<StatementPart>& parts);

}  // namespace tessera::kernels
