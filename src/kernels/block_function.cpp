#include "kernels/block_function.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <string_view>

#include "kernels/isa/block_table.h"
#include "kernels/isa/half_power_table.h"

namespace tessera::kernels {

namespace {

bool matches(const BlockEntry& entry, const expr::FunctionTypes& types) {
  if (types.arguments.size() != static_cast<size_t>(entry.num_arguments) ||
      compute_type(types.result) != entry.result) {
    return false;
  }
  return std::equal(types.arguments.begin(), types.arguments.end(), entry.arguments.begin(),
                    [](DType wanted, DType computed) { return compute_type(wanted) == computed; });
}

BlockFunction find_in(const FunctionEntries& function, const expr::FunctionTypes& types) {
  for (int64_t number = 0; number < function.num_entries; ++number) {
    if (matches(function.entries[number], types)) {
      return function.entries[number].function;
    }
  }
  return nullptr;
}

const FunctionEntries* entries_of(Isa isa, std::string_view name) {
  for (const BlockTable* table : block_tables(isa)) {
    for (int64_t number = 0; number < table->num_functions; ++number) {
      if (table->functions[number].name == name) {
        return &table->functions[number];
      }
    }
  }
  return nullptr;
}

BlockFunction find_in(Isa isa, std::string_view name, const expr::FunctionTypes& types) {
  const FunctionEntries* const entries = entries_of(isa, name);
  return entries == nullptr ? nullptr : find_in(*entries, types);
}

}  // namespace

BlockFunction find_block_function(const std::string& function, const expr::FunctionTypes& types,
                                  Isa isa) {
  const BlockFunction found = find_in(isa, function, types);
  return found != nullptr || isa == Isa::scalar ? found : find_in(Isa::scalar, function, types);
}

bool takes_long(const std::string& function) {
  const FunctionEntries* const entries = entries_of(Isa::scalar, function);
  return entries != nullptr && entries->cost != expr::FunctionCost::instruction;
}

BlockFunction find_half_power(DType type, const Literal& exponent, Isa isa) {
  constexpr double kMost = 16;
  const auto complex = literal_as<std::complex<double>>(exponent);
  const double y = complex.real();
  const bool is_half = complex.imag() == 0 && std::abs(y) <= kMost && 2 * y == std::rint(2 * y);
  if (!is_half || y == 0 || y == 2 || y == 3) {
    return nullptr;
  }
  const HalfPowers powers = half_powers(isa);
  return type == DType::f32 ? powers.of_f32 : type == DType::f64 ? powers.of_f64 : nullptr;
}

BlockFunction find_block_cast(DType from, DType to, Isa isa) {
  return find_block_function(kCastName, {{from}, to}, isa);
}

}  // namespace tessera::kernels
