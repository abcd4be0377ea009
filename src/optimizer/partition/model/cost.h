#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/file_cost.h"
#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// The communication volume of EinDecomp §7 in elements, an upper bound, for the actual pieces: if
/// lengths divide the extents these are the paper's formulas, else their sums over the ragged
/// pieces. All are integers, exact up to 2^53. `lengths` are piece lengths by label, at least 1.

/// Counts the pieces of a mode: ceil(extent / length); one if it is empty.
int64_t num_pieces(int64_t extent, int64_t length);

/// Counts the kernel calls of a statement: the product of its partition vector.
double num_calls(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Counts the partial results that are merged into one tile of the result: n_agg.
double num_partials(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Returns the cost of the join: every call receives one tile of each operand, p (n_X + n_Y).
double join_cost(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Returns the cost of the aggregation: all partial results but one travel to be merged, (p /
/// n_agg)(n_agg - 1) n_Z, times the numbers of a state.
double aggregation_cost(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Returns the cost of repartitioning a tensor from lengths `from` to lengths `to`, by mode.
///
/// A new tile is built at an old tile that lies wholly within it, if there is one: the other old
/// tiles it needs come to it, and it travels once for every old tile after the
/// first. With n_c, n_p, n_int, n as in the paper: (n_c/n_int - 1)(n/n_c)(n_c + n_p), and n_p n/n_c
/// more if n_p != n_int. (The paper's print has n_c, n_int and n with d_Z for d_X or b.)
double repartition_cost(const Shape& shape, std::span<const int64_t> from,
                        std::span<const int64_t> to);

/// Returns the repartition costs of all pairs of cuts of a tensor, row by row of `from`.
std::vector<double> repartition_costs(const Shape& shape,
                                      const std::vector<std::vector<int64_t>>& from,
                                      const std::vector<std::vector<int64_t>>& to);

/// The rate at which seconds of file input and output are counted as numbers moved: of 4 bytes,
/// through memory (machine/machine.h).
constexpr double kNumbersPerSecond = 2e9;

/// Estimates reading an input once with these lengths by mode; nothing for an operand that is no
/// input. The first call of a tile is left out, here and in writing: it goes with the kernel call,
/// whose number is chosen by other means, and would draw the cuts of neighbours apart.
FileEstimate reading_estimate(const Operand& operand, const std::vector<int64_t>& lengths,
                              const FileCosts& costs);

/// True if an earlier operand of the statement reads the same tensor with the same cuts: these are
/// the same tiles, so this one reads no file. Tiles that several statements cut alike are also read
/// once for all of them; that is not counted, so the sum over a program is an upper bound.
/// `lengths_of(number)` returns the lengths by mode of an operand by its number.
template <class LengthsOf>
bool is_read_before(const StatementModel& statement, size_t number, LengthsOf&& lengths_of) {
  for (size_t earlier = 0; earlier < number; ++earlier) {
    if (statement.operands[earlier].vertex == statement.operands[number].vertex &&
        lengths_of(earlier) == lengths_of(number)) {
      return true;
    }
  }
  return false;
}

/// Estimates gathering a statement's operand from its source, with these lengths by mode of the
/// result; nothing if it gathers none.
FileEstimate gathering_estimate(const StatementModel& statement,
                                const std::vector<int64_t>& lengths, const FileCosts& costs);

/// Estimates writing a statement's result, lengths by mode; nothing if it is no output of the
/// program.
FileEstimate writing_estimate(const StatementModel& statement, const std::vector<int64_t>& lengths,
                              const FileCosts& costs);

/// Converts seconds to the elements that would move in that time, a whole number.
double numbers_of(double seconds);

/// Returns the lengths of a tensor's modes given the lengths of a statement's labels, at most the
/// extents.
std::vector<int64_t> mode_lengths(const std::vector<int32_t>& labels, const Shape& shape,
                                  const std::vector<int64_t>& lengths);

/// Returns the lengths of an operand's modes; windows count as the distance of their first
/// elements.
std::vector<int64_t> mode_lengths(const Operand& operand, const std::vector<int64_t>& lengths);

/// Returns the extents of a statement's result.
Shape result_shape(const StatementModel& statement);

/// Returns the bytes of the tiles that the largest call reads and writes.
double largest_call_bytes(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Counts the positions of all labels together.
double num_points(const StatementModel& statement);

/// Counts the elements that a statement groups, each of which every call of other groups looks at
/// too; 0 if nothing is grouped.
double num_grouped(const StatementModel& statement);

/// Counts the operations of a statement.
double num_flops(const StatementModel& statement);

/// Returns the number of calls that divides a statement into calls of about `call_bytes` of tiles.
/// If a label stands twice, as in A[i,i], its cuts shorten two modes at once: tiles beside the
/// diagonal are not read.
double calls_of_bytes(const StatementModel& statement, double call_bytes);

}  // namespace tessera::optimizer::partition
