#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// Returns the seconds of a gather whose operand is in a core's cache: one lookup in each table for
/// each row, and the bytes of the row. The wait for a larger operand is added by
/// kernels/cpu/cost/gathered_reads.h, which knows the operand's size.
double gathering_seconds(const Gathered& gathered, DType dtype, std::span<const LabelRange> ranges,
                         const KernelRates& rates);

/// Returns the bytes of the tables, each number once.
double bytes_of_tables(const Gathered& gathered, std::span<const LabelRange> ranges);

}  // namespace tessera::kernels
