#pragma once

#include <cstdint>
#include <vector>

#include "store/tile_io.h"

namespace tessera::program {

/// Numbers on their way to a vector that is no whole in memory, one after the other from its first
/// place on. Errors: those of the sink. Threads: one at a time.
class WrittenNumbers {
 public:
  /// Writes into an i64 or f64 vector. The sink outlives this object.
  WrittenNumbers(store::TileSink& sink, DType dtype) : sink_(sink), dtype_(dtype) {}

  /// REQUIRES an i64 vector.
  void add(int64_t number) {
    integers_.push_back(number);
    if (integers_.size() == kBlock) {
      write(integers_);
    }
  }
  /// REQUIRES an f64 vector.
  void add(double number) {
    floats_.push_back(number);
    if (floats_.size() == kBlock) {
      write(floats_);
    }
  }
  /// Writes the numbers that are left.
  void flush() {
    write(integers_);
    write(floats_);
  }
  /// Writes the numbers that are left, and commits.
  void finish() {
    flush();
    sink_.commit(store::Durability::process);
  }

 private:
  static constexpr size_t kBlock = size_t{1} << 14;

  template <class T>
  void write(std::vector<T>& block) {
    if (!block.empty()) {
      const auto count = static_cast<int64_t>(block.size());
      sink_.write(dense_view(reinterpret_cast<std::byte*>(block.data()), dtype_,
                             Box{{num_written_}, {count}}));
      num_written_ += count;
      block.clear();
    }
  }

  store::TileSink& sink_;
  DType dtype_;
  std::vector<int64_t> integers_;
  std::vector<double> floats_;
  int64_t num_written_ = 0;
};

}  // namespace tessera::program
