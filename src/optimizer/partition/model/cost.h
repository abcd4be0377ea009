#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "machine/file_cost.h"
#include "optimizer/partition/model/model.h"

namespace tessera::optimizer::partition {

/// The communication volume of EinDecomp §7 in elements, an upper bound, for the pieces that there
/// are: where lengths divide the extents they are the paper's formulas, elsewhere their sums over
/// the ragged pieces. All are integers, exact up to 2^53. `lengths` are piece lengths by label, at
/// least 1.

/// Pieces of a mode: ceil(extent / length); one where it is empty.
int64_t num_pieces(int64_t extent, int64_t length);

/// Kernel calls of a statement: the product of its partition vector.
double num_calls(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Partial results that are merged into one tile of the result: n_agg.
double num_partials(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Every call receives one tile of everything it reads: p (n_X + n_Y).
double join_cost(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// All partial results but one travel to where they are merged: (p / n_agg)(n_agg - 1) n_Z, times
/// the numbers of a state.
double aggregation_cost(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// A tensor cut into `from` is cut into `to` (lengths by mode).
///
/// Every tile that is made is built where one of the old tiles lies wholly within it, if there is
/// one: the other old tiles it needs come to it, and it travels once for every old tile after the
/// first. With n_c, n_p, n_int, n as in the paper: (n_c/n_int - 1)(n/n_c)(n_c + n_p), and n_p n/n_c
/// more if n_p != n_int. (The paper's print has n_c, n_int and n with d_Z for d_X or b.)
double repartition_cost(const Shape& shape, std::span<const int64_t> from,
                        std::span<const int64_t> to);

/// The same for every pair of some ways to cut a tensor, row by row of `from`.
std::vector<double> repartition_costs(const Shape& shape,
                                      const std::vector<std::vector<int64_t>>& from,
                                      const std::vector<std::vector<int64_t>>& to);

/// What is read from files and written to them is counted in seconds, and added to what moves at so
/// many numbers a second: of 4 bytes, through memory (machine/machine.h).
constexpr double kNumbersPerSecond = 2e9;

/// Reading an input once as a statement wants it cut, lengths by mode; nothing for what is no
/// input. The first call of a tile is left out, here and in writing: it goes with the kernel call,
/// whose number is chosen by other means, and would draw the cuts of neighbours apart.
FileEstimate reading_estimate(const Operand& operand, const std::vector<int64_t>& lengths,
                              const FileCosts& costs);

/// Whether an operand reads what an earlier one of its statement reads, cut alike: the same tiles,
/// so that it reads no file. Tiles that several statements want cut alike are read for all of them
/// as well, which is not counted, so that the sum over a program is an upper bound.
/// `lengths_of(number)` has the lengths by mode of an operand by its number.
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

/// Gathering what a statement reads from its source, lengths by mode of the result; nothing where
/// it gathers none so.
FileEstimate gathering_estimate(const StatementModel& statement,
                                const std::vector<int64_t>& lengths, const FileCosts& costs);

/// Writing a statement's result, lengths by mode; nothing for what is no result of the program.
FileEstimate writing_estimate(const StatementModel& statement, const std::vector<int64_t>& lengths,
                              const FileCosts& costs);

/// Seconds as the elements that would move in that time, a whole number.
double numbers_of(double seconds);

/// The lengths of a tensor's modes under the lengths of a statement's labels, at most the extents.
std::vector<int64_t> mode_lengths(const std::vector<int32_t>& labels, const Shape& shape,
                                  const std::vector<int64_t>& lengths);

/// The same of an operand, in windows as far apart as their first elements.
std::vector<int64_t> mode_lengths(const Operand& operand, const std::vector<int64_t>& lengths);

/// The extents of a statement's result.
Shape result_shape(const StatementModel& statement);

/// Bytes of the tiles that the largest call reads and writes.
double largest_call_bytes(const StatementModel& statement, const std::vector<int64_t>& lengths);

/// Positions of all labels together.
double num_points(const StatementModel& statement);

/// Elements that a statement groups, each of which every call looks at that has other groups; 0
/// where nothing is grouped.
double num_grouped(const StatementModel& statement);

/// Operations of a statement.
double num_flops(const StatementModel& statement);

/// The calls among which a statement is divided so that the tiles of each have so many bytes,
/// about. Where a label stands twice, as in A[i,i], its cuts shorten two modes at once: tiles
/// beside the diagonal are not read.
double calls_of_bytes(const StatementModel& statement, double call_bytes);

}  // namespace tessera::optimizer::partition
