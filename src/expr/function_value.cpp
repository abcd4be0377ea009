#include "expr/function_value.h"

#include "expr/function_on_doubles.h"

namespace tessera::expr {

std::optional<double> value_of(const std::string& function, std::span<const double> arguments) {
  static const std::map<std::string, OnDoubles> table = functions_on_doubles();
  const auto found = table.find(function);
  return found == table.end() ? std::nullopt : std::optional(found->second(arguments.data()));
}

}  // namespace tessera::expr
