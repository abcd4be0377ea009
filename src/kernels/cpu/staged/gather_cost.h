#pragma once

#include <span>

#include "kernels/cpu/staged/staged_plan.h"
#include "machine/machine.h"

namespace tessera::kernels {

/// What a call takes to gather, were the operand in a core's cache: a look at each table for a row,
/// and the bytes of the row. What it waits for a larger operand is counted where that is known
/// (kernels/cpu/cost/gathered_reads.h).
double gathering_seconds(const Gathered& gathered, DType dtype, std::span<const LabelRange> ranges,
                         const KernelRates& rates);

/// The bytes of the tables, each number once.
double bytes_of_tables(const Gathered& gathered, std::span<const LabelRange> ranges);

}  // namespace tessera::kernels
