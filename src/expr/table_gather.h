#pragma once

#include <optional>
#include <vector>

#include "expr/tile_program.h"
#include "types/shape.h"

namespace tessera::expr {

/// A copy of what tables name, x[.., t[n], .., u[n], ..]: for every entry of the tables a part of x
/// goes to the result as it lies in x, which is no table. All tables are read at the same labels,
/// each once; every other mode of x is read at a label of its own or at a fixed place, and those
/// between two that are gathered at fixed places alone.
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

  /// How many labels of the result stand before those of the tables, and how many these are.
  size_t num_before() const;
  size_t num_of_tables() const { return tables.front().index.size(); }
};

/// What is gathered in the modes of x, where labels have these lengths, by number: all entries of
/// the tables in the first gathered mode, and one position in the others and in fixed ones.
Shape extent_in_copied(const TableGather& gather, const std::vector<int64_t>& lengths);

/// The gather by tables that an expression is, with no position but those of labels and those in
/// the tables; nothing where it is anything else.
std::optional<TableGather> table_gather_of(const Scalar& expression);

/// The one that a tile program is, of its last input by all others; nothing where its result has
/// other labels than that, or it is anything else.
std::optional<TableGather> table_gather_of(const TileProgram& program);

}  // namespace tessera::expr
