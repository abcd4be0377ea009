#include "cli/print_tensor.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include <fmt/format.h>

#include "types/native.h"

namespace tessera::cli {

namespace {

constexpr int64_t kPrintedWhole = 1000;  // elements; numpy's threshold
constexpr int64_t kEdge = 3;             // positions shown at either end of a long mode

std::string float_text(float value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}
std::string float_text(double value) {
  return std::isnan(value) ? "nan" : fmt::format("{}", value);
}

std::string element_text(const TileView& tensor, int64_t offset) {
  return visit_storage_type(tensor.dtype, [&]<class T>(std::type_identity<T>) -> std::string {
    const T value = tensor.as<T>()[offset];
    if constexpr (std::is_same_v<T, bool>) {
      return value ? "true" : "false";
    } else if constexpr (std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>) {
      return float_text(static_cast<float>(value));
    } else if constexpr (std::is_floating_point_v<T>) {
      return float_text(value);
    } else if constexpr (std::is_integral_v<T>) {
      return fmt::format("{}", value);
    } else {
      const std::string sign = std::signbit(value.imag()) ? "" : "+";
      return float_text(value.real()) + sign + float_text(value.imag()) + "j";
    }
  });
}

/// The positions of a mode that are shown; -1 stands for those left out.
std::vector<int64_t> shown_positions(int64_t extent, bool shorten) {
  std::vector<int64_t> positions;
  for (int64_t position = 0; position < extent; ++position) {
    if (shorten && extent > 2 * kEdge && position == kEdge) {
      positions.push_back(-1);
      position = extent - kEdge - 1;
      continue;
    }
    positions.push_back(position);
  }
  return positions;
}

class Printer {
 public:
  explicit Printer(const TileView& tensor)
      : tensor_(tensor), shorten_(num_elements(tensor.shape) > kPrintedWhole) {
    measure(0, 0);
  }

  std::string text() { return print(0, 0); }

 private:
  /// The width of the widest number shown, so that columns line up.
  void measure(size_t mode, int64_t offset) {
    if (mode == tensor_.shape.size()) {
      width_ = std::max(width_, element_text(tensor_, offset).size());
      return;
    }
    for (const int64_t position : shown_positions(tensor_.shape[mode], shorten_)) {
      if (position >= 0) {
        measure(mode + 1, offset + position * tensor_.strides[mode]);
      }
    }
  }

  std::string print(size_t mode, int64_t offset) {
    if (mode == tensor_.shape.size()) {
      return tensor_.shape.empty() ? element_text(tensor_, offset)
                                   : fmt::format("{:>{}}", element_text(tensor_, offset), width_);
    }
    const bool innermost = mode + 1 == tensor_.shape.size();
    const std::string gap =
        innermost ? " "
                  : std::string(tensor_.shape.size() - mode - 1, '\n') + std::string(mode + 1, ' ');
    std::string text = "[";
    bool first = true;
    for (const int64_t position : shown_positions(tensor_.shape[mode], shorten_)) {
      text += first ? "" : gap;
      text += position < 0 ? "..." : print(mode + 1, offset + position * tensor_.strides[mode]);
      first = false;
    }
    return text + "]";
  }

  const TileView& tensor_;
  bool shorten_;
  size_t width_ = 0;
};

}  // namespace

std::string tensor_text(const TileView& tensor) {
  return Printer(tensor).text();
}

}  // namespace tessera::cli
