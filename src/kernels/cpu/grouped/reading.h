#pragma once

#include <optional>
#include <variant>
#include <vector>

#include "base/refusal.h"
#include "expr/tile_program.h"

namespace tessera::kernels {

/// A read of an expression in a row: an element of an operand, or the position along a label.
struct GroupedLeaf {
  std::variant<expr::Access, expr::IndexOf> what;
  // by mode: the stage with a gathered position's values
  std::vector<std::optional<size_t>> stages;
  DType dtype = DType::i64;
  friend bool operator==(const GroupedLeaf&, const GroupedLeaf&) = default;
};

/// Expressions whose Parameters are leaves, by number.
struct LeafExpressions {
  std::vector<expr::Scalar> bodies;
  std::vector<GroupedLeaf> leaves;
  expr::Scalar source = {};  // of a stage: its body over operands, for messages
};

/// A label of the result that is not walked: a stage gives its position.
struct RowGroup {
  expr::LabelNumber label = 0;
  size_t stage = 0;
  std::optional<int64_t> num_groups;  // from which on a value is a fault
};

/// A reduction whose elements are merged only if labels of the result have certain positions, as
/// one walk over rows: a row is a position of all labels but the groups' and the inner one.
///
/// A group that is read elsewhere, like W[g], is read at the position that the row gives it. Stages
/// are values of a row that others need, each after those that it needs.
struct GroupedProgram {
  std::vector<RowGroup> groups;
  std::vector<expr::LabelNumber> rows;     // outermost first
  std::optional<expr::LabelNumber> inner;  // of the result; stands in no stage
  std::vector<LeafExpressions> stages;     // one body each, i64 or b1
  size_t num_stages_of_all = 0;            // the later ones are needed for merged rows only
  std::optional<size_t> condition;         // the stage that tells if a row is merged
  LeafExpressions values;                  // one body per state
};

/// Reads a program of one statement in this form.
OrRefusal<GroupedProgram> grouped_program_of(const expr::TileProgram& program);

}  // namespace tessera::kernels
