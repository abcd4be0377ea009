#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include <fmt/format.h>
#include <oneapi/dnnl/dnnl.hpp>

#include "kernels/context.h"
#include "kernels/cpu/convolution/direct_loop.h"
#include "kernels/cpu/convolution/sized_convolution.h"
#include "kernels/cpu/onednn/one_thread.h"
#include "kernels/cpu/walk/strided_copy.h"
#include "kernels/registry.h"
#include "kernels/workspace.h"

/// convolution_onednn: a convolution of f32 by oneDNN's primitive, in its preferred layouts;
/// operands are reordered in the workspace.
///
/// It reads nothing outside of the data: padded data are first copied with their border by
/// `staged`. An operand that proves to be part of a larger tile at the call is copied too.
namespace tessera::kernels::kernel_convolution_onednn {

namespace {

using dnnl::memory;

/// The primitive computes channels of the result in blocks of this size.
constexpr int64_t kFilterBlock = 8;

dnnl::primitive_attr with_own_scratchpad() {
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  return attributes;
}

/// The primitives of a convolution; their code is made later.
struct Implementation {
  dnnl::engine engine;
  dnnl::convolution_forward::primitive_desc convolution;
  dnnl::reorder::primitive_desc data_in;
  dnnl::reorder::primitive_desc weights_in;
  dnnl::reorder::primitive_desc result_in;  // of the present result, if added to
  dnnl::reorder::primitive_desc result_out;

  int64_t scratchpad_bytes() const {
    size_t most = convolution.scratchpad_desc().get_size();
    for (const auto* reorder : {&data_in, &weights_in, &result_in, &result_out}) {
      most = std::max(most, reorder->scratchpad_desc().get_size());
    }
    return aligned_bytes(static_cast<int64_t>(most));
  }
};

dnnl::convolution_forward::primitive_desc convolution_of(const SizedConvolution& convolution,
                                                         const dnnl::engine& engine) {
  const auto any = [](const ConvolutionArray& array) {
    return memory::desc(array.desc.dims(), memory::data_type::f32, memory::format_tag::any);
  };
  dnnl::primitive_attr attributes = with_own_scratchpad();
  if (convolution.accumulate) {
    dnnl::post_ops addition;
    addition.append_sum(1.0F);
    attributes.set_post_ops(addition);
  }
  const memory::dims no_border(convolution.steps.size(), 0);
  return {{dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct,
           any(convolution.data), any(convolution.weights), any(convolution.result),
           convolution.steps, convolution.dilations, no_border, no_border},
          attributes,
          engine,
          /*allow_empty=*/true};
}

OrRefusal<Implementation> implementation_of(const SizedConvolution& convolution) {
  const OneThread one_thread;  // the number of threads becomes part of the primitives
  const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
  Implementation made{engine, convolution_of(convolution, engine), {}, {}, {}, {}};
  if (!made.convolution) {
    return Refusal{"oneDNN has no implementation of this convolution"};
  }
  const auto reorder = [&](const memory::desc& from, const memory::desc& to) {
    return dnnl::reorder::primitive_desc(engine, from, engine, to, with_own_scratchpad(),
                                         /*allow_empty=*/true);
  };
  made.data_in = reorder(convolution.data.desc, made.convolution.src_desc());
  made.weights_in = reorder(convolution.weights.desc, made.convolution.weights_desc());
  made.result_in = reorder(convolution.result.desc, made.convolution.dst_desc());
  made.result_out = reorder(made.convolution.dst_desc(), convolution.result.desc);
  for (const auto* each : {&made.data_in, &made.weights_in, &made.result_in, &made.result_out}) {
    if (!*each) {
      return Refusal{"oneDNN cannot bring an operand into the order that it wants"};
    }
  }
  const std::string name = made.convolution.impl_info_str();
  if (name.find("ref") != std::string::npos) {  // the right result, slower than a plain loop
    return Refusal{fmt::format("oneDNN would run it by its reference implementation, {}", name)};
  }
  return made;
}

/// The arrays of a call.
struct Places {
  std::byte* packed_data;  // if the data's tile is larger than the read part
  std::byte* packed_weights;
  std::byte* data;  // in the library's order
  std::byte* weights;
  std::byte* result;
  std::byte* scratchpad;
};

class OneDnnConvolution : public PreparedKernel {
 public:
  OneDnnConvolution(SizedConvolution convolution, const Implementation& made)
      : convolution_(std::move(convolution)), engine_(made.engine) {
    const OneThread one_thread;
    convolve_ = dnnl::convolution_forward(made.convolution);
    data_in_ = dnnl::reorder(made.data_in);
    weights_in_ = dnnl::reorder(made.weights_in);
    result_in_ = dnnl::reorder(made.result_in);
    result_out_ = dnnl::reorder(made.result_out);
    data_ = made.convolution.src_desc();
    weights_ = made.convolution.weights_desc();
    result_ = made.convolution.dst_desc();
    scratchpads_ = {made.convolution.scratchpad_desc(), made.data_in.scratchpad_desc(),
                    made.weights_in.scratchpad_desc(), made.result_in.scratchpad_desc(),
                    made.result_out.scratchpad_desc()};
  }

