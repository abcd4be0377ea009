#pragma once

#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/cpu/convolution/convolution.h"
#include "kernels/cpu/convolution/direct_loop.h"

namespace tessera::kernels {

/// An array of a call of the convolution, dense.
struct ConvolutionArray {
  Shape extents;            // by mode of the array
  Strides strides;          // the same
  dnnl::memory::desc desc;  // its modes in oneDNN's order; a missing one has one element

  int64_t bytes() const;  // aligned
};

/// A convolution of one size.
struct SizedConvolution {
  Convolution what;
  ConvolutionArray data;
  ConvolutionArray weights;
  ConvolutionArray result;
  dnnl::memory::dims steps;
  dnnl::memory::dims dilations;  // 0 where taps lie side by side
  bool accumulate = false;
  double products = 0;
  int64_t num_filters = 1;  // or groups
  std::vector<expr::LabelNumber> out;
  std::vector<expr::LabelNumber> over;
  std::vector<LabelSteps> label_steps;
};

/// Reads a program in a call of this shape as a convolution of f32, or returns why it is none that
/// pays for entering oneDNN.
OrRefusal<SizedConvolution> sized_convolution(const expr::TileProgram& program,
                                              const CallShape& shape);

}  // namespace tessera::kernels
