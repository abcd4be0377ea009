#pragma once

#include "engine/calibration/samples.h"
#include "expr/tile_program.h"
#include "kernels/context.h"
#include "kernels/kernel.h"

namespace tessera::engine {

/// The call of a sample, prepared. REQUIRES that the things the context borrows outlive it.
class SampleCall {
 public:
  SampleCall(const Sample& sample, const kernels::Context& context);

  /// Returns the cost of a call by its kernel's model and these rates.
  kernels::Cost predicted(const KernelRates& rates) const;

  /// Measures the seconds of a call while `threads` threads do the same, each with operands of its
  /// own: the median of several runs, and of the threads. REQUIRES at least one.
  double measured(int32_t threads) const;

 private:
  kernels::KernelPlan plan(const kernels::Context& context) const;

  kernels::Context context_;  // with the precision of the sample
  const kernels::Kernel& kernel_;
  expr::TileProgram program_;
  kernels::CallShape shape_;
};

}  // namespace tessera::engine
