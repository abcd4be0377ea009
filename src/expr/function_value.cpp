#include "expr/function_value.h"

#include "expr/function_on_numbers.h"

namespace tessera::expr {

namespace {

OnNumbers code_of(const std::string& function) {
  static const std::map<std::string, OnNumbers> table = functions_on_numbers();
  const auto found = table.find(function);
  return found == table.end() ? OnNumbers() : found->second;
}

}  // namespace

std::optional<double> value_of(const std::string& function, std::span<const double> arguments) {
  const OnNumbers code = code_of(function);
  return code.doubles == nullptr ? std::nullopt : std::optional(code.doubles(arguments.data()));
}

std::optional<int64_t> value_of(const std::string& function, std::span<const int64_t> arguments) {
  const OnNumbers code = code_of(function);
  return code.integers == nullptr ? std::nullopt : std::optional(code.integers(arguments.data()));
}

bool is_of_numbers(const std::string& function) {
  const OnNumbers code = code_of(function);
  return code.doubles != nullptr || code.integers != nullptr;
}

}  // namespace tessera::expr
