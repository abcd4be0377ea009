#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace tessera::kernels {

constexpr int64_t round_up(int64_t value, int64_t unit) {
  return (value + unit - 1) / unit * unit;
}

/// Returns the bytes that an array takes in a workspace: up to the next multiple of 64, so that the
/// next array is aligned like the workspace.
constexpr int64_t aligned_bytes(int64_t bytes) {
  return round_up(bytes, 64);
}

/// An allocator that carves arrays one after the other out of a workspace, each aligned to 64
/// bytes. Without a workspace it only counts, and returns empty arrays.
class Carver {
 public:
  explicit Carver(std::byte* workspace) : workspace_(workspace) {}

  template <class T>
  std::span<T> take(size_t count) {
    std::byte* start = workspace_ == nullptr ? nullptr : workspace_ + bytes_;
    bytes_ += aligned_bytes(static_cast<int64_t>(count * sizeof(T)));
    return {reinterpret_cast<T*>(start), start == nullptr ? 0 : count};
  }
  int64_t bytes() const { return bytes_; }

 private:
  std::byte* workspace_;
  int64_t bytes_ = 0;
};

}  // namespace tessera::kernels
