#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"
#include "types/shape.h"

namespace tessera::expr {

/// A copy at positions in tables, x[.., t[n], .., u[n], ..]: for every entry of the tables a part
/// of x goes to the result, in the order of x, which is no table. All tables are read at the same
/// labels, each once; every other mode of x is read at a label of its own or at a fixed place, with
/// only fixed places between two gathered modes.
struct TableGather {
  struct Mode {
    size_t mode = 0;   // of x
    size_t table = 0;  // that names its positions
  };

  std::vector<Access> tables;  // the nodes of the expression before the last, in its order
  Access copied;               // of x
  std::vector<Mode> modes;     // that are gathered, in the order of x
  /// The labels of x in its order, with those of the tables in place of the first gathered mode.
  std::vector<LabelNumber> labels;

  /// Return the number of labels of the result before those of the tables, and the number of these.
  size_t num_before() const;
  size_t num_of_tables() const { return tables.front().index.size(); }
};

/// Returns the extents gathered in the modes of x, for labels of these lengths, by number: all
/// entries of the tables in the first gathered mode, and one position in the others and in fixed
/// ones.
Shape extent_in_copied(const TableGather& gather, const std::vector<int64_t>& lengths);

/// Reads an expression as a gather by tables, with no positions but those of labels and those in
/// the tables; nothing if it is anything else.
std::optional<TableGather> table_gather_of(const Scalar& expression);

/// Reads a tile program as a gather by tables, of its last input by all others; nothing if its
/// result has other labels, or it is anything else.
std::optional<TableGather> table_gather_of(const TileProgram& program);

}  // namespace tessera::expr
