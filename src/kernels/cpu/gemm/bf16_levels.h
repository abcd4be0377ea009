#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <oneapi/dnnl/dnnl.hpp>

#include "base/refusal.h"
#include "kernels/cpu/gemm/bf16_sizes.h"
#include "kernels/workspace.h"

namespace tessera::kernels {

/// The product of parts by oneDNN, level by level: level l is the sum of all products of part p of
/// a and part q of b with p + q = l. Those of one level are one matrix product, because the parts
/// of a row of a lie from the last to the first and those of b from the first to the last:
///
///   a: [m, parts last to first, k]    b: [parts first to last, k, n]
///
/// Levels of num_parts and more are left out. The smallest are summed first.
class Bf16Levels {
 public:
  /// Plans without making code. A refusal if oneDNN has no implementation.
  static OrRefusal<Bf16Levels> plan(const Bf16Sizes& sizes);

  int64_t workspace_bytes() const;

  /// Makes the primitives.
  void prepare();

  /// Adds to c, or overwrites it. Returns false, with c untouched, if parts would not do
  /// (are_safe). REQUIRES prepare(). Threads: any number on distinct c and workspaces, each on
  /// itself alone.
  bool multiply(const Rows& a, const Rows& b, float* c, std::byte* workspace) const noexcept;

 private:
  struct Workspace {
    std::span<uint16_t> a;
    std::span<uint16_t> b;
    std::span<std::byte> scratchpad;
  };
  Workspace carved(Carver& carver) const;

  struct Level {
    int64_t number = 0;
    bool adds = false;  // to c, if another one came before
    dnnl::matmul::primitive_desc plan;
    dnnl::matmul primitive;
  };

  Bf16Levels(const Bf16Sizes& sizes, dnnl::engine engine)
      : sizes_(sizes), engine_(std::move(engine)) {}

  bool run_by_library(const Level& level, const uint16_t* a, const uint16_t* b, float* c,
                      std::byte* scratchpad) const noexcept;
  void run_in_loops(const Level& level, const uint16_t* a, const uint16_t* b,
                    float* c) const noexcept;

  Bf16Sizes sizes_;
  dnnl::engine engine_;
  std::vector<Level> levels_;  // the last, which is the smallest, first
};

}  // namespace tessera::kernels
