#include "machine/isa.h"

#include <algorithm>

namespace tessera {

namespace {

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
         __builtin_cpu_supports("avx512cd");
}

bool has_avx2() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

}  // namespace

Isa widest_isa() {
  const Isa of_processor = has_avx512() ? Isa::avx512 : has_avx2() ? Isa::avx2 : Isa::scalar;
  return std::min(of_processor, Isa::TESSERA_WIDEST_ISA);
}

std::string_view name_of(Isa isa) {
  switch (isa) {
    case Isa::scalar:
      return "scalar";
    case Isa::avx2:
      return "avx2";
    case Isa::avx512:
      return "avx512";
  }
  return "";
}

std::optional<Isa> isa_named(std::string_view name) {
  for (const Isa isa : {Isa::scalar, Isa::avx2, Isa::avx512}) {
    if (name == name_of(isa)) {
      return isa;
    }
  }
  return std::nullopt;
}

}  // namespace tessera
