#include "cli/print_tensor.h"

#include <algorithm>
#include <cmath>
#include <complex>

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

class Printer {
 public:
  explicit Printer(const store::EdgeTensor& tensor)
      : shape_(tensor.type().shape), kept_(tensor.kept()) {
    measure(0, 0);
  }

  std::string text() { return print(0, 0); }

 private:
  /// Finds the width of the widest number shown, to align columns.
  void measure(size_t mode, int64_t offset) {
    if (mode == kept_.shape.size()) {
      width_ = std::max(width_, element_text(kept_, offset).size());
      return;
    }
    for (int64_t position = 0; position < kept_.shape[mode]; ++position) {
      measure(mode + 1, offset + position * kept_.strides[mode]);
    }
  }

  std::string print(size_t mode, int64_t offset) {
    if (mode == kept_.shape.size()) {
      return kept_.shape.empty() ? element_text(kept_, offset)
                                 : fmt::format("{:>{}}", element_text(kept_, offset), width_);
    }
    const std::string gap = gap_within(mode);
    const bool is_shortened = kept_.shape[mode] < shape_[mode];
    std::string text = "[";
    for (int64_t position = 0; position < kept_.shape[mode]; ++position) {
      text += position == 0 ? "" : gap;
      text += is_shortened && position == kEdge ? "..." + gap : "";
      text += print(mode + 1, offset + position * kept_.strides[mode]);
    }
    return text + "]";
  }

  std::string gap_within(size_t mode) const {
    const size_t inner_modes = kept_.shape.size() - mode - 1;
    return inner_modes == 0 ? " " : std::string(inner_modes, '\n') + std::string(mode + 1, ' ');
  }

  const Shape& shape_;
  TileView kept_;
  size_t width_ = 0;
};

}  // namespace

std::optional<int64_t> shown_edge(const Shape& shape) {
  return num_elements(shape) > kPrintedWhole ? std::optional(kEdge) : std::nullopt;
}

std::string tensor_text(const store::EdgeTensor& tensor) {
  return num_elements(tensor.type().shape) == 0 ? "[]" : Printer(tensor).text();
}

}  // namespace tessera::cli
