#pragma once

#include <optional>
#include <vector>

#include "kernels/kernel.h"

namespace tessera::kernels {

/// One statement of a program as a program of its own, with only the labels and operands that it
/// uses, renumbered.
struct StatementPart {
  expr::TileProgram program;
  std::vector<expr::LabelNumber> labels;  // of the whole program, for each label of `program`
  std::vector<int32_t> operands;          // of the whole program, for each input of `program`
  int32_t first_result = 0;               // its first operand number in the whole program

  int32_t num_results() const { return static_cast<int32_t>(program.statements[0].bodies.size()); }
};

/// Splits a program into its statements, in order.
std::vector<StatementPart> split_statements(const expr::TileProgram& program);

/// Returns the statement that makes an operand, or -1 for an input of the program.
int statement_of(const std::vector<StatementPart>& parts, int32_t operand);

/// Returns the call's ranges of the labels that a part has.
CallShape shape_of_part(const StatementPart& part, const std::vector<LabelRange>& ranges,
                        bool accumulate);

/// Labels over whose parts, one after the other, all statements of a program may run, and the
/// statements that must run before, whole.
///
/// A statement with all these labels in its result runs over a part. It may read only the same part
/// of the results of other such statements: at these labels, plainly. A statement that lacks one of
/// the labels runs before, so it reads only inputs and results of other such statements. The last
/// statement has all labels.
struct BandLabels {
  std::vector<expr::LabelNumber> labels;  // in the order of the last statement's result
  std::vector<bool> runs_per_band;        // by statement
};

/// Returns sets of band labels to choose from: each starts with one label, and adds the others that
/// force no more statements to run before. No labels if there are none.
std::vector<BandLabels> band_label_choices(const expr::TileProgram& program,
                                           const std::vector<StatementPart>& parts);

}  // namespace tessera::kernels
