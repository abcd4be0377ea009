#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

namespace tessera {

/// The most modes that an array in memory may have: numpy's limit.
inline constexpr size_t kMostModes = 64;

/// Throws an `unsupported` Error that names both numbers.
[[noreturn]] void fail_too_many_modes(size_t ndim);

/// One integer per mode, held in place: the parts of a view, so that making one allocates nothing.
///
/// It reads like a vector, and is made from one. Copying copies the values in use. Errors:
/// `unsupported` if there would be more than kMostModes; copying from another ModeValues never
/// throws.
class ModeValues {
 public:
  ModeValues() noexcept : size_(0) {}
  ModeValues(std::initializer_list<int64_t> values) { assign(values.begin(), values.end()); }
  // NOLINTNEXTLINE(google-explicit-constructor): a shape is the values of a view's modes
  ModeValues(const std::vector<int64_t>& values) { assign(values.begin(), values.end()); }
  ModeValues(size_t ndim, int64_t value) : size_(checked(ndim)) {
    std::fill_n(values_.begin(), size_, value);
  }
  ModeValues(const ModeValues& other) noexcept : size_(other.size_) {
    std::copy_n(other.values_.begin(), size_, values_.begin());
  }
  ModeValues& operator=(const ModeValues& other) noexcept {
    size_ = other.size_;
    std::copy_n(other.values_.begin(), size_, values_.begin());
    return *this;
  }
  ~ModeValues() = default;

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  int64_t operator[](size_t mode) const { return values_[mode]; }
  int64_t& operator[](size_t mode) { return values_[mode]; }
  const int64_t* data() const { return values_.data(); }
  const int64_t* begin() const { return values_.data(); }
  const int64_t* end() const { return values_.data() + size_; }
  int64_t* begin() { return values_.data(); }
  int64_t* end() { return values_.data() + size_; }

  /// Puts `count` modes of one value before the others.
  void prepend(size_t count, int64_t value) {
    const size_t before = size_;
    size_ = checked(size_ + count);
    std::copy_backward(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(before),
                       values_.begin() + static_cast<std::ptrdiff_t>(size_));
    std::fill_n(values_.begin(), count, value);
  }

  std::vector<int64_t> to_vector() const { return {begin(), end()}; }

  friend bool operator==(const ModeValues& one, const ModeValues& other) {
    return std::equal(one.begin(), one.end(), other.begin(), other.end());
  }

 private:
  static size_t checked(size_t ndim) {
    if (ndim > kMostModes) {
      fail_too_many_modes(ndim);
    }
    return ndim;
  }

  template <class Iterator>
  void assign(Iterator first, Iterator last) {
    size_ = checked(static_cast<size_t>(last - first));
    std::copy(first, last, values_.begin());
  }

  size_t size_;
  std::array<int64_t, kMostModes> values_;  // the first size_ are set
};

/// Returns the product of the values; 1 if there are none.
int64_t num_elements(const ModeValues& extents);

}  // namespace tessera
