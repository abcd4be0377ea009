#include "kernels/generated/formula.h"

#include <algorithm>
#include <cstring>

#include "base/digest.h"
#include "types/native.h"

namespace tessera::kernels::generated {

namespace {

/// Returns the bits of a literal as an element of a type. REQUIRES is_generated(type).
uint64_t bits_of(const Literal& value, DType type) {
  return visit_compute_type(type, [&](auto tag) {
    using T = typename decltype(tag)::type;
    uint64_t bits = 0;
    const T element = literal_as<T>(value);
    if constexpr (sizeof element <= sizeof bits) {
      std::memcpy(&bits, &element, sizeof element);
    }
    return bits;
  });
}

bool is_operation(const Step& step) {
  return step.operation != Operation::argument && step.operation != Operation::uniform &&
         step.operation != Operation::constant;
}

}  // namespace

bool is_generated(DType type) {
  return !is_complex(type);
}

int32_t Formula::argument(int32_t position, DType type) {
  Step step;
  step.type = static_cast<uint8_t>(type);
  step.bits = static_cast<uint64_t>(position);
  return add(step);
}

int32_t Formula::uniform(int32_t position, DType type) {
  Step step;
  step.operation = Operation::uniform;
  step.type = static_cast<uint8_t>(type);
  step.bits = static_cast<uint64_t>(position);
  return add(step);
}

int32_t Formula::constant(const Literal& value, DType type) {
  Step step;
  step.operation = Operation::constant;
  step.type = static_cast<uint8_t>(type);
  step.bits = bits_of(value, type);
  return add(step);
}

int32_t Formula::step(Operation operation, DType type, const std::vector<int32_t>& arguments) {
  Step step;
  step.operation = operation;
  step.type = static_cast<uint8_t>(type);
  std::copy(arguments.begin(), arguments.end(), std::begin(step.arguments));
  return add(step);
}

int32_t Formula::add(const Step& step) {
  const auto known = std::find_if(steps_.begin(), steps_.end(), [&](const Step& other) {
    return std::memcmp(&step, &other, sizeof step) == 0;
  });
  const auto number = static_cast<int32_t>(known - steps_.begin());
  if (known == steps_.end()) {
    steps_.push_back(step);
  }
  return number;
}

DType Formula::type_of(int32_t step) const {
  return static_cast<DType>(steps_[static_cast<size_t>(step)].type);
}

int32_t Formula::num_operations() const {
  return static_cast<int32_t>(std::count_if(steps_.begin(), steps_.end(), &is_operation));
}

std::string Formula::digest() const {
  Digest digest;
  for (const Step& step : steps_) {
    digest.add(std::string_view(reinterpret_cast<const char*>(&step), sizeof step));
  }
  digest.add(static_cast<int64_t>(merge_));
  return digest.text();
}

}  // namespace tessera::kernels::generated
