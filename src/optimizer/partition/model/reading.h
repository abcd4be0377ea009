#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/einsum/graph.h"

namespace tessera::optimizer::partition {

/// The cut of one mode: the label whose pieces determine the part that a call reads, in windows if
/// the index is not plain. Nothing if every call reads all of the mode.
using ModeCut = std::optional<expr::Slide>;

/// One operand of the tile kernel: a vertex read at certain indices.
///
/// A vertex that is read in ways that different labels cut has several readings. If the same labels
/// cut it and some mode is read in windows, it has one, whose windows cover what all of the
/// accesses read.
struct Reading {
  int32_t operand = 0;                          // position in Vertex::operands
  std::vector<ModeCut> cuts;                    // by mode
  std::vector<std::vector<expr::Index>> reads;  // by access, by mode

  /// True if a mode is read in windows: at other places than a label's own.
  bool is_window(size_t mode) const;
  /// Returns the part of a mode that is read over these ranges of the labels. REQUIRES that it has
  /// a cut.
  expr::LabelRange part_read(size_t mode, std::span<const expr::LabelRange> ranges,
                             int64_t extent) const;
};

/// Returns, by mode of an operand, the part that calls read at most; nothing if that is all of the
/// mode, or if a label's pieces determine it. Only modes that no mode but single positions precedes
/// are bounded, so that the part is contiguous in a row-major array: one matrix of W[1,d,f].
/// `lengths` are those of the labels.
std::vector<std::optional<expr::LabelRange>> leading_parts(const Reading& reading,
                                                           const std::vector<int64_t>& lengths,
                                                           const Shape& shape);

/// Returns the readings of a statement, in the order of its expressions, without operands that it
/// gathers from their source.
std::vector<Reading> readings_of(const einsum::Op& statement);

/// Renumbers accesses by Reading; operands without one stand behind them.
expr::Scalar over_readings(expr::Scalar body, const std::vector<Reading>& readings);

/// Marks the labels that must not be cut: the core labels of a function of whole arrays, and labels
/// that stand in an index beside one along which it moves farther, because windows follow from the
/// pieces of one label.
std::vector<bool> whole_labels(const einsum::Op& statement);

}  // namespace tessera::optimizer::partition
