#include "kernels/cpu/convolution/sized_convolution.h"

#include <algorithm>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "kernels/cpu/walk/plain_access.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

namespace {

/// The fewest products: with fewer, entering the four primitives (some 20 us) is most of the work.
/// Measured, 2026-11.
constexpr double kFewestProducts = 100'000;
int64_t length_of(std::optional<expr::LabelNumber> label, const CallShape& shape) {
  return label ? shape.ranges[static_cast<size_t>(*label)].length : 1;
}

/// The modes of an array in the library's order, each with its extent and stride; a missing mode is
/// one element.
class Modes {
 public:
  void add(int64_t extent, int64_t stride) {
    extents_.push_back(extent);
    strides_.push_back(std::max<int64_t>(stride, 1));
  }
  dnnl::memory::desc desc() const { return {extents_, dnnl::memory::data_type::f32, strides_}; }

 private:
  dnnl::memory::dims extents_;
  dnnl::memory::dims strides_;
};

/// Returns the stride of the mode that is read at a label, alone or beside another.
int64_t stride_of(const expr::Access& access, const Strides& strides,
                  std::optional<expr::LabelNumber> label) {
  for (size_t mode = 0; mode < access.index.size(); ++mode) {
    if (label && expr::mentions(access.index[mode], *label)) {
      return strides[mode];
    }
  }
  return 1;
}

ConvolutionArray data_of(const Convolution& what, const CallShape& shape) {
  ConvolutionArray array{extents_read(what.data, shape), {}, {}};
  array.strides = dense_strides(array.extents);
  const auto stride = [&](std::optional<expr::LabelNumber> label) {
    return stride_of(what.data, array.strides, label);
  };
  const std::optional<expr::LabelNumber> channel = what.group ? what.group : what.channel;
  Modes modes;
  modes.add(length_of(what.batch, shape), stride(what.batch));
  modes.add(length_of(channel, shape), stride(channel));
  for (const WindowDirection& direction : what.directions) {
    modes.add(direction.step * (length_of(direction.place, shape) - 1) +
                  direction.spread * (length_of(direction.tap, shape) - 1) + 1,
              stride(direction.place));
  }
  array.desc = modes.desc();
  return array;
}

ConvolutionArray weights_of(const Convolution& what, const CallShape& shape) {
  ConvolutionArray array{extents_read(what.weights, shape), {}, {}};
  array.strides = dense_strides(array.extents);
  const auto add = [&](Modes& modes, std::optional<expr::LabelNumber> label) {
    modes.add(length_of(label, shape), stride_of(what.weights, array.strides, label));
  };
  Modes modes;
  if (what.group) {
    add(modes, what.group);
  }
  add(modes, what.filter);
  add(modes, what.channel);
  for (const WindowDirection& direction : what.directions) {
    add(modes, direction.tap);
  }
  array.desc = modes.desc();
  return array;
}

ConvolutionArray result_of(const Convolution& what, const std::vector<expr::LabelNumber>& out,
                           const CallShape& shape) {
  ConvolutionArray array{extents_of(out, shape), {}, {}};
  array.strides = dense_strides(array.extents);
  const auto add = [&](Modes& modes, std::optional<expr::LabelNumber> label) {
    modes.add(length_of(label, shape), label ? step_of(out, array.strides, *label) : 1);
  };
  Modes modes;
  add(modes, what.batch);
  add(modes, what.group ? what.group : what.filter);
  for (const WindowDirection& direction : what.directions) {
    add(modes, direction.place);
  }
  array.desc = modes.desc();
  return array;
}

LabelSteps steps_of(const SizedConvolution& convolution, expr::LabelNumber label) {
  LabelSteps steps{0, step_of(convolution.what.weights, convolution.weights.strides, label),
                   step_of(convolution.out, convolution.result.strides, label)};
  for (size_t mode = 0; mode < convolution.data.strides.size(); ++mode) {
    steps.data += expr::coefficient_of(convolution.what.data.index[mode], label) *
                  convolution.data.strides[mode];
  }
  return steps;
}

}  // namespace

int64_t ConvolutionArray::bytes() const {
  return aligned_bytes(num_elements(extents) * size_of(DType::f32));
}

OrRefusal<SizedConvolution> sized_convolution(const expr::TileProgram& program,
                                              const CallShape& shape) {
  const OrRefusal<Convolution> what = read_as_convolution(program);
  if (!what) {
    return what.refusal();
  }
  for (const expr::Node& node : program.statements[0].bodies[0].nodes) {
    if (node.dtype != DType::f32) {
      return Refusal{fmt::format("a factor is {}, not f32", name_of(node.dtype))};
    }
  }
  double products = 1;
  for (const LabelRange& range : shape.ranges) {
    products *= static_cast<double>(range.length);
    if (range.length > std::numeric_limits<int32_t>::max()) {
      return Refusal{"a label is longer than the library's 32-bit extents"};
    }
  }
  if (products < kFewestProducts) {
    return Refusal{"so few products do not pay for entering the library"};
  }
  SizedConvolution convolution{*what,
                               data_of(*what, shape),
                               weights_of(*what, shape),
                               result_of(*what, program.statements[0].out, shape),
                               {},
                               {},
                               shape.accumulate,
                               products,
                               length_of(what->group ? what->group : what->filter, shape),
                               program.statements[0].out,
                               expr::reduced_labels(program.statements[0]),
                               {}};
  for (const WindowDirection& direction : what->directions) {
    convolution.steps.push_back(direction.step);
    convolution.dilations.push_back(direction.spread - 1);
  }
  for (size_t label = 0; label < program.labels.size(); ++label) {
    convolution.label_steps.push_back(steps_of(convolution, static_cast<expr::LabelNumber>(label)));
  }
  return convolution;
}

}  // namespace tessera::kernels
