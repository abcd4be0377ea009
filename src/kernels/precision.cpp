#include "kernels/precision.h"

#include <array>

namespace tessera::kernels {

namespace {

constexpr std::array kPrecisions = {Precision::f32, Precision::bf16x6, Precision::bf16x3,
                                    Precision::bf16};

}  // namespace

std::string_view name_of(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return "f32";
    case Precision::bf16x6:
      return "bf16x6";
    case Precision::bf16x3:
      return "bf16x3";
    case Precision::bf16:
      return "bf16";
  }
  return "";
}

std::optional<Precision> precision_named(std::string_view name) {
  for (const Precision precision : kPrecisions) {
    if (name == name_of(precision)) {
      return precision;
    }
  }
  return std::nullopt;
}

int64_t num_parts(Precision precision) {
  switch (precision) {
    case Precision::f32:
      return 0;
    case Precision::bf16x6:
      return 3;
    case Precision::bf16x3:
      return 2;
    case Precision::bf16:
      return 1;
  }
  return 0;
}

std::optional<std::string> why_f32(Precision precision, const Machine& machine) {
  const bool pays_in_vectors = num_parts(precision) <= 1;
  if (precision == Precision::f32 || machine.bf16 == Bf16Unit::amx ||
      (machine.bf16 == Bf16Unit::avx512 && pays_in_vectors)) {
    return std::nullopt;
  }
  return pays_in_vectors ? "this machine has neither AMX nor AVX-512 with bf16"
                         : "this machine has no AMX";
}

}  // namespace tessera::kernels