  static int64_t workspace_bytes(const SizedConvolution& convolution, const Implementation& made) {
    const auto bytes = [](const memory::desc& desc) {
      return aligned_bytes(static_cast<int64_t>(desc.get_size()));
    };
    return convolution.data.bytes() + convolution.weights.bytes() +
           bytes(made.convolution.src_desc()) + bytes(made.convolution.weights_desc()) +
           bytes(made.convolution.dst_desc()) + made.scratchpad_bytes();
  }

  Status run(const KernelCall& call) const noexcept override;

 private:
  struct Scratchpads {
    memory::desc convolution;
    memory::desc data_in;
    memory::desc weights_in;
    memory::desc result_in;
    memory::desc result_out;
  };

  Places places_in(std::byte* workspace) const noexcept;
  void execute(std::byte* data, std::byte* weights, std::byte* out, const Places& at,
               bool accumulate) const;

  SizedConvolution convolution_;
  dnnl::engine engine_;
  dnnl::convolution_forward convolve_;
  dnnl::reorder data_in_;
  dnnl::reorder weights_in_;
  dnnl::reorder result_in_;
  dnnl::reorder result_out_;
  memory::desc data_;  // in the library's order
  memory::desc weights_;
  memory::desc result_;
  Scratchpads scratchpads_;
};

/// Returns an operand with its expected strides: in its tile, or copied to `packed`.
std::byte* place(const expr::Access& access, const ConvolutionArray& array, const KernelCall& call,
                 std::byte* packed) noexcept {
  const TileView& view = call.inputs[static_cast<size_t>(access.operand)];
  const int64_t size = size_of(DType::f32);
  std::byte* first = view.data;
  bool is_as_expected = true;
  StridedBox box;
  for (size_t mode = array.extents.size(); mode-- > 0;) {
    int64_t position = expr::offset_of(access.index[mode]) - view.origin[mode];
    expr::for_each_term(access.index[mode], [&](expr::LabelNumber label, int64_t coefficient) {
      position += coefficient * call.ranges[static_cast<size_t>(label)].begin;
    });
    first += position * view.strides[mode] * size;
    if (array.extents[mode] > 1) {
      is_as_expected = is_as_expected && view.strides[mode] == array.strides[mode];
      box.add(array.extents[mode], view.strides[mode] * size, array.strides[mode] * size);
    }
  }
  if (is_as_expected) {
    return first;
  }
  copy_box(first, packed, size, box);
  return packed;
}

Places OneDnnConvolution::places_in(std::byte* workspace) const noexcept {
  const auto take = [&](int64_t bytes) {
    return std::exchange(workspace, workspace + aligned_bytes(bytes));
  };
  Places at{};
  at.packed_data = take(convolution_.data.bytes());
  at.packed_weights = take(convolution_.weights.bytes());
  at.data = take(static_cast<int64_t>(data_.get_size()));
  at.weights = take(static_cast<int64_t>(weights_.get_size()));
  at.result = take(static_cast<int64_t>(result_.get_size()));
  at.scratchpad = workspace;
  return at;
}

void OneDnnConvolution::execute(std::byte* data, std::byte* weights, std::byte* out,
                                const Places& at, bool accumulate) const {
  dnnl::stream stream(engine_);
  const auto memory_at = [&](const memory::desc& desc, std::byte* place) {
    return memory(desc, engine_, place);
  };
  const auto reorder = [&](const dnnl::reorder& primitive, const memory& from, const memory& to,
                           const memory::desc& scratchpad) {
    primitive.execute(stream, {{DNNL_ARG_FROM, from},
                               {DNNL_ARG_TO, to},
                               {DNNL_ARG_SCRATCHPAD, memory_at(scratchpad, at.scratchpad)}});
  };
  const memory given_data = memory_at(convolution_.data.desc, data);
  const memory given_weights = memory_at(convolution_.weights.desc, weights);
  const memory given_result = memory_at(convolution_.result.desc, out);
  const memory own_data = memory_at(data_, at.data);
  const memory own_weights = memory_at(weights_, at.weights);
  const memory own_result = memory_at(result_, at.result);
  reorder(data_in_, given_data, own_data, scratchpads_.data_in);
  reorder(weights_in_, given_weights, own_weights, scratchpads_.weights_in);
  if (accumulate) {
    reorder(result_in_, given_result, own_result, scratchpads_.result_in);
  }
  convolve_.execute(stream,
                    {{DNNL_ARG_SRC, own_data},
                     {DNNL_ARG_WEIGHTS, own_weights},
                     {DNNL_ARG_DST, own_result},
                     {DNNL_ARG_SCRATCHPAD, memory_at(scratchpads_.convolution, at.scratchpad)}});
  reorder(result_out_, own_result, given_result, scratchpads_.result_out);
}

Status OneDnnConvolution::run(const KernelCall& call) const noexcept {
  const OneThread one_thread;
  const Places at = places_in(call.workspace);
  std::byte* const data = place(convolution_.what.data, convolution_.data, call, at.packed_data);
  std::byte* const weights =
      place(convolution_.what.weights, convolution_.weights, call, at.packed_weights);
  std::byte* const out = call.outputs[0].data;
  try {
    execute(data, weights, out, at, call.accumulate);
  } catch (...) {  // no memory for the library's lists of arguments; only the last step writes
    convolve_directly(call.ranges, convolution_.label_steps, convolution_.out, convolution_.over,
                      data, weights, out, call.accumulate);
  }
  return Status::ok;
}

Cost cost_of(const SizedConvolution& convolution, const Machine& machine) {
  const double padding = static_cast<double>(round_up(convolution.num_filters, kFilterBlock)) /
                         static_cast<double>(convolution.num_filters);
  const auto elements = [](const ConvolutionArray& array) {
    return static_cast<double>(num_elements(array.extents));
  };
  Cost cost;
  cost.flops = 2 * convolution.products;
  cost.bytes =
      (elements(convolution.data) + elements(convolution.weights) + elements(convolution.result)) *
      static_cast<double>(size_of(DType::f32));
  // Operands are brought into another order, read, and the result again.
  cost.seconds = 4 * machine.rates.onednn_call_seconds +
                 cost.flops * padding / machine.rates.onednn_slow_flops_per_second +
                 2 * cost.bytes / machine.rates.bytes_per_second;
  return cost;
}

OrRefusal<KernelPlan> read(const expr::TileProgram& program, const CallShape& shape,
                           const Context& context) {
  const OrRefusal<SizedConvolution> convolution = sized_convolution(program, shape);
  if (!convolution) {
    return convolution.refusal();
  }
  const OrRefusal<Implementation> made = implementation_of(*convolution);
  if (!made) {
    return made.refusal();
  }
  return KernelPlan{cost_of(*convolution, context.machine),
                    OneDnnConvolution::workspace_bytes(*convolution, *made),
                    [convolution = *convolution, made = *made] {
                      return std::make_shared<const OneDnnConvolution>(convolution, made);
                    }};
}

}  // namespace

void register_kernel(Registry& registry) {
  registry.add({"convolution_onednn", {}, &read});
}

}  // namespace tessera::kernels::kernel_convolution_onednn
