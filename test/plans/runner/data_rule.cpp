#include "plans/runner/data_rule.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <sstream>
#include <vector>

#include "base/error.h"
#include "types/native.h"

namespace tessera::plans {

namespace {

constexpr int64_t kMostPrinted = 128;

/// A well mixed number for every pair (splitmix64).
uint64_t mixed(uint64_t seed, uint64_t position) {
  uint64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15ULL;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
  return z ^ (z >> 31);
}

uint64_t seed_of(const std::string& name) {
  uint64_t seed = 14695981039346656037ULL;  // FNV-1a
  for (const char letter : name) {
    seed = (seed ^ static_cast<uint8_t>(letter)) * 1099511628211ULL;
  }
  return seed;
}

int64_t small_number(DType dtype, uint64_t random) {
  if (is_bool(dtype)) {
    return static_cast<int64_t>(random % 2);
  }
  return is_unsigned_integer(dtype) ? static_cast<int64_t>(random % 3)
                                    : static_cast<int64_t>(random % 5) - 2;
}

/// Element number n of a tensor as an integer.
class Rule {
 public:
  Rule(const ArrayType& type, const std::string& text, const std::string& name)
      : dtype_(type.dtype), seed_(seed_of(name)) {
    std::istringstream words(text);
    words >> word_;
    for (int64_t number = 0; words >> number;) {
      numbers_.push_back(number);
    }
    const bool is_known = (numbers_.empty() && (word_ == "small" || word_ == "iota")) ||
                          (numbers_.size() == 1 && (word_ == "const" || word_ == "mod")) ||
                          (!numbers_.empty() && word_ == "list");
    TESSERA_USER_CHECK(is_known && words.eof(),
                       "`{}` is no rule for data; small, iota, mod 7, const 3 and list 1 2 3 are",
                       text);
  }

  int64_t operator()(int64_t position) const {
    if (word_ == "small") {
      return small_number(dtype_, mixed(seed_, static_cast<uint64_t>(position)));
    }
    if (word_ == "iota" || word_ == "mod") {
      return word_ == "iota" ? position : position % numbers_[0];
    }
    return numbers_[static_cast<size_t>(position) % numbers_.size()];
  }

 private:
  DType dtype_;
  uint64_t seed_;
  std::string word_;
  std::vector<int64_t> numbers_;
};

template <class T>
constexpr bool kIsNarrowFloat = std::is_same_v<T, Float16> || std::is_same_v<T, BFloat16>;

template <class T>
constexpr bool kIsComplex =
    std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;

template <class T>
T number_as(int64_t number) {
  if constexpr (std::is_same_v<T, bool>) {
    return number != 0;
  } else if constexpr (kIsNarrowFloat<T>) {
    return T(static_cast<float>(number));
  } else if constexpr (kIsComplex<T>) {
    return T(static_cast<typename T::value_type>(number));
  } else {
    return static_cast<T>(number);
  }
}

template <class T>
std::string number_text(T value) {
  if constexpr (kIsNarrowFloat<T>) {
    return fmt::format("{}", static_cast<float>(value));
  } else if constexpr (kIsComplex<T>) {
    return fmt::format("{}{:+}j", value.real(), value.imag());
  } else if constexpr (std::is_integral_v<T>) {
    return std::to_string(value);
  } else {
    return fmt::format("{}", value);
  }
}

bool are_close(double a, double b, double tolerance) {
  const double scale = std::max({std::abs(a), std::abs(b), 1.0});
  return a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= tolerance * scale;
}

template <class T>
bool are_equal(T a, T b, double tolerance) {
  if constexpr (kIsNarrowFloat<T>) {
    return are_close(static_cast<float>(a), static_cast<float>(b), tolerance);
  } else if constexpr (kIsComplex<T>) {
    return are_close(a.real(), b.real(), tolerance) && are_close(a.imag(), b.imag(), tolerance);
  } else if constexpr (std::is_integral_v<T>) {
    return a == b;
  } else {
    return are_close(a, b, tolerance);
  }
}

std::string position_text(const Shape& shape, int64_t element) {
  std::vector<int64_t> position(shape.size());
  for (size_t mode = shape.size(); mode-- > 0;) {
    position[mode] = element % shape[mode];
    element /= shape[mode];
  }
  return to_string(position);
}

}  // namespace

Tensor tensor_by_rule(const ArrayType& type, const std::string& text, const std::string& name) {
  const Rule rule(type, text, name);
  auto tensor = std::make_shared<store::MemoryTensor>(type);
  visit_storage_type(type.dtype, [&]<class T>(std::type_identity<T>) {
    for (int64_t element = 0; element < num_elements(type.shape); ++element) {
      tensor->view().as<T>()[element] = number_as<T>(rule(element));
    }
  });
  return tensor;
}

std::string value_text(const store::MemoryTensor& tensor) {
  const ArrayType type = tensor.type();
  const int64_t count = num_elements(type.shape);
  TESSERA_USER_CHECK(count <= kMostPrinted,
                     "{} elements are too many to print; at most {} are, so let the program sum "
                     "them",
                     count, kMostPrinted);
  const int64_t row = type.shape.empty() ? 1 : std::max<int64_t>(type.shape.back(), 1);
  std::string text = to_string(type) + " =";
  visit_storage_type(type.dtype, [&]<class T>(std::type_identity<T>) {
    for (int64_t element = 0; element < count; ++element) {
      text += (element > 0 && element % row == 0 ? "; " : " ") +
              number_text(tensor.view().as<T>()[element]);
    }
  });
  return text;
}

std::optional<std::string> difference(const store::MemoryTensor& wanted,
                                      const store::MemoryTensor& seen, double tolerance) {
  if (wanted.type() != seen.type()) {
    return fmt::format("{} instead of {}", to_string(seen.type()), to_string(wanted.type()));
  }
  return visit_storage_type(
      wanted.type().dtype, [&]<class T>(std::type_identity<T>) -> std::optional<std::string> {
        for (int64_t element = 0; element < num_elements(wanted.type().shape); ++element) {
          const T a = wanted.view().as<T>()[element];
          const T b = seen.view().as<T>()[element];
          if (!are_equal(a, b, tolerance)) {
            return fmt::format("{} at {} instead of {}", number_text(b),
                               position_text(wanted.type().shape, element), number_text(a));
          }
        }
        return std::nullopt;
      });
}

}  // namespace tessera::plans
