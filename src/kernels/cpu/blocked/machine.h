#pragma once

#include <array>

#include "kernels/cpu/blocked/program.h"
#include "kernels/cpu/blocked/transfer.h"

namespace tessera::kernels {

/// A machine that runs a BlockProgram over one block after another, its buffers in memory that the
/// caller lends.
///
/// Buffers are shared by values that do not live at the same time, so that the working set stays in
/// L1. A value that is uniform in a block (a row's maximum, say) is computed again only when it
/// changes; constants are written once for all blocks. If one of several functions takes long and
/// nothing is copied, a block is computed in parts of kPartBytes, each from the first function to
/// the last: memory then prefetches the rest of every stream meanwhile, which it does within a page
/// at most (exp(x - c) * y + z of 64 Mi f32, one core of a Zen 4: 57 ms without, 32 with, 2026-11).
/// Threads: one.
class BlockMachine {
 public:
  static constexpr int64_t kPartBytes = 512;

  /// `uniform_streams[s]` is true if stream s has one value in every block; `memory` is of
  /// program.buffer_bytes(), aligned to 64. No block is longer than `longest`.
  void bind(const BlockProgram& program, const bool* uniform_streams, std::byte* memory,
            int64_t longest = kBlock) noexcept;

  /// Sets the parameters of the expressions: one buffer each. REQUIRES position < kMaxParameters.
  void set_parameter(int32_t position, const void* buffer) noexcept;

  /// Computes every result over a block of `count` positions that streams walk by `views` (one per
  /// stream). The last result goes to a `target` if it is computed last; in_place() tells if a
  /// tile's memory may be one.
  Status run(const BlockView* views, int64_t count, void* target, uint16_t* staging) noexcept;

  /// Decides which streams are read in place, in blocks of the shape of these views.
  void place(const BlockView* views) noexcept;

  /// Runs like run(), for a block of the shape that was placed last.
  Status run_placed(const BlockView* views, int64_t count, void* target,
                    uint16_t* staging) noexcept;

  /// Returns a result of the last run.
  const void* result(size_t number) const {
    return pointers_[static_cast<size_t>(program_->results()[number])];
  }

  /// Returns a block of a constant value.
  const void* constant(int32_t value) const { return pointers_[static_cast<size_t>(value)]; }

  /// True if run() can write the last result to a target.
  bool takes_target() const { return takes_target_; }

  /// True if a block's only result is all that is computed of its elements: then blocks may be
  /// longer than kBlock if all streams are read in place.
  bool computes_result_alone() const;

 private:
  /// Elements of a block.
  struct Part {
    int64_t first = 0;
    int64_t count = 0;
  };

  Status run_uniform(const BlockView* views) noexcept;
  Status run_part(const BlockView* views, Part part, void* target, uint16_t* staging) noexcept;
  Status compute(int32_t value, Part part) noexcept;
  void load(int32_t value, const BlockView& view, uint16_t* staging) noexcept;
  bool has_uniform_arguments(const BlockProgram::FromFunction& from) const noexcept;
  void note_reads_of_blocks() noexcept;
  void choose_part() noexcept;
  bool is_result(int32_t value) const noexcept;
  void assign_buffers(std::byte* memory) noexcept;
  void write_constants(int64_t count) noexcept;
  void* buffer_for(int32_t value, std::byte*& next) noexcept;
  void release(int32_t value, int32_t now) noexcept;

  const BlockProgram* program_ = nullptr;
  bool takes_target_ = false;
  /// Bytes from an element to the next, for parts; 0 for a value at one place for all.
  std::array<int64_t, kMaxValues> step_;
  int64_t part_ = 0;            // elements of a part; 0: blocks are computed whole
  bool runs_in_parts_ = false;  // blocks of the shape that was placed last
  bool has_uniform_ = false;
  bool uniform_is_known_ = false;
  std::array<bool, kMaxValues> is_uniform_;
  std::array<bool, kMaxValues> is_repeated_;        // computed for few positions, read as a block
  std::array<bool, kMaxValues> is_in_place_;        // by stream: read in place
  std::array<void*, kMaxValues> buffers_;           // of all values but parameters
  std::array<const void*, kMaxValues> pointers_;    // the place of each value
  std::array<int32_t, kMaxParameters> parameters_;  // the value of each, or -1
  std::array<int64_t, kMaxStreams> uniform_origin_;
  struct Free {
    int64_t element_size;
    void* buffer;
  };
  std::array<Free, kMaxValues> free_;
  int32_t num_free_ = 0;
};

}  // namespace tessera::kernels
