#include "kernels/cpu/gemm/bf16_levels.h"

#include <algorithm>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "kernels/cpu/gemm/bf16_parts.h"
#include "kernels/cpu/onednn/one_thread.h"
#include "types/half.h"

namespace tessera::kernels {

namespace {

dnnl::matmul::primitive_desc plan_of_level(const Bf16Sizes& sizes, int64_t level, bool adds,
                                           const dnnl::engine& engine) {
  const OneThread one_thread;  // the number of threads becomes part of the primitive
  using Type = dnnl::memory::data_type;
  using Dims = dnnl::memory::dims;
  dnnl::primitive_attr attributes;
  attributes.set_scratchpad_mode(dnnl::scratchpad_mode::user);
  if (adds) {
    dnnl::post_ops addition;
    addition.append_sum(1.0F);
    attributes.set_post_ops(addition);
  }
  const int64_t depth = (level + 1) * sizes.k;
  return {{{Dims{sizes.m, depth}, Type::bf16, Dims{sizes.num_parts * sizes.k, 1}},
           {Dims{depth, sizes.n}, Type::bf16, Dims{sizes.n, 1}},
           {Dims{sizes.m, sizes.n}, Type::f32, Dims{sizes.c_step, 1}}},
          attributes,
          engine,
          /*allow_empty=*/true};
}

}  // namespace

OrRefusal<Bf16Levels> Bf16Levels::plan(const Bf16Sizes& sizes) {
  Bf16Levels levels(sizes, dnnl::engine(dnnl::engine::kind::cpu, 0));
  for (int64_t level = sizes.num_parts - 1; level >= 0; --level) {
    const bool adds = sizes.accumulate || level + 1 < sizes.num_parts;
    const auto plan = plan_of_level(sizes, level, adds, levels.engine_);
    if (!plan) {
      return Refusal{"oneDNN has no implementation for these sizes in bf16"};
    }
    const std::string name = plan.impl_info_str();
    if (name.find("ref") != std::string::npos) {  // the right result, 2000 times slower
      return Refusal{fmt::format("oneDNN would run it by its reference implementation, {}", name)};
    }
    levels.levels_.push_back({level, adds, plan, {}});
  }
  return levels;
}

Bf16Levels::Workspace Bf16Levels::carved(Carver& carver) const {
  size_t scratchpad = 0;
  for (const Level& level : levels_) {
    scratchpad = std::max(scratchpad, level.plan.scratchpad_desc().get_size());
  }
  const int64_t parts = sizes_.num_parts * sizes_.k;
  Workspace workspace;
  workspace.a = carver.take<uint16_t>(static_cast<size_t>(sizes_.m * parts));
  workspace.b = carver.take<uint16_t>(static_cast<size_t>(parts * sizes_.n));
  workspace.scratchpad = carver.take<std::byte>(scratchpad);
  return workspace;
}

int64_t Bf16Levels::workspace_bytes() const {
  Carver carver(nullptr);
  (void)carved(carver);
  return carver.bytes();
}

void Bf16Levels::prepare() {
  const OneThread one_thread;
  for (Level& level : levels_) {
    level.primitive = dnnl::matmul(level.plan);
  }
}

/// Returns false, with c untouched, if there was no memory for oneDNN's list of arguments.
bool Bf16Levels::run_by_library(const Level& level, const uint16_t* a, const uint16_t* b, float* c,
                                std::byte* scratchpad) const noexcept {
  const OneThread one_thread;
  try {
    dnnl::stream stream(engine_);
    const auto& plan = level.plan;
    level.primitive.execute(
        stream, {{DNNL_ARG_SRC, {plan.src_desc(), engine_, const_cast<uint16_t*>(a)}},
                 {DNNL_ARG_WEIGHTS, {plan.weights_desc(), engine_, const_cast<uint16_t*>(b)}},
                 {DNNL_ARG_DST, {plan.dst_desc(), engine_, c}},
                 {DNNL_ARG_SCRATCHPAD, {plan.scratchpad_desc(), engine_, scratchpad}}});
    return true;
  } catch (...) {
    return false;
  }
}

/// Multiplies like the library, slowly.
void Bf16Levels::run_in_loops(const Level& level, const uint16_t* a, const uint16_t* b,
                              float* c) const noexcept {
  const int64_t depth = (level.number + 1) * sizes_.k;
  for (int64_t row = 0; row < sizes_.m; ++row) {
    const uint16_t* const left = a + row * sizes_.num_parts * sizes_.k;
    for (int64_t column = 0; column < sizes_.n; ++column) {
      float sum = 0;
      for (int64_t at = 0; at < depth; ++at) {
        sum += float_from_bf16_bits(left[at]) * float_from_bf16_bits(b[at * sizes_.n + column]);
      }
      float& result = c[row * sizes_.c_step + column];
      result = sum + (level.adds ? result : 0.0F);
    }
  }
}

bool Bf16Levels::multiply(const Rows& a, const Rows& b, float* c,
                          std::byte* workspace) const noexcept {
  const auto [m, n, k, parts, c_step, accumulate] = sizes_;
  Carver carver(workspace);
  const Workspace places = carved(carver);
  const Magnitudes of_a = split_in_parts(a.first, m, k, a.step,
                                         {parts, parts * k, (parts - 1) * k, -k}, places.a.data());
  const Magnitudes of_b =
      split_in_parts(b.first, k, n, b.step, {parts, n, 0, k * n}, places.b.data());
  if (!are_safe(of_a, of_b, k)) {
    return false;
  }
  for (const Level& level : levels_) {
    // Parts of a that belong to higher levels come first in its rows.
    const uint16_t* const first = places.a.data() + (parts - 1 - level.number) * k;
    if (!run_by_library(level, first, places.b.data(), c, places.scratchpad.data())) {
      run_in_loops(level, first, places.b.data(), c);
    }
  }
  return true;
}

}  // namespace tessera::kernels
