#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer::partition {

/// How one mode is read: the pieces of a label say which part of it a call reads, its windows where
/// the index is not plain. Nothing where every call reads all of it.
using ModeCut = std::optional<expr::Slide>;

/// One operand of the tile kernel: a vertex read at certain indices.
///
/// Reading a vertex in ways that cut it by other labels makes several; where the same labels cut it
/// and some mode is read in windows, it is one, whose windows have what all of them read.
struct Reading {
  int32_t operand = 0;                          // position in Vertex::operands
  std::vector<ModeCut> cuts;                    // by mode
  std::vector<std::vector<expr::Index>> reads;  // by access, by mode

  /// Whether a mode is read in windows: at other places than a label's own.
  bool is_window(size_t mode) const;
  /// The part of a mode that is read over these ranges of the labels. REQUIRES that it has a cut.
  expr::LabelRange part_read(size_t mode, std::span<const expr::LabelRange> ranges,
                             int64_t extent) const;
};

/// By mode of an operand, the part that every call reads of it at the most; nothing where that is
/// all, or a label's pieces say. Only modes that nothing but single positions stands before, so
/// that what is read lies side by side in a row-major array: of W[1,d,f] one matrix. `lengths` are
/// those of the labels.
std::vector<std::optional<expr::LabelRange>> leading_parts(const Reading& reading,
                                                           const std::vector<int64_t>& lengths,
                                                           const Shape& shape);

/// The readings of a statement, in the order of its expressions; none of what it gathers from its
/// source.
std::vector<Reading> readings_of(const einsum::Op& statement);

/// The expression with every access reading the operand of its Reading; what has none stands behind
/// them.
expr::Scalar over_readings(expr::Scalar body, const std::vector<Reading>& readings);

/// The labels that must not be cut, by label: those of a function of whole arrays, and those that
/// stand beside another in an index, which moves farther along that one, as windows follow from the
/// pieces of one label.
std::vector<bool> whole_labels(const einsum::Op& statement);

}  // namespace tessera::optimizer::partition
